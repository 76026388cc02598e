import { describe, expect, test } from "vitest";
import {
  checkResumableJob,
  type CheckedJob,
  type JobSystemName,
  PropertyViolation,
} from "../../sim/check/mod.ts";
import type { JobClient } from "../../sim/jobs/job-client.ts";
import type { CreateJob } from "../../sim/worlds/operator/operator-under-test.ts";
import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { findResumption, JobFailed } from "../../src/resumable/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import { type DeferralTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

const KEY = "remote_job_id";

interface JobEnd {
  readonly id: unknown;
  readonly succeeded: boolean;
}

/** What a deferring operator may do otherwise than it should. */
interface Changes {
  readonly execute?: (operator: Deferring, ctx: TaskContext) => Promise<unknown>;
  readonly result?: (operator: Deferring, end: JobEnd) => unknown;
  readonly waits?: (
    operator: Deferring,
    id: unknown,
    signal: AbortSignal,
  ) => AsyncIterable<TriggerEvent>;
  readonly isDeafToUsers?: boolean;
  /** Whether it checkpoints its job whoever stops it. */
  readonly checkpointsAlways?: boolean;
  readonly methodName?: string;
  /** What its trigger is made of, where it defers to something else than the id. */
  readonly trigger?: (operator: Deferring, id: unknown) => unknown;
  readonly creates?: (trigger: object, operator: Deferring) => unknown;
  /** What an attempt that goes on after a checkpoint makes of its id. */
  readonly resumes?: (operator: Deferring, ctx: TaskContext, id: unknown) => Promise<unknown>;
}

/** An operator that finds or submits its job, stores its id, and leaves its worker to wait. */
class Deferring extends BaseOperator implements Pick<CheckedJob, "execute" | "createTrigger"> {
  readonly job: CheckedJob;
  readonly client: JobClient;
  readonly #changes: Changes;
  #id: unknown;

  constructor(job: CheckedJob, client: JobClient, changes: Changes) {
    super();
    this.job = job;
    this.client = client;
    this.#changes = changes;
  }

  override async execute(ctx: TaskContext): Promise<unknown> {
    if (this.#changes.execute !== undefined) return this.#changes.execute(this, ctx);
    return this.goOn(ctx);
  }

  resumeJob(ctx: TaskContext, checkpointedId: unknown): Promise<unknown> {
    if (this.#changes.resumes !== undefined)
      return this.#changes.resumes(this, ctx, checkpointedId);
    return this.goOn(ctx, checkpointedId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#id === undefined) return;
    const { checkpointsAlways = false } = this.#changes;
    if (checkpointsAlways || keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#id });
    await this.job.onKill?.(executionContext);
  }

  async goOn(ctx: TaskContext, checkpointedId?: unknown): Promise<unknown> {
    const found = await findResumption(this.job, ctx, { checkpointedId });
    if (found.decision === "already_succeeded") return this.resultOf(found.externalId);
    if (found.decision === "reconnect") {
      if (!found.stored) await ctx.taskStateStore?.set(KEY, found.externalId as string);
      return this.wait(found.externalId);
    }
    this.#id = await this.job.submitJob(ctx);
    await ctx.taskStateStore?.set(KEY, this.#id as string);
    return this.wait(this.#id);
  }

  wait(id: unknown): never {
    const { methodName = "executeComplete", trigger } = this.#changes;
    const what = trigger?.(this, id) ?? { id };
    return this.defer({ trigger: what, methodName, kwargs: { note: "mine" } });
  }

  createTrigger(trigger: { readonly id: unknown }): DeferralTrigger {
    if (this.#changes.creates !== undefined)
      return this.#changes.creates(trigger, this) as DeferralTrigger;
    const { id } = trigger;
    const waits = this.#changes.waits ?? ((operator) => operator.events(id));
    const run = (signal: AbortSignal): AsyncIterable<TriggerEvent> => waits(this, id, signal);
    if (this.#changes.isDeafToUsers === true) return { run };
    return { run, onKill: async () => void (await this.job.onKill?.({ category: "user" })) };
  }

  async *events(id: unknown): AsyncGenerator<TriggerEvent> {
    yield new TriggerEvent({ id, succeeded: await this.#succeeded(id) });
  }

  executeComplete(_ctx: TaskContext, end: JobEnd, { note }: { readonly note: string }): unknown {
    if (note !== "mine") throw new Error("The arguments of the deferral were lost");
    if (this.#changes.result !== undefined) return this.#changes.result(this, end);
    if (!end.succeeded) throw new JobFailed(end.id, "failed");
    return this.resultOf(end.id);
  }

  resultOf(id: unknown): unknown {
    return this.job.getJobResult(id, {} as TaskContext);
  }

  async #succeeded(id: unknown): Promise<boolean> {
    try {
      await this.job.pollUntilComplete(id, {} as TaskContext);
      return true;
    } catch (error) {
      if (error instanceof JobFailed) return false;
      throw error;
    }
  }
}

/** The operator with the six methods of the example operator of a system. */
function deferringOn(system: JobSystemName, changes: Changes = {}): CreateJob {
  return (client, surroundings) => {
    const job = rightJobOn(system)(client, surroundings);
    const { onKill: _, ...methods } = job;
    return Object.assign(new Deferring(job, client, changes), methods);
  };
}

const HAS_STARTED: readonly unknown[] = ["RUNNING", "SUCCEEDED", "FAILED", "NOT_FOUND"];

/** Waits until its job runs, then until it ends; the trigger of the second phase is deaf. */
const DEAF_SECOND_PHASE: Changes = {
  creates(trigger, operator) {
    const { id, runs } = trigger as { readonly id: unknown; readonly runs?: true };
    if (runs === true) return { run: () => operator.events(id) };
    return { run: () => untilItRuns(operator, id), onKill: () => operator.client.cancel(id) };
  },
  result(operator, end) {
    if (!("runs" in end)) {
      if (!end.succeeded) throw new JobFailed(end.id, "failed");
      return operator.resultOf(end.id);
    }
    const trigger = { id: end.id, runs: true };
    return operator.defer({ trigger, methodName: "executeComplete", kwargs: { note: "mine" } });
  },
};

async function* untilItRuns({ job, client }: Deferring, id: unknown): AsyncGenerator<TriggerEvent> {
  while (!HAS_STARTED.includes(await job.getJobStatus(id, {} as TaskContext))) {
    await sleep(client.clock, 5_000);
  }
  yield new TriggerEvent({ id, runs: true });
}

async function* firesNothing(): AsyncGenerator<TriggerEvent> {
  yield* [];
}

/** Fires something, typed as if it were right. */
async function* fires(event: unknown): AsyncGenerator<TriggerEvent> {
  yield event as TriggerEvent;
}

function lying(): never {
  throw new Error("No trigger today,\n  nor tomorrow");
}

const CYCLE: Record<string, unknown> = {};
CYCLE["again"] = CYCLE;

describe("an operator that defers", () => {
  test.each(["aws-batch", "livy", "glue", "databricks"] as const)(
    "is run with its own trigger on %s, and holds",
    async (system) => {
      const report = await checkResumableJob(deferringOn(system), { system, numRuns: 200 });
      expect(report.runs).toBe(200);
      // A run without faults has an attempt before the deferral, and one after it.
      expect(report.attempts).toBeGreaterThanOrEqual(400);
    },
  );

  test.each<readonly [string, Changes, readonly string[]]>([
    [
      "submits again at each try, as a plain deferral does",
      {
        async execute(operator, ctx) {
          return operator.wait(await operator.job.submitJob(ctx));
        },
      },
      ["R-I1", "R-I2", "R-I3"],
    ],
    [
      "takes the end of its job for a success",
      { result: (_, { id }) => `the result of ${String(id)}` },
      ["R-I20"],
    ],
    [
      "has a trigger that does not wait",
      {
        async *waits(_, id) {
          yield new TriggerEvent({ id, succeeded: true });
        },
        result: () => "done",
      },
      ["R-I20"],
    ],
    [
      "has a trigger that cancels its job when its triggerer is stopped",
      {
        waits(operator, id, signal) {
          const cancel = async (): Promise<void> => {
            // The call may fail: that is nobody's to handle.
            await Promise.resolve(operator.job.onKill?.({ category: "user" })).catch(() => {});
          };
          signal.addEventListener("abort", () => void cancel());
          return operator.events(id);
        },
      },
      ["R-I14"],
    ],
    ["has a trigger that does not hear of its user", { isDeafToUsers: true }, ["R-deferred"]],
    ["has a second trigger that does not hear of its user", DEAF_SECOND_PHASE, ["R-deferred"]],
    ["checkpoints its job when a user ends it, too", { checkpointsAlways: true }, ["R-I14"]],
    [
      "does not look at the id of its checkpoint",
      { resumes: (operator, ctx) => operator.goOn(ctx) },
      ["R-I1"],
    ],
    [
      "looks for the id of its checkpoint under another name",
      { resumes: (operator, ctx, id) => operator.goOn(ctx, `job-${String(id)}`) },
      ["R-I1"],
    ],
    [
      "leaves the job of its checkpoint to its trigger and does not store its id",
      {
        async resumes(operator, ctx, checkpointedId) {
          const found = await findResumption(operator.job, ctx, { checkpointedId });
          if (found.decision === "reconnect") return operator.wait(found.externalId);
          return operator.goOn(ctx);
        },
      },
      ["R-I1"],
    ],
    ["has a trigger that ends without an event", { waits: () => firesNothing() }, ["R-settled"]],
    ["defers again at each event", { result: (it, end) => it.wait(end.id) }, ["R-settled"]],
  ])("and %s is accused", async (_, changes, promises) => {
    const check = checkResumableJob(deferringOn("aws-batch", changes), { system: "aws-batch" });
    const error: unknown = await check.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PropertyViolation);
    expect(promises).toContain((error as PropertyViolation).guarantee);
  });

  test.each<readonly [string, Changes, string]>([
    ["has no method of the name", { methodName: "noSuch" }, 'it has no method "noSuch"'],
    ["names what every object has", { methodName: "toString" }, 'it has no method "toString"'],
    ["creates nothing", { creates: () => undefined }, "The trigger failed: TypeError: "],
    ["creates no run method", { creates: () => ({}) }, "The trigger failed: TypeError: "],
    ["cannot create it", { creates: lying }, "Error: No trigger today, nor tomorrow"],
    [
      "leaves a live object",
      { trigger: (operator, id) => ({ run: () => operator.events(id) }), creates: (it) => it },
      "run is not a function",
    ],
    // Engines say it in words of their own, and this one is in all of them.
    ["leaves a cycle", { trigger: () => CYCLE }, " structure"],
    ["fires nothing at all", { waits: () => fires(undefined) }, "TypeError: Cannot fire undefined"],
    ["fires a bare payload", { waits: () => fires("done") }, "TypeError: Cannot fire done"],
    ["fires no payload", { waits: () => fires({ done: true }) }, "an object without a payload"],
    [
      "fires a cycle",
      { waits: () => fires(new TriggerEvent(CYCLE)) },
      "The trigger failed: TypeError: ",
    ],
    [
      "fires a live object",
      {
        waits: (operator, id) => fires(new TriggerEvent({ end: () => operator.events(id) })),
        result: (_, end) => (end as unknown as { end(): unknown }).end(),
      },
      "attempt 2",
    ],
  ])("and cannot go on, because it %s, is told so", async (_, changes, why) => {
    const check = checkResumableJob(deferringOn("aws-batch", changes), { system: "aws-batch" });
    const error: unknown = await check.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PropertyViolation);
    expect(String(error)).toContain(why);
  });
});
