import { recogniseAnyCopy } from "../any-copy.ts";
import { checkedJson } from "../json-value.ts";
import type { DurationLike } from "../time/mod.ts";

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
   * @throws {TypeError} when there is no trigger or method name, or JSON cannot represent the
   *   arguments
   */
  constructor({ trigger, methodName, kwargs = {}, timeout }: Deferral) {
    if (trigger === null || trigger === undefined) {
      throw new TypeError(`Cannot defer without a trigger: current value is ${trigger}`);
    }
    if (typeof methodName !== "string" || methodName === "") {
      throw new TypeError("Cannot defer without a method that resumes: give its name");
    }
    this.trigger = trigger;
    this.methodName = methodName;
    this.kwargs = checkedJson(kwargs, "the kwargs of a deferral");
    this.timeout = timeout;
  }
}
