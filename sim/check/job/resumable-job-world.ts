import {
  type ExecutionContext,
  type KillCategory,
  type TaskContext,
  TaskCheckpointed,
  TaskKilled,
} from "../../../src/operator/mod.ts";
import {
  EXTERNAL_ID_KEY_DEFAULT,
  type MaybePromise,
  type ResumableJob,
  resumeOrSubmit,
} from "../../../src/resumable/mod.ts";
import { MemoryStateBackend, TaskStateStore } from "../../../src/store/mod.ts";
import { type Clock, silentLogger } from "../../../src/time/mod.ts";
import { InjectedFault } from "../../faults/injector.ts";
import { strikeNth } from "../../faults/rule.ts";
import { PASS } from "../../faults/verdict.ts";
import { CallTimedOut } from "../../hosts/call.ts";
import { Host } from "../../hosts/host.ts";
import type { Life } from "../../hosts/life.ts";
import { TracedStore, scopeText } from "../../hosts/traced-store.ts";
import { Network } from "../../hosts/network.ts";
import type { JobClient } from "../../jobs/job-client.ts";
import { JobConflict } from "../../jobs/job-errors.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import { JobSystem } from "../../jobs/job-system.ts";
import type { World } from "../../kernel/world.ts";
import { HeardJobClient, heardJob } from "./resumable-job-face.ts";
import { type JobAct, type JobPlan, knobsOf } from "./resumable-job-plan.ts";
import { JobWitness } from "./resumable-job-witness.ts";

/** What an attempt has at hand beside the client of the job system. */
export interface JobSurroundings {
  /** Virtual; the globals (`setTimeout`, `Date`) are, too. */
  readonly clock: Clock;
  /** The logical key of the task: the same in every attempt. */
  readonly task: string;
  readonly tryNumber: number;
  readonly xcom: { push(key: string, value: unknown): Promise<void> };
}

/** The six methods, and what an operator adds to them. */
export interface CheckedJob extends ResumableJob<unknown, unknown> {
  /** Called when an attempt is killed softly; without it, such a kill leaves the job alone. */
  onKill?(executionContext: ExecutionContext | null): MaybePromise<unknown>;
  /** As the mixin takes them: of this instance, or statics of its class. */
  readonly externalIdKey?: string;
  readonly durable?: boolean;
}

/** Makes the job of one attempt, in a process of its own: nothing else may be remembered. */
export type CreateJob = (client: JobClient, surroundings: JobSurroundings) => CheckedJob;

export const JOB_SYSTEM_HOST = "jobs";
const API = "api";
const STORE = "store";
/** The logical key of the task that a job is checked in. */
export const JOB_TASK = "etl/run-1/load";
const SCOPE = {
  kind: "task-instance",
  dagId: "etl",
  runId: "run-1",
  taskId: "load",
  mapIndex: -1,
} as const;
const RESTART_MS = 3_000;
/** The usual pause before a retry. */
const RETRY_MS = 2_000;
const GRACE_MS = 30_000;
/** So many attempts a task may need once all is calm, beside one for each job that must fail. */
const CALM_ATTEMPTS_MAX = 5;

/** How an attempt ended, in a few words. */
interface Ending {
  readonly outcome: "success" | "failed" | "killed" | "lost";
  readonly error?: unknown;
}

/** The world of one plan: a job system, a store, and attempts of one task, one after the other. */
export class JobWorld {
  readonly witness: JobWitness;
  readonly #world: World;
  readonly #plan: JobPlan;
  readonly #create: CreateJob;
  readonly #expected: string | undefined;
  readonly #network: Network<Host>;
  readonly #system: JobSystem;
  readonly #systemHost: Host;
  readonly #store: TracedStore;
  #attempts = 0;
  #calmAttempts = 0;
  #strangers = 0;
  #isCalm = false;
  #checkpointedId: unknown;
  #lastEnding = "";
  /** What the task ended with, as text; undefined while it has not. */
  #result: string | undefined;
  #isOver = false;

  constructor(
    world: World,
    plan: JobPlan,
    test: { readonly createJob: CreateJob; readonly knobs: JobSystemKnobs },
    expected: string | undefined,
  ) {
    this.#world = world;
    this.#plan = plan;
    this.#create = test.createJob;
    this.#expected = expected;
    this.#network = new Network<Host>(world);
    const knobs = knobsOf(plan, test.knobs);
    this.#system = new JobSystem(world, JOB_SYSTEM_HOST, knobs);
    this.#systemHost = new Host(world, this.#network, JOB_SYSTEM_HOST, ({ incarnation }) => {
      if (incarnation > 1) this.#system.restart();
    });
    this.#store = new TracedStore(world, STORE, new MemoryStateBackend());
    this.witness = new JobWitness(world, JOB_TASK, knobs);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get result(): string | undefined {
    return this.#result;
  }

  get attempts(): number {
    return this.#attempts;
  }

  start(): void {
    this.#systemHost.start();
    for (const act of this.#plan.acts) this.#schedule(act);
    this.#attempt();
  }

  calmDown(): void {
    this.#isCalm = true;
    this.#systemHost.start();
  }

  /** The calm was long enough, and the task has not ended. */
  giveUp(): void {
    this.witness.stuck(
      `the task has not ended after ${this.#attempts} attempts; ${this.#lastEnding || "the first one goes on for ever"}`,
    );
  }

  #schedule(act: JobAct): void {
    const { injector } = this.#world;
    switch (act.kind) {
      case "strike":
        injector.install(strikeNth({ site: act.site }, act.verdict, act.nth, 1));
        break;
      case "status-errors":
        injector.install({
          name: "status errors",
          decide: ({ site }, now) => {
            const isIn = site === "job.status" && now >= act.at && now < act.at + act.ms;
            return isIn ? { kind: "fail", when: "before" } : PASS;
          },
        });
        break;
      case "restart":
        this.#at(act.at, () => this.#systemHost.crash(RESTART_MS));
        break;
      case "stranger":
        this.#at(act.at, () => this.#submitStranger());
        break;
      case "mode":
      case "lost":
      case "kill":
      case "pause":
        break;
      default:
        act satisfies never;
    }
  }

  #at(ms: number, fn: () => void): void {
    this.#world.schedule(ms, { lane: "plan", hop: false }, () => {
      if (!this.#isCalm) fn();
    });
  }

  /** Somebody else's job; where names are free again, under a name that the task had. */
  #submitStranger(): void {
    if (!this.#systemHost.isUp) return;
    this.#strangers += 1;
    const owner = `other/${this.#strangers}`;
    const isNamed = this.#system.knobs.idKind === "object";
    const names = isNamed ? [...this.witness.keys, owner] : [owner];
    for (const clientId of names) {
      try {
        this.#system.submit({ owner, jobType: "batch", tag: owner, clientId });
        return;
      } catch (error) {
        if (!(error instanceof JobConflict)) return;
      }
    }
  }

  #attempt(): void {
    this.#attempts += 1;
    if (this.#isCalm) this.#calmAttempts += 1;
    const { failFirst } = this.#system.knobs;
    if (this.#calmAttempts > CALM_ATTEMPTS_MAX + failFirst) {
      this.giveUp();
      return;
    }
    const number = this.#attempts;
    const host = new Host(this.#world, this.#network, `attempt-${number}`, (life) =>
      this.#boot(life, number),
    );
    host.start();
  }

  #boot(life: Life, number: number): void {
    let isEnded = false;
    const end = (ending: Ending): void => {
      if (isEnded) return;
      isEnded = true;
      this.#ended(life, number, ending);
    };
    life.onDeath(() => this.#world.schedule(0, { lane: "plan" }, () => end({ outcome: "lost" })));
    const scope = scopeText(SCOPE);
    const start = "execute";
    life.trace({
      kind: "attempt",
      task: JOB_TASK,
      attempt: number,
      tryNumber: number,
      scope,
      start,
    });
    const client = new HeardJobClient(life, this.#system, JOB_TASK, this.witness);
    const abort = new AbortController();
    let job: CheckedJob;
    try {
      job = this.#create(client, surroundingsOf(life, number, this.witness));
    } catch (error) {
      life.after(0, () => end({ outcome: "failed", error }));
      return;
    }
    const { externalIdKey, durable } = optionsOf(job);
    this.witness.begin(number, externalIdKey);
    this.#scheduleKills(life, number, { job, abort, end });
    const ctx = this.#context(life, number, abort.signal);
    resumeOrSubmit(heardJob(job, this.witness), ctx, {
      externalIdKey,
      durable,
      checkpointedId: this.#checkpointedId,
      telemetry: { operator: job.constructor.name },
    }).then(
      (result) => {
        if (abort.signal.aborted) return;
        this.#result = this.#textFrom(result);
        life.after(0, () => end({ outcome: "success" }));
      },
      (error: unknown) => {
        if (!abort.signal.aborted) life.after(0, () => end({ outcome: "failed", error }));
      },
    );
  }

  #ended(life: Life, number: number, { outcome, error }: Ending): void {
    const name = error instanceof Error ? error.name : typeof error;
    const failure = outcome === "failed" ? name : "";
    life.trace({ kind: "attempt-ended", task: JOB_TASK, attempt: number, outcome, error: failure });
    life.host.stop();
    const message = error instanceof Error ? error.message : "";
    const why = failure === "" ? "" : ` by ${failure}: ${message}`;
    this.#lastEnding = `the last one ended as ${outcome}${why}`;
    if (outcome === "success") {
      this.witness.ended(this.#result ?? "", this.#expected);
      this.finish();
    } else if (!this.#isOver) {
      this.#world.schedule(this.#pauseBefore(number + 1), { lane: "plan" }, () => this.#attempt());
    }
  }

  finish(): void {
    this.#isOver = true;
    this.#world.end();
  }

  #pauseBefore(attempt: number): number {
    const pause = this.#plan.acts.find((act) => act.kind === "pause" && act.attempt === attempt);
    return pause?.kind === "pause" && !this.#isCalm ? pause.ms : RETRY_MS;
  }

  #scheduleKills(
    life: Life,
    number: number,
    parts: {
      readonly job: CheckedJob;
      readonly abort: AbortController;
      readonly end: (ending: Ending) => void;
    },
  ): void {
    for (const act of this.#plan.acts) {
      if ((act.kind !== "lost" && act.kind !== "kill") || act.attempt !== number) continue;
      life.after(act.afterMs, () => {
        if (this.#isCalm) return;
        if (act.kind === "lost") life.host.crash();
        else this.#kill(life, number, act.category, parts);
      });
    }
  }

  #kill(
    life: Life,
    number: number,
    category: KillCategory,
    {
      job,
      abort,
      end,
    }: {
      readonly job: CheckedJob;
      readonly abort: AbortController;
      readonly end: (ending: Ending) => void;
    },
  ): void {
    if (abort.signal.aborted) return;
    life.trace({ kind: "kill", task: JOB_TASK, attempt: number, category, grace: GRACE_MS });
    this.witness.kill(category);
    abort.abort(new TaskKilled({ category }));
    const over = (): void => {
      if (job.onKill !== undefined) this.witness.killEnded();
      end({ outcome: "killed" });
      // A task that its user has stopped is not tried again.
      if (category === "user") this.finish();
    };
    const soon = (): unknown => life.after(0, over);
    life.after(GRACE_MS, over);
    const answer = (async () => job.onKill?.({ category }))();
    answer.then(soon, (error: unknown) => {
      if (error instanceof TaskCheckpointed) this.#checkpointedId = error.remoteJobId;
      soon();
    });
  }

  #context(life: Life, tryNumber: number, signal: AbortSignal): TaskContext {
    const { clock } = life;
    const store = new TaskStateStore(this.#store.as(tryNumber), SCOPE, { clock });
    const { dagId, runId, taskId, mapIndex } = SCOPE;
    const taskStateStore = {
      get: (key: string) => life.callAsync("api.get-task-state", API, () => store.get(key)),
      set: async (key: string, value: string | number | boolean | object): Promise<void> => {
        this.witness.sends(key);
        try {
          await life.callAsync("api.set-task-state", API, () => store.set(key, value as string));
        } catch (error) {
          const isFault = error instanceof InjectedFault || error instanceof CallTimedOut;
          if (!isFault) this.witness.refused(key);
          throw error;
        }
      },
    };
    const logger = silentLogger;
    return { dagId, runId, taskId, mapIndex, tryNumber, signal, logger, taskStateStore };
  }

  /** A result as text, in which the task's own job is no matter which. */
  #textFrom(result: unknown): string {
    const { ids } = this.witness;
    const text = JSON.stringify(result, (_key, value: unknown) => {
      const word = typeof value === "bigint" ? String(value) : value;
      const name = typeof word === "string" ? word : JSON.stringify(word);
      return ids.has(name) ? "the job's id" : word;
    });
    return text ?? String(result);
  }
}

function optionsOf(job: CheckedJob): Required<Pick<CheckedJob, "externalIdKey" | "durable">> {
  const ofClass = job.constructor as Pick<CheckedJob, "externalIdKey" | "durable">;
  return {
    externalIdKey: job.externalIdKey ?? ofClass.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT,
    durable: job.durable ?? ofClass.durable ?? true,
  };
}

function surroundingsOf(life: Life, tryNumber: number, witness: JobWitness): JobSurroundings {
  const push = (): Promise<void> => {
    witness.calls();
    return life.call("api.xcom", API, () => undefined);
  };
  return { clock: life.clock, task: JOB_TASK, tryNumber, xcom: { push } };
}
