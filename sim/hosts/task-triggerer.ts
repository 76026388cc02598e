import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";
import {
  type DeferralTrigger,
  type SupervisorPort,
  type SyncReply,
  type SyncRequest,
  type TriggerEvent,
  type TriggerFailure,
  TriggerRunner,
  type TriggerWorkload,
} from "../../src/triggerer/mod.ts";
import type { Life } from "./life.ts";
import { asStored } from "./as-stored.ts";
import type { Deferred, TaskDatabase, TaskRow } from "./task-database.ts";

/** A deferral whose trigger is to be run. */
export interface DeferralWorkload extends TriggerWorkload {
  readonly row: TaskRow;
  readonly deferral: Deferred;
}

export interface TaskTriggererOptions {
  readonly database: string;
  readonly everyMs: number;
  /** Creates the trigger that the task left. */
  createTrigger(life: Life, workload: DeferralWorkload): DeferralTrigger;
  /** Called when one fails, whether or not that can be committed. */
  onFailure(row: TaskRow, failure: TriggerFailure): void;
}

/**
 * Starts one incarnation of the triggerer: it runs the trigger of each deferred task and commits
 * what that fires.
 *
 * Holds: its triggers die with it; the next incarnation starts them all again.
 */
export function startTaskTriggerer(
  life: Life,
  database: TaskDatabase,
  options: TaskTriggererOptions,
): void {
  const { everyMs } = options;
  const manager = new SharedStreamManager({ clock: life.clock, logger: silentLogger });
  const supervisor = new DeferralSupervisor(life, database, options);
  const runner = new TriggerRunner(life.clock, manager, supervisor, {
    runnerId: `${life.name}/${life.incarnation}`,
    createTrigger: (workload) => tracedTrigger(life, workload, options),
    logger: silentLogger,
    syncInterval: { milliseconds: everyMs },
  });
  // Until the host dies.
  runner.run(new AbortController().signal).catch((error: unknown) => life.world.fail(error));
}

/** Creates the trigger of a deferral; that is traced, and its clean-up. */
function tracedTrigger(
  life: Life,
  workload: DeferralWorkload,
  options: TaskTriggererOptions,
): DeferralTrigger {
  const trigger = options.createTrigger(life, workload);
  // The runner says what is wrong with it.
  if (typeof trigger.run !== "function") return trigger;
  const onKill = trigger.onKill?.bind(trigger);
  traceTrigger(life, workload, "created");
  return {
    run: (signal) => trigger.run(signal),
    ...(onKill !== undefined && { onKill }),
    cleanup() {
      traceTrigger(life, workload, "cleaned");
      return trigger.cleanup?.();
    },
  };
}

function traceTrigger(
  life: Life,
  { row, triggerId: trigger }: DeferralWorkload,
  state: "created" | "cleaned" | "over",
): void {
  life.trace({ kind: "deferral-trigger", task: row.name, trigger, state });
}

/** The triggerer's connection to the metadata database. */
class DeferralSupervisor implements SupervisorPort<DeferralWorkload> {
  readonly #life: Life;
  readonly #database: TaskDatabase;
  readonly #host: string;
  readonly #options: TaskTriggererOptions;
  /**
   * The deferrals whose triggers run. A fail-over may lose a deferral, and the one that the task
   * makes next has the same idempotency key.
   */
  readonly #running = new Map<Deferred, DeferralWorkload>();
  #triggers = 0;

  constructor(life: Life, database: TaskDatabase, options: TaskTriggererOptions) {
    this.#life = life;
    this.#database = database;
    this.#host = options.database;
    this.#options = options;
  }

  /** A commit that fails is made again with the same request; the database takes an event once. */
  async sync({ events, failures, finished }: SyncRequest): Promise<SyncReply<DeferralWorkload>> {
    for (const { triggerId, event } of events) {
      await this.#commit(triggerId, ({ row, deferral }) =>
        this.#database.fire(row, deferral, asStored(event.payload)),
      );
    }
    for (const failure of failures) {
      const row = this.#workload(failure.triggerId)?.row;
      if (row !== undefined) this.#options.onFailure(row, failure);
      await this.#commit(failure.triggerId, ({ row: failed, deferral }) => {
        const error = new Error(failure.error);
        this.#database.failDeferred(failed, deferral, error, this.#life.clock.wallNow());
      });
    }
    for (const triggerId of finished) this.#finish(triggerId);
    return this.#whatChanged();
  }

  assertEncodable({ payload }: TriggerEvent): void {
    asStored(payload);
  }

  async #whatChanged(): Promise<SyncReply<DeferralWorkload>> {
    const { waiting, killed } = await this.#life.callAsync("database.query", this.#host, async () =>
      this.#database.deferrals(),
    );
    const toCreate: DeferralWorkload[] = [];
    const over = new Map(this.#running);
    for (const { row, deferral, timeoutAfter } of waiting) {
      over.delete(deferral);
      if (this.#running.has(deferral)) continue;
      this.#triggers += 1;
      const timeout = timeoutAfter === undefined ? {} : { timeoutAfter };
      const workload = { triggerId: this.#triggers, row, deferral, ...timeout };
      this.#running.set(deferral, workload);
      toCreate.push(workload);
    }
    const ended = [...over.values()];
    const isKilled = ({ deferral }: DeferralWorkload): boolean => killed.has(deferral);
    return {
      toCreate,
      toCancel: ended.filter((one) => !isKilled(one)).map(({ triggerId }) => triggerId),
      toKill: ended.filter(isKilled).map(({ triggerId }) => triggerId),
      persistedSeqs: [],
    };
  }

  async #commit(triggerId: number, write: (workload: DeferralWorkload) => void): Promise<void> {
    const workload = this.#workload(triggerId);
    if (workload === undefined) return;
    await this.#life.callAsync("trigger.commit", this.#host, async () => write(workload));
  }

  #finish(triggerId: number): void {
    const workload = this.#workload(triggerId);
    if (workload === undefined) return;
    this.#running.delete(workload.deferral);
    traceTrigger(this.#life, workload, "over");
  }

  #workload(triggerId: number): DeferralWorkload | undefined {
    return [...this.#running.values()].find((workload) => workload.triggerId === triggerId);
  }
}
