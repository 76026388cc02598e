import type { TaskDeferred } from "../../../src/operator/mod.ts";
import { SharedStreamManager } from "../../../src/shared-stream/mod.ts";
import { millisecondsFrom, silentLogger } from "../../../src/time/mod.ts";
import {
  type DeferralTrigger,
  type SupervisorPort,
  TriggerRunner,
  type TriggerWorkload,
} from "../../../src/triggerer/mod.ts";
import type { Life } from "../../hosts/life.ts";

/** What became of a deferral: the payload of its event, or how its trigger failed. */
export type DeferralEnd =
  | { readonly kind: "event"; readonly payload: unknown }
  | { readonly kind: "failed"; readonly error: string };

/** Returns when a deferral that is made now times out, as epoch milliseconds; undefined: never. */
export function timeoutOf({ timeout }: TaskDeferred, { clock }: Life): number | undefined {
  return timeout === undefined ? undefined : clock.wallNow() + millisecondsFrom(timeout, "timeout");
}

/** How long the process goes on when its triggers are over: calls that they began still arrive. */
const LAST_CALLS_MS = 1_000;

/** Has a triggerer end its triggers, as when it is asked to stop; calls back once they are over. */
export type StopTriggerer = (onStopped: () => void) => void;

/**
 * Runs the trigger of a deferral in this process, and calls `onEnd` once, in a step of its own; not
 * after the triggerer was stopped.
 */
export function runTrigger(
  life: Life,
  timeoutAfter: number | undefined,
  createTrigger: () => DeferralTrigger,
  onEnd: (end: DeferralEnd) => void,
): StopTriggerer {
  const stop = new AbortController();
  const workload = { triggerId: 1, ...(timeoutAfter === undefined ? {} : { timeoutAfter }) };
  const end = (how: DeferralEnd): void => {
    stop.abort();
    life.after(0, () => onEnd(how));
  };
  const supervisor: SupervisorPort<TriggerWorkload> = {
    sync({ round, events: [first], failures: [failure] }) {
      if (!stop.signal.aborted) {
        if (first !== undefined) end({ kind: "event", payload: first.event.payload });
        else if (failure !== undefined) end({ kind: "failed", error: failure.error });
      }
      const toCreate = round === 1 ? [workload] : [];
      return Promise.resolve({ toCreate, toCancel: [], persistedSeqs: [] });
    },
  };
  const manager = new SharedStreamManager({ clock: life.clock, logger: silentLogger });
  const options = { runnerId: life.name, createTrigger, logger: silentLogger };
  const running = new TriggerRunner(life.clock, manager, supervisor, options)
    .run(stop.signal)
    .catch((error: unknown) => life.world.fail(error));
  return (onStopped) => {
    if (stop.signal.aborted) return;
    stop.abort();
    void running.then(() => life.after(LAST_CALLS_MS, onStopped));
  };
}
