import { recogniseAnyCopy } from "../any-copy.ts";
import { checkedOptions } from "../checked-options.ts";
import { checkedJson } from "../json-value.ts";
import { type DurationLike, millisecondsFrom } from "../time/mod.ts";

/** What {@linkcode BaseOperator.defer} takes. */
export interface Deferral {
  /** What waits in the triggerer. */
  readonly trigger: unknown;
  /** The operator's method that resumes, called as `method(ctx, event, kwargs)`. */
  readonly methodName: string;
  /** Further arguments, as JSON values. */
  readonly kwargs?: Readonly<Record<string, unknown>>;
  /** How long to wait for the trigger at most; without limit by default. */
  readonly timeout?: DurationLike | undefined;
}

/**
 * The signal that frees the worker until a trigger fires; `BaseOperator.defer` throws it.
 *
 * Not an `Error`, so that code which handles errors by `instanceof Error` lets it pass. A catch
 * block that swallows it anyway is detected by `runTask`.
 *
 * @example
 * ```ts
 * import { TaskDeferred } from "faultlane";
 *
 * const signal = new TaskDeferred({ trigger: { topic: "orders" }, methodName: "onOrder" });
 * console.log(signal instanceof Error); // => false
 * ```
 *
 * Source: Airflow, airflow.exceptions, TaskDeferred
 */
export class TaskDeferred {
  static {
    recogniseAnyCopy(this, "TaskDeferred");
  }

  /** Always `"TaskDeferred"`. */
  readonly name = "TaskDeferred";
  /** What waits in the triggerer. */
  readonly trigger: unknown;
  /** The operator's method that resumes. */
  readonly methodName: string;
  /** Further arguments of the method. */
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** How long to wait for the trigger at most; undefined means without limit. */
  readonly timeout: DurationLike | undefined;

  /**
   * Checks the deferral.
   *
   * @throws {TypeError} when there is no trigger or method name, or another option, JSON cannot
   *   represent the arguments, or `timeout` is no duration
   * @throws {RangeError} when `timeout` is negative or no whole number of milliseconds
   */
  constructor(deferral: Deferral) {
    checkedOptions(deferral, ["trigger", "methodName", "kwargs", "timeout"], "defer");
    const { trigger, methodName, kwargs = {}, timeout } = deferral;
    if (trigger === null || trigger === undefined) {
      throw new TypeError(`Cannot defer without a trigger: current value is ${trigger}`);
    }
    if (typeof methodName !== "string" || methodName === "") {
      throw new TypeError("Cannot defer without a method that resumes: give its name");
    }
    this.trigger = trigger;
    this.methodName = methodName;
    this.kwargs = checkedJson(kwargs, "the kwargs of a deferral");
    // Here, where the caller is at hand: whoever waits for the trigger could not tell anybody.
    if (timeout !== undefined) millisecondsFrom(timeout, "the timeout of a deferral");
    this.timeout = timeout;
  }
}
