import { recogniseAnyCopy } from "../any-copy.ts";

/**
 * The signal that ends an attempt whose task goes on later; `BaseOperator.reschedule` throws it.
 *
 * Not an `Error`, like `TaskDeferred`: a catch block for errors must not take it for one.
 *
 * @example
 * ```ts
 * import { TaskRescheduled } from "faultlane";
 *
 * console.log(new TaskRescheduled(1_767_225_660_000).rescheduleAt); // => 1767225660000
 * ```
 *
 * Source: Airflow, AirflowRescheduleException
 */
export class TaskRescheduled {
  static {
    recogniseAnyCopy(this, "TaskRescheduled");
  }

  /** Always `"TaskRescheduled"`. */
  readonly name = "TaskRescheduled";
  /** When the task goes on at the earliest, in milliseconds since the epoch. */
  readonly rescheduleAt: number;

  /**
   * Checks the time.
   *
   * @throws {TypeError} when it is no whole number of milliseconds since the epoch
   */
  constructor(rescheduleAt: number) {
    if (!Number.isSafeInteger(rescheduleAt) || rescheduleAt < 0) {
      throw new TypeError(
        `Cannot reschedule to ${String(rescheduleAt)}: write whole milliseconds since the epoch`,
      );
    }
    this.rescheduleAt = rescheduleAt;
  }
}
