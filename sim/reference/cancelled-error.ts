/**
 * What asyncio throws into a task that is cancelled; no ordinary exception, so that `except
 * Exception` lets it pass.
 */
export class CancelledError extends Error {
  override readonly name = "CancelledError";
}

/** Names under which cancellation travels here: asyncio's, and that of an aborted signal. */
const NAMES: ReadonlySet<unknown> = new Set(["CancelledError", "AbortError"]);

/** Whether an `except Exception` of Airflow's would let `error` pass (spec E-01, E-04). */
export function isCancelled(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && NAMES.has(error.name);
}
