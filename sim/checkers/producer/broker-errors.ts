/** Refusals that say nothing of a handle: the broker failed of itself, or the session has ended. */
export const NOT_OF_THE_HANDLE: ReadonlySet<string> = new Set(["InternalError", "SessionLockLost"]);
