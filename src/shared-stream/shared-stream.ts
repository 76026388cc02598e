/** What a synchronous visitor can do with the event that it is given, while it is given it. */
export interface EventWindow {
  /** Rejects the event; once the visitor returned it warns and does nothing. */
  reject(): void;
  /** As `bindPendingEvent` of the manager, for this event. */
  bind(): number | null;
}

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

  /**
   * Hands each event to `visitor`, synchronously and without a promise for each: instead of
   * iterating, for who is done with an event when a function returns. Absent where a manager does
   * not offer it.
   *
   * Holds: the window opens before the call and closes when it returns; when it throws, the window
   * stays open, as that of a filter that throws. Resolves when the stream ends, rejects with what
   * would have been thrown, or with what the visitor threw.
   *
   * @throws {TypeError} when the stream is pulled or visited already
   */
  visit?(visitor: (raw: Raw, window: EventWindow) => void): Promise<void>;
}
