/**
 * How the subscribers of an event's snapshot resolved it.
 *
 * Shape: each of them is counted in exactly one field; all three are 0 when there was none.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, AdvanceOutcome
 *
 * @example
 * ```ts
 * import { AdvanceOutcome } from "faultlane";
 *
 * console.log(new AdvanceOutcome(2, 0).isClean); // => true
 * console.log(new AdvanceOutcome(1, 1).isClean); // => false
 * console.log(new AdvanceOutcome(0, 0).isClean); // => false
 * ```
 */
export class AdvanceOutcome {
  /** Passed the event, with every trigger event made from it confirmed as stored. */
  readonly acked: number;
  /** Exceeded the ack timeout, overflowed, or left without pulling the event. Redeliver it. */
  readonly failed: number;
  /** Refused the event. Final: dead-letter it, do not redeliver it. */
  readonly rejected: number;

  /** Creates a frozen outcome from the three counts. */
  constructor(acked: number, failed: number, rejected = 0) {
    this.acked = acked;
    this.failed = failed;
    this.rejected = rejected;
    Object.freeze(this);
  }

  /** Whether every subscriber acked the event, and there was at least one. */
  get isClean(): boolean {
    return this.acked > 0 && this.failed === 0 && this.rejected === 0;
  }
}

/**
 * One resolved event in the batch that `advance` receives.
 *
 * Source: Airflow 3.3, airflow.triggers.shared_stream, AdvanceItem
 */
export interface AdvanceItem<Payload = unknown> {
  /** What the producer yielded beside the raw event: an offset, a receipt handle. */
  readonly brokerPayload: Payload;
  /** How the subscribers resolved the event. */
  readonly outcome: AdvanceOutcome;
}
