import { checkedJson } from "./json-value.ts";
import type { DurationLike } from "../time/mod.ts";

export interface Deferral {
  /** What waits in the triggerer. */
  readonly trigger: unknown;
  /** The operator's method that goes on with the event: `method(ctx, event, kwargs)`. */
  readonly methodName: string;
  readonly kwargs?: Readonly<Record<string, unknown>>;
  /** How long to wait for the trigger at most. */
  readonly timeout?: DurationLike;
}

/**
 * Says that the attempt leaves its worker until a trigger fires.
 *
 * A control-flow signal and no `Error`: code that handles errors by `instanceof Error` lets it
 * pass. Code that catches everything swallows it, which the runner of the task detects.
 *
 * Source: Airflow, airflow.exceptions, TaskDeferred
 */
export class TaskDeferred {
  readonly name = "TaskDeferred";
  readonly trigger: unknown;
  readonly methodName: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly timeout: DurationLike | undefined;

  /** @throws {TypeError} when there is no trigger or method name, or JSON cannot say the kwargs */
  constructor({ trigger, methodName, kwargs = {}, timeout }: Deferral) {
    if (trigger === null || trigger === undefined) {
      throw new TypeError(`Cannot defer without a trigger: current value is ${trigger}`);
    }
    if (typeof methodName !== "string" || methodName === "") {
      throw new TypeError("Cannot defer without a method to go on with: name one");
    }
    this.trigger = trigger;
    this.methodName = methodName;
    this.kwargs = checkedJson(kwargs, "the kwargs of a deferral");
    this.timeout = timeout;
  }
}
