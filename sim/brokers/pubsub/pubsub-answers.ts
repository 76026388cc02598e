import { assertModelled } from "../not-modelled.ts";
import { NOT_FOUND } from "./pubsub-error.ts";

/** What the library calls with an error, or with null and the values. */
export type PubSubDone<Values extends readonly unknown[]> = (
  error: Error | null,
  ...values: Values | []
) => void;

/**
 * Has a call answered as the library does: without `done` by a promise of all values, else by it,
 * and then nothing is returned, of which the types say nothing.
 *
 * @throws what `begin` throws at once, if there is a `done`; otherwise that is a rejection
 */
export function answered<Values extends readonly unknown[]>(
  done: PubSubDone<Values> | undefined,
  begin: () => Promise<Values>,
): Promise<Values> {
  if (done === undefined) return new Promise((resolve) => resolve(begin()));
  begin().then(
    (values) => done(null, ...values),
    (error: Error) => done(error),
  );
  return undefined as unknown as Promise<Values>;
}

/** The library takes the callback in the place of the options, too. */
export function doneOf<Values extends readonly unknown[]>(
  given: object | PubSubDone<Values> | undefined,
  done: PubSubDone<Values> | undefined,
): PubSubDone<Values> | undefined {
  return typeof given === "function" ? (given as PubSubDone<Values>) : done;
}

/**
 * Returns the options of a call, where its callback may stand instead.
 *
 * @throws {NotModelled} for one that the model would have to ignore
 */
export function optionsOf<Options extends object>(
  call: string,
  given: Options | PubSubDone<never> | undefined,
  known: readonly (keyof Options & string)[],
): Partial<Options> {
  if (typeof given !== "object") return {};
  const options: Partial<Options> = { ...given };
  assertModelled(call, options, known, "brokers.pubsub");
  return options;
}

/** Whether there is what was asked for. */
export async function isThere(asking: Promise<unknown>): Promise<boolean> {
  try {
    await asking;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

export function isNotFound(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === NOT_FOUND;
}

/** Where the library calls back with more values than its types tell, which are undefined. */
export function withUnset<T>(value: T): [T] {
  return [value, undefined, undefined] as unknown as [T];
}
