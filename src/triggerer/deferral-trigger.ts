import { recogniseAnyCopy } from "../any-copy.ts";
import type { TriggerEvent } from "./trigger-event.ts";

/** What a runner calls when a trigger is over. What these throw is logged and changes nothing. */
export interface TriggerHooks {
  /**
   * Called first when a user has ended the deferred task: cleared, stopped or marked it. The place
   * to cancel the external job. Not called after a time-out, nor when the triggerer stops, because
   * the trigger then goes on elsewhere.
   */
  onKill?(): void | Promise<void>;
  /** Called once the trigger is over, for whatever reason but the loss of its process. */
  cleanup?(): void | Promise<void>;
}

/**
 * What waits in the triggerer for a deferred task, which resumes with its first event.
 *
 * Holds, for every implementation: `run` can begin again in another triggerer at any time, because
 * whatever it needs came with the deferral.
 *
 * @example
 * ```ts
 * import { type DeferralTrigger, TriggerEvent } from "faultlane";
 *
 * const trigger: DeferralTrigger = {
 *   async *run() {
 *     yield new TriggerEvent("SUCCESS");
 *   },
 * };
 * const { signal } = new AbortController();
 * for await (const { payload } of trigger.run(signal)) console.log(payload); // => SUCCESS
 * ```
 *
 * Source: Airflow 3.3, airflow.triggers.base, BaseTrigger
 */
export interface DeferralTrigger extends TriggerHooks {
  /** Waits, and fires. The signal aborts when the trigger is cancelled or has timed out. */
  run(signal: AbortSignal): AsyncIterable<TriggerEvent>;
}

/** The deferral timed out before its trigger fired, and the task's try fails. */
export class TaskDeferralTimeout extends Error {
  static {
    recogniseAnyCopy(this, "TaskDeferralTimeout");
  }

  override readonly name = "TaskDeferralTimeout";

  constructor() {
    super("The trigger did not fire within the timeout of the deferral");
  }
}

/** The trigger ended and fired nothing, so that the deferred task's try fails. */
export class TriggerFiredNothing extends Error {
  static {
    recogniseAnyCopy(this, "TriggerFiredNothing");
  }

  override readonly name = "TriggerFiredNothing";

  constructor() {
    super("The trigger of a deferral ended without an event");
  }
}
