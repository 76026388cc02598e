import type { StreamKey } from "../shared-stream/mod.ts";
import type { TimerHandle } from "../time/mod.ts";
import type { TriggerHooks } from "./deferral-trigger.ts";
import type { TriggerEvent } from "./trigger-event.ts";

/** A trigger from its creation until its end has been reported to the supervisor. */
export interface RunningTrigger {
  readonly triggerId: number;
  readonly abort: AbortController;
  key: StreamKey | null;
  iterator: AsyncIterator<TriggerEvent> | undefined;
  state: "running" | "ending" | "over";
  /** Settles once it is over. */
  ending: Promise<void>;
  /** How many events it has fired. */
  fired: number;
  /** Called when it is over. */
  hooks: TriggerHooks;
  /** Whether a user has ended what it runs for. */
  isKilled: boolean;
  /** Whether it has failed if it ends without an event, as the trigger of a deferral. */
  mustFire: boolean;
  /** Ends it when its deferral times out. */
  timer: TimerHandle | undefined;
}

/** What a trigger threw, which may be undefined. */
export interface Failure {
  readonly error: unknown;
}

/** Returns a trigger that was not started yet. */
export function runningTrigger(triggerId: number): RunningTrigger {
  return {
    triggerId,
    abort: new AbortController(),
    key: null,
    iterator: undefined,
    state: "running",
    ending: Promise.resolve(),
    fired: 0,
    hooks: {},
    isKilled: false,
    mustFire: false,
    timer: undefined,
  };
}
