/** With these a broker refuses a request for what is written in it, whatever became of its records. */
export const MALFORMED: ReadonlySet<string> = new Set([
  "TooManyEntriesInBatchRequest",
  "BatchEntryIdsNotDistinct",
  "InvalidBatchEntryId",
]);

/**
 * Refusals that say nothing of a handle: the broker failed of itself, the session has ended, or the
 * whole request was wrong.
 */
export const NOT_OF_THE_HANDLE: ReadonlySet<string> = new Set([
  ...["InternalError", "SessionLockLost", "OTHER", "PERMISSION_DENIED"],
  ...MALFORMED,
]);
