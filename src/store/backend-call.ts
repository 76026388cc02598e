import { InvariantViolation } from "../invariant.ts";
import { StoreUnavailable, UnreadableValue } from "./errors.ts";

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
