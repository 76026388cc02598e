/**
 * How the subscribers that were online at fan-out resolved one event.
 *
 * Shape: each member of the snapshot is counted in exactly one field; all three are zero when
 * nobody was online.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, AdvanceOutcome
 */
export class AdvanceOutcome {
  /** Moved past the event, and every trigger event derived from it was confirmed persisted. */
  readonly acked: number;
  /** Force-failed: ack timeout, overflow, or left without ever pulling the event. Redeliver. */
  readonly failed: number;
  /** Refused by the filter. Terminal: dead-letter rather than redeliver. */
  readonly rejected: number;

  constructor(acked: number, failed: number, rejected = 0) {
    this.acked = acked;
    this.failed = failed;
    this.rejected = rejected;
    Object.freeze(this);
  }

  /** Whether every subscriber accepted the event, and there was at least one. */
  get isClean(): boolean {
    return this.acked > 0 && this.failed === 0 && this.rejected === 0;
  }
}

/**
 * One resolved event in the batch handed to `advance`.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, AdvanceItem
 */
export interface AdvanceItem<Payload = unknown> {
  readonly brokerPayload: Payload;
  readonly outcome: AdvanceOutcome;
}
