import {
  type KillCategory,
  type TaskContext,
  TaskCheckpointed,
  TaskDeferred,
  TaskKilled,
  TaskRescheduled,
  UnknownResumeMethod,
} from "../../../src/operator/mod.ts";
import { EXTERNAL_ID_KEY_DEFAULT, resumeOrSubmit } from "../../../src/resumable/mod.ts";
import { contextStores } from "../../../src/store/mod.ts";
import { silentLogger } from "../../../src/time/mod.ts";
import { ApiStateBackend, type AttemptApi } from "../../hosts/api-server.ts";
import type { Life } from "../../hosts/life.ts";
import { JobClient } from "../../jobs/job-client.ts";
import type { JobSystem } from "../../jobs/job-system.ts";
import { observedJob } from "../../jobs/observed-job.ts";
import { tracedDecisions } from "../../workloads/traced-telemetry.ts";
import type { CheckedJob, CreateJob, JobSurroundings } from "./operator-under-test.ts";

/** The host that serves the state store and XComs; it does not fail. */
const API = "api";
/** How long a killed attempt may still take. */
const GRACE_MS = 30_000;

/** The task that an operator is run in. */
export const OPERATOR_TASK = "etl/run-1/load";
export const OPERATOR_SCOPE = {
  kind: "task-instance",
  dagId: "etl",
  runId: "run-1",
  taskId: "load",
  mapIndex: -1,
} as const;

/**
 * How an attempt ended. `terminated`: killed, and its operator has no `onKill`, so that it could
 * not decide about its job.
 */
export interface AttemptEnding {
  readonly outcome:
    | "success"
    | "failed"
    | "deferred"
    | "rescheduled"
    | "killed"
    | "terminated"
    | "lost";
  readonly error?: unknown;
  readonly result?: unknown;
  /** What it waits for; present if it was deferred. */
  readonly deferral?: TaskDeferred;
  /** When it goes on at the earliest, in milliseconds since the epoch; present if it says so. */
  readonly rescheduleAt?: number;
  readonly killedBy?: KillCategory;
  /** The id that a killed operator left for the next attempt. */
  readonly checkpointedId?: unknown;
}

/** How an attempt begins that handles the event of a deferral. */
export type EventStart = Pick<TaskDeferred, "methodName" | "kwargs"> & { readonly event: unknown };

/** What an attempt runs with. */
export interface AttemptParts {
  readonly number: number;
  /** Which try it is part of: a deferral and a reschedule use up none. */
  readonly tryNumber: number;
  readonly createJob: CreateJob;
  readonly system: JobSystem;
  readonly store: Pick<AttemptApi, "getState" | "writeState">;
  /** The id that an earlier attempt left when it was killed. */
  readonly checkpointedId: unknown;
  /** The event of a deferral with which it begins. */
  readonly start: EventStart | undefined;
  /** Called once, in a step of its own. */
  readonly onEnd: (ending: AttemptEnding) => void;
}

/** One attempt of the task, in a process of its own. */
export class OperatorAttempt {
  readonly #life: Life;
  readonly #parts: AttemptParts;
  readonly #abort = new AbortController();
  #job: CheckedJob | undefined;
  #isEnded = false;

  constructor(life: Life, parts: AttemptParts) {
    this.#life = life;
    this.#parts = parts;
  }

  /** Creates the operator; false where its factory throws, which ends the attempt. */
  create(): boolean {
    const life = this.#life;
    const { number, tryNumber, createJob, system } = this.#parts;
    const client = new JobClient(life, system, OPERATOR_TASK, number);
    try {
      this.#job = createJob(client, surroundingsOf(life, tryNumber));
      return true;
    } catch (error) {
      life.after(0, () => this.end({ outcome: "failed", error }));
      return false;
    }
  }

  /** Runs the operator that was created; nothing of it is left when the process dies. */
  run(): void {
    const life = this.#life;
    const job = this.#job as CheckedJob;
    const { number, checkpointedId, start } = this.#parts;
    const { signal } = this.#abort;
    const resume = (ctx: TaskContext): Promise<unknown> =>
      resumeOrSubmit(observedJob(job, life, number), ctx, {
        ...settingsOf(job),
        checkpointedId,
        telemetry: { operator: job.constructor.name, tracer: tracedDecisions(life, number) },
      });
    const context = this.#context(signal);
    const begin = (): Promise<unknown> => {
      if (start !== undefined) return handle(job, context, start);
      const isOwn = checkpointedId === undefined && hasOwnExecute(job);
      return isOwn ? execute(job, context, resume) : resume(context);
    };
    begin().then(
      (result) => {
        if (!signal.aborted) life.after(0, () => this.end({ outcome: "success", result }));
      },
      (error: unknown) => {
        if (!signal.aborted) life.after(0, () => this.end(endingBy(error, job)));
      },
    );
  }

  /** Tells the attempt to stop; it ends when its operator has reacted, or its grace is over. */
  kill(category: KillCategory): void {
    const life = this.#life;
    const job = this.#job;
    const { signal } = this.#abort;
    if (signal.aborted || job === undefined) return;
    const { number: attempt } = this.#parts;
    life.trace({ kind: "kill", task: OPERATOR_TASK, attempt, category, grace: GRACE_MS });
    this.#abort.abort(new TaskKilled({ category }));
    const outcome = job.onKill === undefined ? "terminated" : "killed";
    let ending: AttemptEnding = { outcome, killedBy: category };
    const end = (): void => this.end(ending);
    life.after(GRACE_MS, end);
    const reaction = (async () => job.onKill?.({ category }))();
    reaction.then(
      () => life.after(0, end),
      (error: unknown) => {
        if (error instanceof TaskCheckpointed) {
          ending = { ...ending, checkpointedId: error.remoteJobId };
        }
        life.after(0, end);
      },
    );
  }

  end(ending: AttemptEnding): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#parts.onEnd(ending);
  }

  #context(signal: AbortSignal): TaskContext {
    const life = this.#life;
    const { number, tryNumber, store } = this.#parts;
    const server: AttemptApi = {
      ...store,
      pushXcom: () => Promise.resolve(),
      pullXcom: () => Promise.resolve(undefined),
    };
    const backend = new ApiStateBackend(life, { host: API, server: () => server }, number);
    const { kind: _, ...key } = OPERATOR_SCOPE;
    const stores = contextStores(backend, key, { clock: life.clock });
    return { ...key, ...stores, tryNumber, signal, logger: silentLogger };
  }
}

/** Whether there is an `execute` beside that of `BaseOperator`, which only throws. */
function hasOwnExecute(job: CheckedJob): boolean {
  let owner: object | null = job;
  while (owner !== null && !Object.hasOwn(owner, "execute"))
    owner = Object.getPrototypeOf(owner) as object | null;
  return owner !== null && !Object.hasOwn(owner, "defer");
}

function endingBy(error: unknown, job: CheckedJob): AttemptEnding {
  if (error instanceof TaskRescheduled) {
    return { outcome: "rescheduled", rescheduleAt: error.rescheduleAt };
  }
  const isDeferred = error instanceof TaskDeferred && job.createTrigger !== undefined;
  return isDeferred ? { outcome: "deferred", deferral: error } : { outcome: "failed", error };
}

/** Calls the method that a deferral names. */
async function handle(
  job: CheckedJob,
  ctx: TaskContext,
  { methodName, event, kwargs }: EventStart,
): Promise<unknown> {
  const method = (job as unknown as Readonly<Record<string, unknown>>)[methodName];
  if (typeof method !== "function") throw new UnknownResumeMethod(job.constructor.name, methodName);
  return (await method.call(job, ctx, event, kwargs)) as unknown;
}

/**
 * Calls the `execute` of an operator, in which `executeResumable` of the mixin is `resume`. One that
 * defers and creates no trigger is continued by polling.
 */
async function execute(
  job: CheckedJob,
  ctx: TaskContext,
  resume: (ctx: TaskContext) => Promise<unknown>,
): Promise<unknown> {
  // The mixin would call the methods of the job itself, and nobody would observe them.
  if ("executeResumable" in job && Object.isExtensible(job))
    Object.defineProperty(job, "executeResumable", { value: resume, configurable: true });
  try {
    return await job.execute?.(ctx);
  } catch (error) {
    if (error instanceof TaskDeferred && job.createTrigger === undefined) return await resume(ctx);
    throw error;
  }
}

function settingsOf(job: CheckedJob): Required<Pick<CheckedJob, "externalIdKey" | "durable">> {
  const ofClass = job.constructor as Pick<CheckedJob, "externalIdKey" | "durable">;
  return {
    externalIdKey: job.externalIdKey ?? ofClass.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT,
    durable: job.durable ?? ofClass.durable ?? true,
  };
}

export function surroundingsOf(life: Life, tryNumber: number): JobSurroundings {
  const push = (): Promise<void> => life.call("api.xcom", API, () => undefined);
  return { clock: life.clock, task: OPERATOR_TASK, tryNumber, xcom: { push } };
}
