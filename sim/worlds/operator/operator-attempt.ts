import {
  type CallResult,
  resultOf,
  resumeMethodOf,
  swallowedIn,
  takeRaised,
  type TaskContext,
  TaskCheckpointed,
  TaskDeferred,
  TaskKilled,
  TaskRescheduled,
} from "../../../src/operator/mod.ts";
import {
  EXTERNAL_ID_KEY_DEFAULT,
  resumeOrSubmit,
  type ResumeTelemetry,
} from "../../../src/resumable/mod.ts";
import { contextStores } from "../../../src/store/mod.ts";
import { silentLogger } from "../../../src/time/mod.ts";
import { ApiStateBackend, type AttemptApi } from "../../hosts/api-server.ts";
import { storedArguments } from "../../hosts/as-stored.ts";
import type { Life } from "../../hosts/life.ts";
import { JobClient } from "../../jobs/job-client.ts";
import type { JobSystem } from "../../jobs/job-system.ts";
import { observedJob } from "../../jobs/observed-job.ts";
import { tracedDecisions } from "../../workloads/traced-telemetry.ts";
import type { AttemptFault } from "./operator-scenario.ts";
import type { OperatorTask } from "./operator-task.ts";
import type { CheckedJob, CreateJob, JobSurroundings } from "./operator-under-test.ts";
import type { Uses } from "./uses-in.ts";

type KillCause = Extract<AttemptFault, { readonly killAttempt: number }>["category"];

/** The host that serves the state store and XComs; it does not fail. */
const API = "api";
/** How long a killed attempt may still take. */
export const GRACE_MS = 30_000;
/** The method that a checkpoint names by default, which the mixin has. */
const RESUME_METHOD = "resumeJob";

/**
 * How an attempt ended. `terminated`: killed, and its operator has no `onKill`, so that it could
 * not decide about its job.
 */
export interface AttemptEnding {
  readonly outcome:
    | "success"
    | "failed"
    | "deferred"
    | "checkpointed"
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
  readonly killedBy?: KillCause;
  /** What a killed operator left for the next attempt. */
  readonly checkpoint?: TaskCheckpointed;
}

/** How an attempt begins that resumes from a checkpoint, or handles the event of a deferral. */
export interface AttemptStart extends Pick<TaskDeferred, "methodName" | "kwargs"> {
  readonly kind: "resume" | "event";
  /** The id of the checkpoint's job, or the event. */
  readonly argument: unknown;
}

/** What an attempt runs with. */
export interface AttemptParts {
  readonly task: OperatorTask;
  readonly number: number;
  /** Which try it is part of: a deferral and a reschedule use up none. */
  readonly tryNumber: number;
  readonly createJob: CreateJob;
  readonly system: JobSystem;
  readonly store: Pick<AttemptApi, "getState" | "writeState">;
  /** How its operator runs several jobs. */
  readonly uses: Uses;
  /** Undefined: it begins from the beginning. */
  readonly start: AttemptStart | undefined;
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
    const { task, number, tryNumber, createJob, system } = this.#parts;
    const client = new JobClient(life, system, task.key, number);
    try {
      this.#job = createJob(client, surroundingsOf(life, task, tryNumber));
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
    const { signal } = this.#abort;
    const context = this.#context(signal);
    this.#observeMixin(job);
    const { durable, externalIdKey: key } = settingsOf(job);
    const { number: attempt, uses } = this.#parts;
    const { keys } = uses;
    if (!durable) life.trace({ kind: "not-durable", attempt, key });
    if (keys.length > 0) {
      life.trace({ kind: "uses", attempt, keys, ...(uses.areAtOnce && { areAtOnce: true }) });
    }
    takeRaised(job);
    void resultOf(() => this.#begin(job, context)).then((result) => {
      if (!signal.aborted) life.after(0, () => this.end(this.#endingBy(job, result)));
    });
  }

  /** Tells the attempt to stop; it ends when its operator has reacted, or its grace is over. */
  kill(category: KillCause): void {
    const life = this.#life;
    const job = this.#job;
    const { signal } = this.#abort;
    if (signal.aborted || job === undefined) return;
    const { task, number: attempt } = this.#parts;
    life.trace({ kind: "kill", task: task.key, attempt, category, grace: GRACE_MS });
    const executionContext = category === "unknown" ? null : { category };
    this.#abort.abort(executionContext === null ? undefined : new TaskKilled(executionContext));
    const outcome = job.onKill === undefined ? "terminated" : "killed";
    let ending: AttemptEnding = { outcome, killedBy: category };
    const end = (): void => this.end(ending);
    life.after(GRACE_MS, end);
    void resultOf(() => job.onKill?.(executionContext)).then((result) => {
      if (result.kind === "threw" && result.error instanceof TaskCheckpointed) {
        ending = { ...checkpointedBy(result.error), killedBy: category };
      }
      life.after(0, end);
    });
  }

  end(ending: AttemptEnding): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#parts.onEnd(ending);
  }

  /** Calls what the operator brings for this start; what it does not bring is that of the mixin. */
  async #begin(job: CheckedJob, ctx: TaskContext): Promise<unknown> {
    const { start } = this.#parts;
    if (start?.kind === "event") return call(job, start, ctx);
    const checkpointedId = start?.argument;
    const isNamed = start !== undefined && start.methodName !== RESUME_METHOD;
    const isOwn = hasOwnExecute(job) || isNamed || (start !== undefined && RESUME_METHOD in job);
    if (!isOwn) return this.#resume(job, ctx, checkpointedId);
    try {
      return await (start === undefined ? job.execute?.(ctx) : call(job, start, ctx));
    } catch (error) {
      if (!(error instanceof TaskDeferred) || job.createTrigger !== undefined) throw error;
      // Nothing of it can wait in the triggerer: it is continued by polling.
      takeRaised(job);
      return this.#resume(job, ctx, checkpointedId);
    }
  }

  #resume(job: CheckedJob, ctx: TaskContext, checkpointedId: unknown): Promise<unknown> {
    const telemetry = this.#telemetryOf(job);
    return resumeOrSubmit(job, ctx, { ...settingsOf(job), checkpointedId, telemetry });
  }

  /** Lets the mixin of an operator, if it has it, call a job whose calls are traced. */
  #observeMixin(job: CheckedJob): void {
    if (!("executeResumable" in job) || !Object.isExtensible(job)) return;
    const value = this.#telemetryOf(job);
    Object.defineProperty(job, "telemetry", { value, configurable: true, writable: true });
  }

  #telemetryOf(job: CheckedJob): ResumeTelemetry {
    const life = this.#life;
    const { number } = this.#parts;
    return {
      operator: job.constructor.name,
      tracer: tracedDecisions(life, number),
      observe: (one) => observedJob(one, life, number),
    };
  }

  #endingBy(job: CheckedJob, result: CallResult<unknown>): AttemptEnding {
    const where = `${job.constructor.name}.${this.#parts.start?.methodName ?? "execute"}`;
    const swallowed = swallowedIn(job, result, where);
    if (swallowed !== undefined) return { outcome: "failed", error: swallowed };
    if (result.kind === "threw") return endingBy(result.error, job);
    return { outcome: "success", result: result.value };
  }

  #context(signal: AbortSignal): TaskContext {
    const life = this.#life;
    const { task, number, tryNumber, store } = this.#parts;
    const server: AttemptApi = {
      ...store,
      pushXcom: () => Promise.resolve(),
      pullXcom: () => Promise.resolve(undefined),
    };
    const backend = new ApiStateBackend(life, { host: API, server: () => server }, number);
    const { kind: _, ...key } = task.scope;
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
  if (error instanceof TaskCheckpointed) return checkpointedBy(error);
  const isDeferred = error instanceof TaskDeferred && job.createTrigger !== undefined;
  if (!isDeferred) return { outcome: "failed", error };
  try {
    const { trigger, methodName, kwargs, timeout } = error;
    // Checked again, as a runner does: the operator may have changed what it left.
    const checked = new TaskDeferred({ trigger, methodName, kwargs, timeout });
    const deferral = new TaskDeferred({ ...storedArguments(checked), methodName, timeout });
    return { outcome: "deferred", deferral };
  } catch (unwritable) {
    return { outcome: "failed", error: unwritable };
  }
}

/** How an attempt ends that checkpoints its job, be it that nobody has killed it. */
function checkpointedBy(signal: TaskCheckpointed): AttemptEnding {
  try {
    const { remoteJobId, methodName, kwargs } = signal;
    const checked = new TaskCheckpointed({ remoteJobId, methodName, kwargs });
    const checkpoint = new TaskCheckpointed({ ...storedArguments(checked), methodName });
    return { outcome: "checkpointed", checkpoint };
  } catch (unwritable) {
    return { outcome: "failed", error: unwritable };
  }
}

/** Calls the method that a checkpoint or a deferral names. */
function call(
  job: CheckedJob,
  { methodName, argument, kwargs }: AttemptStart,
  ctx: TaskContext,
): unknown {
  return resumeMethodOf(job, methodName, job.constructor.name)(ctx, argument, kwargs);
}

function settingsOf(job: CheckedJob): Required<Pick<CheckedJob, "externalIdKey" | "durable">> {
  const ofClass = job.constructor as Pick<CheckedJob, "externalIdKey" | "durable">;
  return {
    externalIdKey: job.externalIdKey ?? ofClass.externalIdKey ?? EXTERNAL_ID_KEY_DEFAULT,
    durable: job.durable ?? ofClass.durable ?? true,
  };
}

export function surroundingsOf(
  life: Life,
  { key: task }: OperatorTask,
  tryNumber: number,
): JobSurroundings {
  const push = (): Promise<void> => life.call("api.xcom", API, () => undefined);
  return { clock: life.clock, task, tryNumber, xcom: { push } };
}
