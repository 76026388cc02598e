/**
 * Thrown into a subscriber that did not finish processing an event within the ack timeout: it still
 * sits on it, or a trigger event that it derived was never confirmed persisted.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, AckTimeout
 */
export class AckTimeout extends Error {
  override readonly name = "AckTimeout";
  readonly key: string;
  readonly triggerId: number;
  /** The oldest overdue event, counted from 0 in its group. */
  readonly eventId: number;

  constructor(key: string, triggerId: number, eventId: number, timeoutMs: number) {
    super(
      `Shared stream ${key}: trigger ${triggerId} did not finish processing event ${eventId} within ${timeoutMs / 1_000} s`,
    );
    this.key = key;
    this.triggerId = triggerId;
    this.eventId = eventId;
  }
}

/** Thrown into a subscriber whose queue of unprocessed raw events was full. */
export class SubscriberOverflow extends Error {
  override readonly name = "SubscriberOverflow";
  readonly key: string;
  readonly triggerId: number;
  readonly maxSubscriberQueue: number;

  constructor(key: string, triggerId: number, maxSubscriberQueue: number) {
    super(
      `Shared stream ${key}: the queue of trigger ${triggerId} exceeded maxsize=${maxSubscriberQueue}`,
    );
    this.key = key;
    this.triggerId = triggerId;
    this.maxSubscriberQueue = maxSubscriberQueue;
  }
}

/** Thrown into every subscriber of a group whose source simply returned. */
export class PollTerminated extends Error {
  override readonly name = "PollTerminated";
  readonly key: string;

  constructor(key: string) {
    super(`Shared stream ${key} ended: a stream is expected to run for the lifetime of the group`);
    this.key = key;
  }
}
