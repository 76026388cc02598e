/** What the hostile client should do to its manager now and then. */
export const CLIENT_MARKS = [
  "the client rejected what it had fired",
  "the client fired twice for one event",
  "the client confirmed one sequence number twice",
  "the client joined in the turn in which it left",
  "the client gave up with an event in hand",
] as const;

/** What watchers and publishers should do now and then. */
export const WATCHER_MARKS = [
  "a filter fired twice for one record",
  "a filter rejected a record",
  "a filter was slow",
  "a filter returned of its own accord",
  "everything published was settled before the storm was over",
] as const;
