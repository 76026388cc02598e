/** Situations that the hostile client should reach in some runs. */
export const CLIENT_MARKS = [
  "the client rejected what it had fired",
  "the client fired twice for one event",
  "the client confirmed one sequence number twice",
  "the client joined in the turn in which it left",
  "the client gave up with an event in hand",
  "a source failed after its group had failed",
  "a source failed when its group was stopped",
  "a producer failed to close",
] as const;

/** Situations that watchers and publishers should reach in some runs. */
export const WATCHER_MARKS = [
  "a filter fired twice for one record",
  "a filter rejected a record",
  "a filter was slow",
  "a filter returned of its own accord",
  "a trigger without a stream fired",
  "a trigger without a stream called the ambient reject",
  "everything published was settled before the storm was over",
] as const;
