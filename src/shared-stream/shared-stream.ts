/**
 * What a subscriber's filter iterates: the raw events of its group, one at a time.
 *
 * Holds: asking for the next item closes the open window first, then waits. `unsubscribe` ends the
 * stream: a pending and every later pull gives `{ done: true }`. `return()` ends the iterator but
 * closes no window. After a failure was thrown the stream is done.
 */
export interface SharedStream<Raw> extends AsyncIterableIterator<Raw> {
  /** Rejects the event whose window is open; outside one it warns and does nothing. */
  reject(): void;
}
