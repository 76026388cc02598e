/**
 * Refusals that say nothing of a handle: the broker failed of itself, the session has ended, or the
 * whole request was wrong.
 */
export const NOT_OF_THE_HANDLE: ReadonlySet<string> = new Set([
  ...["InternalError", "SessionLockLost", "OTHER"],
  ...["TooManyEntriesInBatchRequest", "BatchEntryIdsNotDistinct", "InvalidBatchEntryId"],
]);
