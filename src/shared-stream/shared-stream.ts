/** What a visitor can do with the event that it is being shown. */
export interface EventWindow {
  /** Rejects the event. After the visitor has returned it logs a warning and does nothing. */
  reject(): void;
  /**
   * Binds a trigger event to the event, as `bindPendingEvent` of the manager does: returns a
   * sequence number, or null when there is nothing to wait for.
   */
  bind(): number | null;
}

/**
 * A subscriber's stream: the raw events of its group, one at a time.
 *
 * A pull opens the window of an event; the next pull closes it. `unsubscribe` closes it too and
 * ends the stream: pulls that wait and later ones return `{ done: true }`.
 *
 * Holds: `return()`, that is a `break` in `for await`, ends the iterator and closes no window. A
 * failure is thrown once; after that the stream is done.
 *
 * @example
 * ```ts
 * import { type SharedStream, TriggerEvent } from "faultlane";
 *
 * async function* filterSharedStream(
 *   stream: SharedStream<{ readonly kind: string; readonly id: number }>,
 * ): AsyncGenerator<TriggerEvent> {
 *   for await (const order of stream) {
 *     if (order.kind === "corrupt") stream.reject();
 *     else if (order.kind === "paid") yield new TriggerEvent(order.id);
 *   }
 * }
 * ```
 */
export interface SharedStream<Raw> extends AsyncIterableIterator<Raw> {
  /** Rejects the event whose window is open; with none open it logs a warning and does nothing. */
  reject(): void;

  /**
   * Calls `visitor` with each event, synchronously, instead of an iteration: no event costs a
   * promise. For filters that await nothing. A manager need not offer it.
   *
   * The event's window is open during the call. If the visitor throws, the window stays open and
   * the visit ends, as it does when a filter throws.
   *
   * Resolves when the stream ends. Rejects with what the stream would have thrown, or with what the
   * visitor threw.
   *
   * @throws {TypeError} when a pull is waiting or the stream is visited already
   */
  visit?(visitor: (raw: Raw, window: EventWindow) => void): Promise<void>;
}
