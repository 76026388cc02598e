import type {
  EventWindow,
  SharedStream,
  SharedStreamProducer,
  StreamKey,
} from "../shared-stream/mod.ts";
import type { TriggerHooks } from "./deferral-trigger.ts";
import { flawIn, type TriggerEvent } from "./trigger-event.ts";

/** The trigger events that a synchronous filter makes from one raw event. */
export type FilteredEvents = TriggerEvent | readonly TriggerEvent[] | undefined;

/**
 * A trigger that watches a source: through a stream shared with other triggers, or alone.
 *
 * Shape: when `sharedStreamKey` returns a key, the trigger shares the stream of that key. It then
 * has `createSharedStreamProducer` for ack mode, or else `openSharedStream` for the fast path. When
 * it returns null, the trigger has `run`.
 *
 * Holds: what its trigger events cause must be idempotent. A raw event that was not advanced when a
 * process died, a stream ended or an ack timed out is delivered again, and so is what `run` has not
 * settled with its source; the same trigger event then fires once more.
 *
 * Source: Airflow 3.3, airflow.triggers.base, BaseEventTrigger
 */
export interface EventTrigger<Raw = unknown, Payload = unknown> extends TriggerHooks {
  /** Returns the key of the stream to share, or null. If it throws, the trigger runs alone. */
  sharedStreamKey(): StreamKey | null;
  /** Creates the producer of one poll: ack mode. */
  createSharedStreamProducer?(): SharedStreamProducer<Raw, Payload>;
  /** Opens the stream of one poll: the fast path. The signal aborts when the group stops. */
  openSharedStream?(signal: AbortSignal): AsyncIterable<Raw>;
  /**
   * Turns raw events into trigger events.
   *
   * Holds, for every implementation: the trigger events made from a raw event are yielded before
   * the next raw event is pulled, because they are bound to the raw event whose window is open.
   */
  filterSharedStream(stream: SharedStream<Raw>): AsyncIterable<TriggerEvent>;
  /**
   * The synchronous form of the filter, about ten times as fast, because no event costs a promise.
   * A runner prefers it where the manager offers visits and uses `filterSharedStream` otherwise, so
   * both must have the same effect: see {@linkcode filterEach}.
   *
   * Holds: the event's window is open during the call. What it returns is bound to the event and
   * queued before anything else happens; then the window closes. If it throws, the trigger fails
   * with the window open, as it does when `filterSharedStream` throws.
   */
  filterSharedEvent?(raw: Raw, window: Pick<EventWindow, "reject">): FilteredEvents;
  /** Watches the source alone. The signal aborts when the trigger is cancelled. */
  run?(signal: AbortSignal): AsyncIterable<TriggerEvent>;
}

/**
 * A trigger to extend: one that shares no stream until `sharedStreamKey` says otherwise, and whose
 * asynchronous filter is made from its synchronous one.
 *
 * @example
 * ```ts
 * import { BaseEventTrigger, TriggerEvent } from "faultlane";
 *
 * class LargeOrders extends BaseEventTrigger<number> {
 *   override sharedStreamKey(): string {
 *     return "orders";
 *   }
 *   override async *openSharedStream(): AsyncGenerator<number> {
 *     yield* [3, 5_000];
 *   }
 *   override filterSharedEvent(amount: number): TriggerEvent | undefined {
 *     return amount > 1_000 ? new TriggerEvent(amount) : undefined;
 *   }
 * }
 * console.log(new LargeOrders().filterSharedEvent(5_000)?.payload); // => 5000
 * ```
 *
 * Source: Airflow 3.3, airflow.triggers.base, BaseEventTrigger
 */
export abstract class BaseEventTrigger<Raw = unknown, Payload = unknown> implements EventTrigger<
  Raw,
  Payload
> {
  /** Returns null: the trigger watches its source alone, with `run`. */
  sharedStreamKey(): StreamKey | null {
    return null;
  }

  /**
   * Turns raw events into trigger events, by default with `filterSharedEvent`.
   *
   * @throws {TypeError} when the trigger has neither filter
   */
  filterSharedStream(stream: SharedStream<Raw>): AsyncIterable<TriggerEvent> {
    if (this.filterSharedEvent === undefined) {
      throw new TypeError(
        `Cannot filter a shared stream with ${this.constructor.name}: it has neither filterSharedStream nor filterSharedEvent`,
      );
    }
    return filterEach(stream, (raw, window) => this.filterSharedEvent?.(raw, window));
  }

  /** Creates the producer of one poll: ack mode. */
  createSharedStreamProducer?(): SharedStreamProducer<Raw, Payload>;
  /** Opens the stream of one poll: the fast path. */
  openSharedStream?(signal: AbortSignal): AsyncIterable<Raw>;
  /** The synchronous form of the filter. */
  filterSharedEvent?(raw: Raw, window: Pick<EventWindow, "reject">): FilteredEvents;
  /** Watches the source alone. */
  run?(signal: AbortSignal): AsyncIterable<TriggerEvent>;
  /** Called first when a user has ended what the trigger runs for. */
  onKill?(): void | Promise<void>;
  /** Called once the trigger is over. */
  cleanup?(): void | Promise<void>;
}

/**
 * Makes an asynchronous filter from a synchronous one, so that a trigger with both forms has one
 * implementation.
 *
 * @example
 * ```ts
 * import { filterEach, type SharedStream, TriggerEvent } from "faultlane";
 *
 * class EvenNumbers {
 *   filterSharedEvent(raw: number): TriggerEvent | undefined {
 *     return raw % 2 === 0 ? new TriggerEvent(raw) : undefined;
 *   }
 *
 *   filterSharedStream(stream: SharedStream<number>): AsyncIterable<TriggerEvent> {
 *     return filterEach(stream, (raw) => this.filterSharedEvent(raw));
 *   }
 * }
 * console.log(new EvenNumbers().filterSharedEvent(4)?.payload); // => 4
 * ```
 */
export async function* filterEach<Raw>(
  stream: SharedStream<Raw>,
  filter: (raw: Raw, window: Pick<EventWindow, "reject">) => FilteredEvents,
): AsyncGenerator<TriggerEvent> {
  const window = { reject: () => stream.reject() };
  for await (const raw of stream) {
    const events: TriggerEvent[] = [];
    forEachFiltered(filter(raw, window), (event) => events.push(event));
    yield* events;
  }
}

/**
 * Calls `fn` with each trigger event that a synchronous filter returned.
 *
 * @throws {TypeError} when it returned a promise, which means that it is not synchronous, or
 *   something else that is no trigger event; then `fn` is not called at all
 */
export function forEachFiltered(events: FilteredEvents, fn: (event: TriggerEvent) => void): void {
  if (events === undefined) return;
  if (!isList(events)) {
    fn(fired(events));
    return;
  }
  for (const event of events) fired(event);
  for (const event of events) fn(event);
}

function fired(event: TriggerEvent): TriggerEvent {
  const flaw = flawIn(event);
  if (flaw === undefined) return event;
  const isPromise = typeof event === "object" && event !== null && "then" in event;
  if (!isPromise) throw flaw;
  throw new TypeError("Cannot take a promise from filterSharedEvent: it must be synchronous");
}

function isList(events: TriggerEvent | readonly TriggerEvent[]): events is readonly TriggerEvent[] {
  return Array.isArray(events);
}
