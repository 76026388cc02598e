import type { AckTimeout, SubscriberOverflow } from "./errors.ts";
import type { StreamKey } from "./key.ts";

/** Reports that the manager failed one subscriber, with everything that it had not resolved. */
export type ForceFailure =
  | {
      /** The subscriber did not resolve an event within the ack timeout. */
      readonly reason: "ackTimeout";
      /** The key of the stream. */
      readonly key: StreamKey;
      /** The trigger whose subscription failed. */
      readonly triggerId: number;
      /** The oldest event that it owed, counted from 0 in the group. */
      readonly eventId: number;
      /** What the subscriber's stream throws. */
      readonly error: AckTimeout;
    }
  | {
      /** The queue of the subscriber was full. */
      readonly reason: "overflow";
      /** The key of the stream. */
      readonly key: StreamKey;
      /** The trigger whose subscription failed. */
      readonly triggerId: number;
      /**
       * The event that did not fit, counted from 0 in the group; undefined on the fast path, which
       * does not count events.
       */
      readonly eventId: number | undefined;
      /** What the subscriber's stream throws. */
      readonly error: SubscriberOverflow;
    };

/** Reports that a call of a producer's `advance` threw. */
export interface AdvanceFailure {
  /** The key of the stream. */
  readonly key: StreamKey;
  /** The lane as text: equal for equal lanes, different for different ones, "" for undefined. */
  readonly lane: string;
  /** The number of events in the batch, which the broker will redeliver. */
  readonly batchSize: number;
  /** What `advance` threw. */
  readonly error: unknown;
}

/** Reports that a group failed as a whole, because its poll or an advance threw. */
export interface GroupFailure {
  /** The key of the stream. */
  readonly key: StreamKey;
  /** What failed. The poll includes the factory, the lane hook and a source that returned. */
  readonly cause: "poll" | "advance";
  /** What the stream of each of its subscribers throws. */
  readonly error: unknown;
}

/** Reports that a subscriber rejected an event. */
export interface EventRejection {
  /** The key of the stream. */
  readonly key: StreamKey;
  /** The trigger whose filter rejected it. */
  readonly triggerId: number;
  /** The event, counted from 0 in the group. */
  readonly eventId: number;
}

/** Reports that a part of a group threw while it was being closed. Closing goes on. */
export interface CloseFailure {
  /** The key of the stream. */
  readonly key: StreamKey;
  /** The iterator of the stream, or the producer's `aclose`. */
  readonly part: "source" | "producer";
  /** What it threw. */
  readonly error: unknown;
}

/**
 * Receives the failures and rejects that a manager handles, for metrics, alerts and tests.
 *
 * The log has the same facts, worded for people. A program uses the observer, because a log message
 * may be reworded at any time.
 *
 * Holds: each method is called synchronously, once per occurrence, when the manager has changed its
 * own state; it may call the manager. What it throws is logged and has no other effect.
 *
 * @example
 * ```ts
 * import { SharedStreamManager, type SharedStreamObserver } from "faultlane";
 *
 * const failures = new Map<string, number>();
 * const observer: SharedStreamObserver = {
 *   onForceFailed({ reason }) {
 *     failures.set(reason, (failures.get(reason) ?? 0) + 1);
 *   },
 *   onGroupFailed({ key, error }) {
 *     console.error("stream lost", key, error);
 *   },
 * };
 * const manager = new SharedStreamManager({ observer });
 * console.log(manager.groupKeys().length, failures.size); // => 0 0
 * ```
 */
export interface SharedStreamObserver {
  /** Called when a subscriber exceeded the ack timeout or its queue overflowed. */
  onForceFailed?(failure: ForceFailure): void;
  /** Called when an advance threw, before `onGroupFailed`, and also while the group is ending. */
  onAdvanceFailed?(failure: AdvanceFailure): void;
  /**
   * Called when a group failed, at most once for each group: its key is free again, and its
   * subscribers have the error.
   */
  onGroupFailed?(failure: GroupFailure): void;
  /** Called when a subscriber rejected an event, in whichever way. */
  onEventRejected?(rejection: EventRejection): void;
  /** Called when the source or the producer of a group threw while it was being closed. */
  onCloseFailed?(failure: CloseFailure): void;
}
