import { InvariantViolation } from "../invariant.ts";
import type { StateBackend, StateEntry } from "./backend.ts";
import { StoreUnavailable, UnreadableValue } from "./errors.ts";
import type { StoreScope } from "./scope.ts";

/**
 * Awaits `call` and wraps a backend failure in {@linkcode StoreUnavailable}; `what` completes its
 * message, "Cannot ...". Errors of the caller and our own bugs pass through.
 */
export async function callBackend<T>(what: () => string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (
      cause instanceof StoreUnavailable ||
      cause instanceof UnreadableValue ||
      cause instanceof TypeError ||
      cause instanceof RangeError ||
      cause instanceof InvariantViolation
    ) {
      throw cause;
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnavailable(`Cannot ${what()}: ${reason}`, { cause });
  }
}

/**
 * A backend has returned the entry of a key that it was not asked for, as happens where a pooled
 * connection is used again before the reply to an earlier request was read. Asking again may help.
 */
export class ForeignEntry extends Error {
  override readonly name = "ForeignEntry";

  constructor(key: string) {
    super(`the backend returned the entry of "${key}"`);
  }
}

/**
 * Returns the entry under `key`; undefined when there is none.
 *
 * @throws {ForeignEntry} when the backend returns the entry of another key
 */
export async function ownEntry(
  backend: StateBackend,
  scope: StoreScope,
  key: string,
): Promise<StateEntry | undefined> {
  const entry = await backend.get(scope, key);
  if (entry !== undefined && entry.key !== key) throw new ForeignEntry(entry.key);
  return entry;
}
