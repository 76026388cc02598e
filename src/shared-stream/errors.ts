import { recogniseAnyCopy } from "../any-copy.ts";

/**
 * Thrown into a subscriber that did not resolve an event within the ack timeout: its window is
 * still open, it was never pulled, or a trigger event made from it was never confirmed.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, AckTimeout
 *
 * @example
 * ```ts
 * import { AckTimeout } from "faultlane";
 *
 * function describe(error: unknown): string {
 *   if (!(error instanceof AckTimeout)) throw error;
 *   return `trigger ${error.triggerId} is too slow for event ${error.eventId}`;
 * }
 * console.log(describe(new AckTimeout("orders", 7, 0, 300_000)));
 * // => trigger 7 is too slow for event 0
 * ```
 */
export class AckTimeout extends Error {
  static {
    recogniseAnyCopy(this, "AckTimeout");
  }

  /** Equal to the name of the class. */
  override readonly name = "AckTimeout";
  /** The key of the stream, as text. */
  readonly key: string;
  /** The trigger whose subscription failed. */
  readonly triggerId: number;
  /** The oldest overdue event, counted from 0 in its group. */
  readonly eventId: number;

  /** Creates the error; `timeoutMs` is the timeout in milliseconds, for the message. */
  constructor(key: string, triggerId: number, eventId: number, timeoutMs: number) {
    super(
      `Shared stream ${key}: trigger ${triggerId} did not finish processing event ${eventId} within ${timeoutMs / 1_000} s`,
    );
    this.key = key;
    this.triggerId = triggerId;
    this.eventId = eventId;
  }
}

/**
 * Thrown into a subscriber whose queue of events that it has not pulled was full.
 *
 * @example
 * ```ts
 * import { SubscriberOverflow } from "faultlane";
 *
 * const error = new SubscriberOverflow("orders", 7, 1024);
 * console.log(error.message);
 * // => Shared stream orders: the queue of trigger 7 exceeded maxsize=1024
 * ```
 */
export class SubscriberOverflow extends Error {
  static {
    recogniseAnyCopy(this, "SubscriberOverflow");
  }

  /** Equal to the name of the class. */
  override readonly name = "SubscriberOverflow";
  /** The key of the stream, as text. */
  readonly key: string;
  /** The trigger whose subscription failed. */
  readonly triggerId: number;
  /** The number of events that the queue may have. */
  readonly maxSubscriberQueue: number;

  /** Creates the error; `key` is the key of the stream as text. */
  constructor(key: string, triggerId: number, maxSubscriberQueue: number) {
    super(
      `Shared stream ${key}: the queue of trigger ${triggerId} exceeded maxsize=${maxSubscriberQueue}`,
    );
    this.key = key;
    this.triggerId = triggerId;
    this.maxSubscriberQueue = maxSubscriberQueue;
  }
}

/**
 * Thrown into every subscriber of a group whose source returned: a source either yields or throws
 * for as long as the group lives.
 *
 * @example
 * ```ts
 * import { PollTerminated } from "faultlane";
 *
 * console.log(new PollTerminated("orders").key); // => orders
 * ```
 */
export class PollTerminated extends Error {
  static {
    recogniseAnyCopy(this, "PollTerminated");
  }

  /** Equal to the name of the class. */
  override readonly name = "PollTerminated";
  /** The key of the stream, as text. */
  readonly key: string;

  /** Creates the error; `key` is the key of the stream as text. */
  constructor(key: string) {
    super(`Shared stream ${key} ended: a stream is expected to run for the lifetime of the group`);
    this.key = key;
  }
}
