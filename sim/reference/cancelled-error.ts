/**
 * What asyncio throws into a task that is cancelled. `except Exception` does not catch it.
 */
export class CancelledError extends Error {
  override readonly name = "CancelledError";
}

/** The names of cancellation errors: that of asyncio, and that of an aborted signal. */
const NAMES: ReadonlySet<unknown> = new Set(["CancelledError", "AbortError"]);

/** Whether `except Exception` in Airflow would not catch `error` (E-01, E-04). */
export function isCancelled(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && NAMES.has(error.name);
}
