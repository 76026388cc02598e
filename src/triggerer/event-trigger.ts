import type {
  EventWindow,
  SharedStream,
  SharedStreamProducer,
  StreamKey,
} from "../shared-stream/mod.ts";
import type { TriggerEvent } from "./trigger-event.ts";

/** What a synchronous filter makes of one raw event. */
export type FilteredEvents = TriggerEvent | readonly TriggerEvent[] | undefined;

/**
 * A trigger that watches a source, alone (`run`) or through a stream shared with its siblings.
 *
 * Shape: `sharedStreamKey` other than null means sharing; then the presence of
 * `createSharedStreamProducer` chooses ack mode, otherwise `openSharedStream` is the fast path.
 * Holds, for whoever implements it: `filterSharedStream` yields each event that it derives before
 * it pulls the next raw event; that is what binds the two together.
 *
 * Source: Airflow 3.3, airflow.triggers.base, BaseEventTrigger
 */
export interface EventTrigger<Raw = unknown, Payload = unknown> {
  sharedStreamKey(): StreamKey | null;
  createSharedStreamProducer?(): SharedStreamProducer<Raw, Payload>;
  openSharedStream?(signal: AbortSignal): AsyncIterable<Raw>;
  filterSharedStream(stream: SharedStream<Raw>): AsyncIterable<TriggerEvent>;
  /**
   * The synchronous form of the filter, for one that awaits nothing: about ten times as fast, for
   * no event costs a promise. A runner takes it where it is there and the manager offers it, and
   * `filterSharedStream` otherwise, so both must do the same: see `filterEach`.
   *
   * Shape: one trigger event, several, or undefined for none.
   * Holds: the event's window is open during the call. What is returned is bound to the event and
   * queued before anything else happens; then the window closes. `reject` refuses the event; after
   * the call it warns and does nothing. When the call throws, the trigger fails with the window
   * open, as when a filter throws.
   */
  filterSharedEvent?(raw: Raw, window: Pick<EventWindow, "reject">): FilteredEvents;
  run?(signal: AbortSignal): AsyncIterable<TriggerEvent>;
}

/**
 * The asynchronous form of a synchronous filter, so that it need not be written twice:
 *
 * ```ts
 * filterSharedStream(stream: SharedStream<Raw>): AsyncIterable<TriggerEvent> {
 *   return filterEach(stream, (raw, window) => this.filterSharedEvent(raw, window));
 * }
 * ```
 */
export async function* filterEach<Raw>(
  stream: SharedStream<Raw>,
  filter: (raw: Raw, window: Pick<EventWindow, "reject">) => FilteredEvents,
): AsyncGenerator<TriggerEvent> {
  const window = { reject: () => stream.reject() };
  for await (const raw of stream) {
    const events: TriggerEvent[] = [];
    takeEach(filter(raw, window), (event) => events.push(event));
    yield* events;
  }
}

/**
 * Hands what a synchronous filter returned to `take`, one by one.
 *
 * @throws {TypeError} when it is a promise: then the filter is not synchronous
 */
export function takeEach(events: FilteredEvents, take: (event: TriggerEvent) => void): void {
  if (events === undefined) return;
  if (isList(events)) {
    for (const event of events) take(event);
  } else if ("then" in events) {
    throw new TypeError("Cannot take a promise from filterSharedEvent: it must be synchronous");
  } else take(events);
}

function isList(events: TriggerEvent | readonly TriggerEvent[]): events is readonly TriggerEvent[] {
  return Array.isArray(events);
}
