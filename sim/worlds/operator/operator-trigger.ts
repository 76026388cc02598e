import { SharedStreamManager } from "../../../src/shared-stream/mod.ts";
import { silentLogger } from "../../../src/time/mod.ts";
import {
  type DeferralTrigger,
  type SupervisorPort,
  TriggerRunner,
  type TriggerWorkload,
} from "../../../src/triggerer/mod.ts";
import type { Life } from "../../hosts/life.ts";
import { asStored } from "../../hosts/as-stored.ts";

/** What became of a deferral: the payload of its event, or how its trigger failed. */
export type DeferralEnd =
  | { readonly kind: "event"; readonly payload: unknown }
  | { readonly kind: "failed"; readonly error: string; readonly message: string };

const TRIGGER_ID = 1;
/** How long the process goes on when its triggers are over: calls that they began still arrive. */
const LAST_CALLS_MS = 1_000;

/** What runs the trigger of a deferral. */
export interface TriggererProcess {
  /** Whether the trigger waits: it has not fired, ended or failed. */
  readonly isWaiting: boolean;
  /** Has it end its trigger, as when it is asked to stop; calls back once that is over. */
  stop(onStopped: () => void): void;
  /** Has it tell its trigger that a user has ended the task; calls back once that is over. */
  kill(onOver: () => void): void;
}

/**
 * Runs the trigger of a deferral in this process, and calls `onEnd` once, in a step of its own; not
 * after the triggerer was stopped, or a user has ended the task.
 */
export function runTrigger(
  life: Life,
  timeoutAfter: number | undefined,
  createTrigger: () => DeferralTrigger,
  onEnd: (end: DeferralEnd) => void,
): TriggererProcess {
  const stop = new AbortController();
  let onKilled: (() => void) | undefined;
  let isWaiting = true;
  const create = (): DeferralTrigger => watched(createTrigger(), () => (isWaiting = false));
  const workload = {
    triggerId: TRIGGER_ID,
    ...(timeoutAfter === undefined ? {} : { timeoutAfter }),
  };
  const end = (how: DeferralEnd): void => {
    stop.abort();
    life.after(0, () => onEnd(how));
  };
  const endKilled = (): void => {
    stop.abort();
    life.after(LAST_CALLS_MS, onKilled as () => void);
  };
  const supervisor: SupervisorPort<TriggerWorkload> = {
    sync({ round, events: [first], failures: [failure], finished }) {
      const toCreate = round === 1 ? [workload] : [];
      const toKill = onKilled === undefined ? [] : [TRIGGER_ID];
      if (!stop.signal.aborted) {
        if (onKilled !== undefined) {
          if (finished.length > 0) endKilled();
        } else if (first !== undefined) {
          end({ kind: "event", payload: asStored(first.event.payload) });
        } else if (failure !== undefined) {
          const { error, message } = failure;
          end({ kind: "failed", error, message });
        }
      }
      return Promise.resolve({ toCreate, toCancel: [], toKill, persistedSeqs: [] });
    },
    assertEncodable: ({ payload }) => void asStored(payload),
  };
  const manager = new SharedStreamManager({ clock: life.clock, logger: silentLogger });
  const options = { runnerId: life.name, createTrigger: create, logger: silentLogger };
  const running = new TriggerRunner(life.clock, manager, supervisor, options)
    .run(stop.signal)
    .catch((error: unknown) => life.world.fail(error));
  return {
    get isWaiting() {
      return isWaiting;
    },
    stop(onStopped) {
      if (stop.signal.aborted) return;
      stop.abort();
      void running.then(() => life.after(LAST_CALLS_MS, onStopped));
    },
    kill: (onOver) => void (onKilled = onOver),
  };
}

/** The same trigger; `onOver` is called in the step in which its first event comes, or its end. */
function watched(trigger: DeferralTrigger, onOver: () => void): DeferralTrigger {
  return {
    run: (signal) => {
      const events = trigger.run(signal)[Symbol.asyncIterator]();
      const next = (): ReturnType<typeof events.next> => {
        const result = events.next();
        result.then(onOver, onOver);
        return result;
      };
      const end = events.return?.bind(events);
      const iterator = { next, ...(end === undefined ? {} : { return: end }) };
      return { [Symbol.asyncIterator]: () => iterator };
    },
    ...(trigger.onKill === undefined ? {} : { onKill: () => trigger.onKill?.() }),
    ...(trigger.cleanup === undefined ? {} : { cleanup: () => trigger.cleanup?.() }),
  };
}
