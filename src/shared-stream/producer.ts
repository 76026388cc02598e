import type { Lane } from "./key.ts";
import type { AdvanceItem } from "./outcome.ts";

/**
 * The broker's half of a shared stream in ack mode; one instance lives as long as one poll.
 *
 * Holds, for whoever implements it: `openStream` yields pairs until its signal aborts, or throws;
 * it
 * never simply returns. Connect there, not in the factory: `aclose` runs only for a producer that
 * the factory returned, and runs also when `openStream` was never called.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, SharedStreamProducer
 */
export interface SharedStreamProducer<Raw, Payload = unknown> {
  /** Opens the broker connection and yields `[rawEvent, brokerPayload]`; called once a poll. */
  openStream(signal: AbortSignal): AsyncIterable<readonly [rawEvent: Raw, brokerPayload: Payload]>;

  /**
   * Settles one lane's batch on the broker: commits, deletes, dead-letters, leaves for redelivery.
   *
   * Shape: `batch` is not empty, in fan-out order, a contiguous resolved prefix of one lane.
   * Holds: no two calls overlap; within a lane a batch comes only after the call before it
   * returned. Throwing ends the whole group, and the broker redelivers what was never settled.
   */
  advance(batch: readonly AdvanceItem<Payload>[]): Promise<void>;

  /** The lane of one event: synchronous, cheap, stable. Without it all events share one lane. */
  getAdvanceLane?(brokerPayload: Payload): Lane;

  /** Releases what the producer holds; called once when the poll ends, best effort. */
  aclose?(): Promise<void>;
}
