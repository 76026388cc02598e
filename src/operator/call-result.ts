import { SignalSwallowed } from "./errors.ts";
import { type TaskSignal, takeRaised } from "./raised-signals.ts";

/** How a call of the operator ended. */
export type CallResult<T> =
  | { readonly kind: "returned"; readonly value: T }
  | { readonly kind: "threw"; readonly error: unknown };

/** Calls an operator's method, and returns what came of it. */
export async function resultOf<T>(call: () => T | PromiseLike<T>): Promise<CallResult<T>> {
  try {
    return { kind: "returned", value: await call() };
  } catch (error) {
    return { kind: "threw", error };
  }
}

/**
 * Returns the error of a call in which a catch block swallowed the signal that the operator raised
 * last; undefined when none did. `isMeant` picks the signals that count.
 */
export function swallowedIn(
  operator: object,
  result: CallResult<unknown>,
  where: string,
  isMeant: (signal: TaskSignal) => boolean = () => true,
): SignalSwallowed | undefined {
  const raised = takeRaised(operator).findLast(isMeant);
  if (raised === undefined) return undefined;
  if (result.kind === "returned") return new SignalSwallowed(raised.name, where);
  if (result.error === raised) return undefined;
  return new SignalSwallowed(raised.name, where, { cause: result.error });
}
