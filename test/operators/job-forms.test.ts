import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { type KillCategory, runTask, type TaskContext } from "../../src/operator/mod.ts";
import {
  CheckpointingOperator,
  DeferrableOperator,
  HandWrittenOperator,
  type JobOperator,
  type JobOperatorOptions,
  PlainOperator,
  ResumableOperator,
} from "../../src/operators/mod.ts";
import { MemoryStateBackend, TaskStateStore } from "../../src/store/mod.ts";
import { Attempt } from "../operator/cluster.ts";

/** Jobs that run until a test ends them. */
class Jobs {
  readonly statuses = new Map<string, string>();
  readonly cancelled: string[] = [];
  readonly clock = new VirtualClock();
  /** Whether a submit waits for ever. */
  isStuck = false;
}

interface Form {
  readonly jobs: Jobs;
}

type OperatorClass = abstract new (clock: VirtualClock, options?: JobOperatorOptions) => object;

/** What a user writes over each of the classes. */
function operatorOf(
  Base: OperatorClass,
  jobs: Jobs,
  options: JobOperatorOptions = {},
): JobOperator<string, string> & Form {
  class Batch extends Base {
    readonly jobs = jobs;

    submit(): string | Promise<string> {
      if (jobs.isStuck) return new Promise<string>(() => undefined);
      const id = `job-${jobs.statuses.size + 1}`;
      jobs.statuses.set(id, "RUNNING");
      return id;
    }

    status(id: string): string {
      return jobs.statuses.get(id) ?? "MISSING";
    }

    isJobActive(status: string): boolean {
      return status === "RUNNING";
    }

    isJobSucceeded(status: string): boolean {
      return status === "SUCCESS";
    }

    result(id: string): string {
      return `${jobs.statuses.get(id)} rows of ${id}`;
    }

    cancel(id: string): void {
      jobs.cancelled.push(id);
    }
  }
  return new Batch(jobs.clock, options) as unknown as JobOperator<string, string> & Form;
}

const FORMS: readonly (readonly [string, OperatorClass])[] = [
  ["PlainOperator", PlainOperator],
  ["CheckpointingOperator", CheckpointingOperator],
  ["HandWrittenOperator", HandWrittenOperator],
  ["ResumableOperator", ResumableOperator],
  ["DeferrableOperator", DeferrableOperator],
];
/** Those that look in the store for the job of an earlier attempt. */
const LOOKING = FORMS.slice(2);
/** Those that wait in the worker. */
const WAITING = FORMS.slice(0, 4);
const CHECKPOINTING = ["CheckpointingOperator", "ResumableOperator", "DeferrableOperator"];
/** What an infrastructure that takes the worker away does to the job of each form. */
const KILLS = FORMS.flatMap(([name, Base]) =>
  (["infrastructure", "timeout", "user"] as const).map((category) => {
    const isKept = category === "infrastructure" && name !== "PlainOperator";
    const kind = isKept && CHECKPOINTING.includes(name) ? "checkpointed" : "killed";
    return [name, category, kind, isKept ? [] : ["job-1"], Base] as const;
  }),
);

function withStore(ctx: TaskContext, clock: VirtualClock): TaskContext {
  const { dagId, runId, taskId, mapIndex } = ctx;
  const scope = { kind: "task-instance", dagId, runId, taskId, mapIndex } as const;
  return { ...ctx, taskStateStore: new TaskStateStore(new MemoryStateBackend(), scope, { clock }) };
}

async function settle(): Promise<void> {
  for (let hops = 0; hops < 50; hops += 1) await Promise.resolve();
}

describe("a job operator that is killed", () => {
  test.each(KILLS)("%s by %s ends %s; cancelled: %o", async (name, category, kind, gone, Base) => {
    const operator = operatorOf(Base, new Jobs());
    const outcome = await killedWithJob(name, operator, category);
    expect(outcome).toMatchObject({
      kind,
      ...(kind === "checkpointed" ? { remoteJobId: "job-1" } : {}),
    });
    expect(operator.jobs.cancelled).toEqual(gone);
  });

  test.each(LOOKING)(
    "%s submits no job when it is killed while it looks for one",
    async (_, Base) => {
      const operator = operatorOf(Base, new Jobs());
      const attempt = new Attempt();
      const ctx = withStore(attempt.ctx, operator.jobs.clock);
      const outcome = runTask(operator, ctx);
      attempt.kill("user");
      expect(await outcome).toMatchObject({ kind: "killed" });
      await settle();
      expect([...operator.jobs.statuses]).toEqual([]);
    },
  );

  test.each(FORMS)("%s has nothing to keep or to cancel before it has a job", async (_, Base) => {
    const operator = operatorOf(Base, new Jobs());
    operator.jobs.isStuck = true;
    const attempt = new Attempt();
    const outcome = runTask(operator, attempt.ctx);
    await settle();
    attempt.kill("infrastructure");
    expect(await outcome).toMatchObject({ kind: "killed" });
    expect(operator.jobs.cancelled).toEqual([]);
    await operator.onKill(null);
    expect(operator.jobs.cancelled).toEqual([]);
  });
});

/** Kills an attempt that has a job; one that defers is killed before the defer takes effect. */
async function killedWithJob(
  name: string,
  operator: JobOperator<string, string>,
  category: KillCategory,
): Promise<unknown> {
  const attempt = new Attempt();
  if (name === "DeferrableOperator") {
    operator.attend("job-1");
    operator.execute = () => new Promise(() => undefined);
  }
  const outcome = runTask(operator, attempt.ctx);
  await settle();
  attempt.kill(category);
  return outcome;
}

describe("durable, as the constructor is told", () => {
  test.each([
    ["ResumableOperator", ResumableOperator, true],
    ["ResumableOperator", ResumableOperator, false],
    ["DeferrableOperator", DeferrableOperator, true],
    ["DeferrableOperator", DeferrableOperator, false],
  ] as const)("%s goes on with the job of the first attempt: %3$o", async (_, Base, durable) => {
    const jobs = new Jobs();
    const ctx = withStore(new Attempt().ctx, jobs.clock);
    for (const tryNumber of [1, 2]) {
      void runTask(operatorOf(Base, jobs, { durable }), { ...ctx, tryNumber });
      await settle();
    }
    expect([...jobs.statuses.keys()]).toEqual(durable ? ["job-1"] : ["job-1", "job-2"]);
    expect(await ctx.taskStateStore?.get("remote_job_id")).toBe(durable ? "job-1" : null);
  });
});

describe("a job operator that waits in the worker", () => {
  test.each(WAITING)("%s returns no result before the job has ended", async (_, Base) => {
    const { jobs, ended } = waitingAttempt(Base);
    await jobs.clock.advance(20_000, settle);
    expect(ended()).toBeUndefined();
    jobs.statuses.set("job-1", "SUCCESS");
    await jobs.clock.advance(20_000, settle);
    expect(ended()).toMatchObject({ kind: "success", result: "SUCCESS rows of job-1" });
    expect(jobs.statuses.size).toBe(1);
  });

  test.each(WAITING)("%s fails as its job does, and names it", async (_, Base) => {
    const { jobs, ended } = waitingAttempt(Base);
    await settle();
    jobs.statuses.set("job-1", "FAILED");
    await jobs.clock.advance(20_000, settle);
    expect(ended()).toMatchObject({
      error: { name: "JobFailed", externalId: "job-1", status: "FAILED" },
    });
  });
});

function waitingAttempt(Base: OperatorClass): {
  readonly jobs: Jobs;
  readonly ended: () => unknown;
} {
  const jobs = new Jobs();
  const { ctx } = new Attempt();
  let outcome: unknown;
  void runTask(operatorOf(Base, jobs), withStore(ctx, jobs.clock)).then((end) => {
    outcome = end;
  });
  return { jobs, ended: () => outcome };
}

test("a deferrable operator fails as the job does whose end its trigger tells", async () => {
  const operator = operatorOf(DeferrableOperator, new Jobs());
  const { executeComplete } = operator as unknown as DeferrableOperator<string, string>;
  const handle = executeComplete.bind(operator as never);
  const { ctx } = new Attempt();
  operator.jobs.statuses.set("job-1", "SUCCESS");
  expect(await handle(ctx, { jobId: "job-1", status: "SUCCESS" })).toBe("SUCCESS rows of job-1");
  await expect(handle(ctx, { jobId: "job-1", status: "FAILED" })).rejects.toMatchObject({
    name: "JobFailed",
    externalId: "job-1",
  });
});

const RESUME = {
  kind: "resume",
  methodName: "resumeJob",
  remoteJobId: "job-1",
  kwargs: {},
  step: 1,
} as const;

describe("an attempt that is killed before it has found out about the job of its checkpoint", () => {
  const forms = [
    ["CheckpointingOperator", "looks it up", CheckpointingOperator],
    ["DeferrableOperator", "looks it up", DeferrableOperator],
    ["DeferrableOperator", "stores its id", DeferrableOperator],
  ] as const;
  test.each(forms)("%s keeps or cancels that job while it %s", async (_, when, Base) => {
    const ends: unknown[] = [];
    for (const category of ["infrastructure", "user"] as const) {
      const jobs = new Jobs();
      jobs.statuses.set("job-1", "RUNNING");
      const operator = operatorOf(Base, jobs);
      const stuck = (): Promise<never> => new Promise(() => undefined);
      if (when === "looks it up") operator.status = stuck;
      const attempt = new Attempt();
      const ctx = withStore(attempt.ctx, jobs.clock);
      if (ctx.taskStateStore !== undefined) ctx.taskStateStore.set = stuck;
      const outcome = runTask(operator, ctx, RESUME);
      await settle();
      attempt.kill(category);
      ends.push([(await outcome).kind, jobs.cancelled]);
    }
    expect(ends).toEqual([
      ["checkpointed", []],
      ["killed", ["job-1"]],
    ]);
  });
});

/** Goes on with the job of a checkpoint, by the method that the attempt before has named. */
async function resumed(
  Base: OperatorClass,
  jobs: Jobs,
  { hasStore, status }: { readonly hasStore: boolean; readonly status: string },
): Promise<{ readonly outcome: unknown; readonly stored: unknown }> {
  jobs.statuses.set("job-1", status);
  const { ctx } = new Attempt();
  const given = hasStore ? withStore(ctx, jobs.clock) : ctx;
  let outcome: unknown;
  void runTask(operatorOf(Base, jobs), given, RESUME).then((end) => {
    outcome = end;
  });
  await settle();
  for (const id of [...jobs.statuses.keys()]) {
    if (jobs.statuses.get(id) === "RUNNING") jobs.statuses.set(id, "SUCCESS");
  }
  await jobs.clock.advance(20_000, settle);
  return { outcome, stored: await given.taskStateStore?.get("remote_job_id") };
}

const RESUMED = FORMS.filter(([name]) => CHECKPOINTING.includes(name)).flatMap(([name, Base]) =>
  [true, false].flatMap((hasStore) =>
    ["RUNNING", "SUCCESS", "FAILED"].map((status) => [name, status, hasStore, Base] as const),
  ),
);

test.each(RESUMED)(
  "%s goes on with the job of its checkpoint, which is %s; store: %s",
  async (name, status, hasStore, Base) => {
    const jobs = new Jobs();
    const { outcome, stored } = await resumed(Base, jobs, { hasStore, status });
    const job = status === "FAILED" ? "job-2" : "job-1";
    // A job that has ended needs no trigger to wait for it.
    const waits = name === "DeferrableOperator" && status !== "SUCCESS";
    expect(outcome).toMatchObject(
      waits
        ? { kind: "deferred", trigger: { jobId: job } }
        : { kind: "success", result: `SUCCESS rows of ${job}` },
    );
    expect(jobs.statuses.size).toBe(status === "FAILED" ? 2 : 1);
    // The attempt after this one may find no checkpoint.
    if (hasStore && waits) expect(stored).toBe(job);
  },
);

test("the trigger of a deferrable operator cancels its job when the task is killed", async () => {
  const operator = operatorOf(DeferrableOperator, new Jobs());
  const { createTrigger } = operator as unknown as DeferrableOperator<string, string>;
  const trigger = createTrigger.call(operator as never, { jobId: "job-1" });
  expect(await trigger.onKill?.()).toBeUndefined();
  expect(operator.jobs.cancelled).toEqual(["job-1"]);
});
