import { describe, expect, it } from "vitest";
import { idempotencyKeyFrom } from "../../src/operator/attempt.ts";
import {
  type AttemptOutcome,
  EXECUTE,
  type KillCategory,
  runTask,
  startAfter,
  startWith,
  stateAfter,
  type TaskContext,
  type TaskStart,
} from "../../src/operator/mod.ts";
import { Attempt, Cluster, DeferringOperator, SyncOperator } from "./cluster.ts";

type OperatorOf = (cluster: Cluster) => SyncOperator;
const sync: OperatorOf = (cluster) => new SyncOperator(cluster);
const deferring: OperatorOf = (cluster) => new DeferringOperator(cluster);

/** One task instance across its attempts; between them only `start` survives, on the server. */
class Task {
  readonly cluster = new Cluster();
  start: TaskStart = EXECUTE;
  readonly #operatorOf: OperatorOf;

  constructor(operatorOf: OperatorOf = sync) {
    this.#operatorOf = operatorOf;
  }

  get submits(): number {
    return this.cluster.statuses.size;
  }

  /** Runs one attempt with a new operator and calls `meanwhile` while it waits. */
  async attempt(meanwhile: (attempt: Attempt) => void = () => undefined): Promise<AttemptOutcome> {
    const attempt = new Attempt();
    const pending = runTask(this.#operatorOf(this.cluster), attempt.ctx, this.start);
    await Promise.resolve();
    meanwhile(attempt);
    const outcome = await pending;
    this.start = startAfter(this.start, outcome);
    return outcome;
  }

  killedBy(category: KillCategory): Promise<AttemptOutcome> {
    return this.attempt((attempt) => attempt.kill(category));
  }
}

const rows = { kind: "success", result: "rows of job-1" };

describe("a resume of path 1", () => {
  it("C9 C12 polls the same job when it runs", async () => {
    const task = new Task();
    await task.killedBy("infrastructure");
    expect(await task.attempt(() => task.cluster.finish("job-1"))).toEqual(rows);
    expect([task.submits, task.cluster.polled]).toEqual([1, ["job-1", "job-1"]]);
  });

  it("C9 C13 fetches the result when the job succeeded meanwhile", async () => {
    const task = new Task();
    await task.killedBy("infrastructure");
    task.cluster.finish("job-1");
    expect(await task.attempt()).toEqual(rows);
    expect(task.submits).toBe(1);
  });

  it("C9 C14 executes again when the job failed, was cancelled or is unknown", async () => {
    for (const end of ["FAILED", "CANCELLED", undefined] as const) {
      const task = new Task();
      await task.killedBy("infrastructure");
      task.cluster.statuses.set("job-1", end ?? ("LOST" as "FAILED"));
      const outcome = await task.attempt(() => task.cluster.finish("job-2"));
      expect(outcome).toEqual({ kind: "success", result: "rows of job-2" });
      expect(task.submits).toBe(2);
    }
  });

  it("C11 begins with the stored method, job and kwargs, whenever the scheduler starts it", async () => {
    const given: unknown[] = [];
    class WithKwargs extends SyncOperator {
      override async onKill(): Promise<void> {
        this.checkpoint({ remoteJobId: this.jobId, methodName: "goOn", kwargs: { page: 3 } });
      }
      async goOn(ctx: TaskContext, remoteJobId: string, kwargs: object): Promise<string> {
        given.push(ctx.taskId, remoteJobId, kwargs);
        return "went on";
      }
    }
    const task = new Task((cluster) => new WithKwargs(cluster));
    await task.killedBy("infrastructure");
    expect(await task.attempt()).toEqual({ kind: "success", result: "went on" });
    expect(given).toEqual(["report", "job-1", { page: 3 }]);
  });

  it("C19 submits once over many kills, each with its own key", async () => {
    const task = new Task();
    const keys = new Set<unknown>();
    for (let kill = 0; kill < 20; kill += 1) {
      const outcome = await task.killedBy("infrastructure");
      keys.add(outcome.kind === "checkpointed" && outcome.idempotencyKey);
    }
    expect(await task.attempt(() => task.cluster.finish("job-1"))).toEqual(rows);
    expect([task.submits, keys.size]).toEqual([1, 20]);
  });

  it("C18 E21 keeps the old checkpoint when the resume did not restore the job's id", async () => {
    class Forgetful extends SyncOperator {
      override async onKill(): Promise<void> {
        this.checkpoint({ remoteJobId: this.jobId });
      }
      override async resumeJob(ctx: TaskContext, remoteJobId: string): Promise<string> {
        return this.cluster.wait(remoteJobId, ctx.signal);
      }
    }
    const task = new Task((cluster) => new Forgetful(cluster));
    await task.killedBy("infrastructure");
    expect(await task.killedBy("infrastructure")).toMatchObject({
      kind: "killed",
      onKillFailure: { error: { name: "TypeError" } },
    });
    expect(task.start).toMatchObject({ kind: "resume", remoteJobId: "job-1", step: 2 });
    expect(await task.attempt(() => task.cluster.finish("job-1"))).toEqual(rows);
    expect(task.submits).toBe(1);
  });

  it("C36 fails when the method is missing, and does not execute", async () => {
    const task = new Task();
    await task.killedBy("infrastructure");
    for (const methodName of ["renamedMethod", "constructor", "jobId"]) {
      task.start = { kind: "resume", step: 1, methodName, remoteJobId: "job-1", kwargs: {} };
      expect(await task.attempt()).toMatchObject({
        kind: "failed",
        error: { name: "UnknownResumeMethod", operator: "SyncOperator", methodName },
      });
    }
    expect(task.submits).toBe(1);
  });

  it("C15 C16 begins with execute again after a timeout or a user, as the job was cancelled", async () => {
    for (const category of ["timeout", "user"] as const) {
      const task = new Task();
      await task.killedBy("infrastructure");
      await task.killedBy(category);
      expect([task.start, task.cluster.statuses.get("job-1")]).toEqual([EXECUTE, "CANCELLED"]);
    }
  });

  it("C25 does not cover a lost worker: onKill never runs, and the plain operator submits a duplicate", async () => {
    const task = new Task();
    // The worker is lost: the attempt below never ends, and no outcome is reported.
    void runTask(new SyncOperator(task.cluster), new Attempt().ctx, EXECUTE);
    await Promise.resolve();
    expect(await task.attempt(() => task.cluster.finish("job-2"))).toMatchObject({
      kind: "success",
    });
    expect([task.submits, task.cluster.statuses.get("job-1")]).toEqual([2, "RUNNING"]);
  });

  it("C27 is a lost worker when the outcome never reaches the server: orphan and duplicate", async () => {
    const task = new Task();
    expect((await task.killedBy("infrastructure")).kind).toBe("checkpointed");
    // The worker was lost between the signal and the commit.
    task.start = EXECUTE;
    await task.attempt(() => task.cluster.finish("job-2"));
    expect([task.submits, task.cluster.statuses.get("job-1")]).toEqual([2, "RUNNING"]);
  });

  it("C32 is dropped when a user clears the task: it executes again, and the job keeps running", async () => {
    const task = new Task();
    await task.killedBy("infrastructure");
    task.start = EXECUTE;
    await task.attempt(() => task.cluster.finish("job-2"));
    expect(task.cluster.statuses.get("job-1")).toBe("RUNNING");
  });
});

describe("a resume of path 2", () => {
  it("C20 defers again with the same job after a kill before defer", async () => {
    class Struck extends DeferringOperator {
      override beforeDefer(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const task = new Task((cluster) => new Struck(cluster));
    expect(await task.killedBy("infrastructure")).toMatchObject({ kind: "checkpointed" });
    expect(await task.attempt()).toMatchObject({ kind: "deferred", trigger: { jobId: "job-1" } });
    expect(task.submits).toBe(1);
  });

  it("C21 has no attempt to kill while deferred: the signal of the ended attempt has no effect", async () => {
    const task = new Task(deferring);
    const attempt = new Attempt();
    const outcome = await runTask(new DeferringOperator(task.cluster), attempt.ctx);
    expect([outcome.kind, stateAfter(outcome, 0)]).toEqual(["deferred", "deferred"]);
    attempt.kill("user");
    await Promise.resolve();
    expect(task.cluster.statuses.get("job-1")).toBe("RUNNING");
  });

  it("C22 is not checkpointed while it completes, and the completion runs again", async () => {
    let struck = true;
    class Completing extends DeferringOperator {
      override async executeComplete(
        ctx: TaskContext,
        event: { jobId: string; status: string },
      ): Promise<string> {
        if (struck) await new Promise(() => undefined);
        return super.executeComplete(ctx, event);
      }
    }
    const task = new Task((cluster) => new Completing(cluster));
    const deferred = await task.attempt();
    if (deferred.kind !== "deferred") throw new Error("Cannot go on: not deferred");
    task.cluster.finish("job-1");
    task.start = startWith(deferred, { jobId: "job-1", status: "SUCCESS" });
    expect((await task.killedBy("infrastructure")).kind).toBe("killed");
    struck = false;
    expect(await task.attempt()).toEqual(rows);
    expect(task.submits).toBe(1);
  });

  it("C23 returns the result at once when the job succeeded meanwhile", async () => {
    const task = new Task(deferring);
    task.cluster.submit();
    task.cluster.finish("job-1");
    const resume = { kind: "resume", step: 1, methodName: "resumeJob", kwargs: {} } as const;
    task.start = { ...resume, remoteJobId: "job-1" };
    expect(await task.attempt()).toEqual(rows);
  });

  it("C24 fails when the event says that the job failed", async () => {
    const task = new Task(deferring);
    const deferred = await task.attempt();
    if (deferred.kind !== "deferred") throw new Error("Cannot go on: not deferred");
    task.start = startWith(deferred, { jobId: "job-1", status: "FAILED" });
    expect(await task.attempt()).toMatchObject({
      kind: "failed",
      error: { message: "Job job-1 failed" },
    });
  });
});

describe("the idempotency key of an outcome", () => {
  const { ctx } = new Attempt();

  it("C28 is the same when one checkpoint is reported twice, so that the server accepts it once", async () => {
    const outcome = await new Task().killedBy("infrastructure");
    const taken = new Map<string, AttemptOutcome>();
    for (let telling = 0; telling < 2; telling += 1) {
      if (outcome.kind === "checkpointed") taken.set(outcome.idempotencyKey, outcome);
    }
    expect(taken.size).toBe(1);
  });

  it("C29 contains try and step, so that the server can detect a late report", () => {
    const resume = { kind: "resume", methodName: "m", remoteJobId: "j", kwargs: {} } as const;
    const keys = [
      idempotencyKeyFrom(ctx, EXECUTE, "checkpointed"),
      idempotencyKeyFrom(ctx, EXECUTE, "deferred"),
      idempotencyKeyFrom(ctx, { ...resume, step: 1 }, "checkpointed"),
      idempotencyKeyFrom({ ...ctx, tryNumber: 2 }, EXECUTE, "checkpointed"),
      idempotencyKeyFrom({ ...ctx, mapIndex: 0 }, EXECUTE, "checkpointed"),
      idempotencyKeyFrom({ ...ctx, dagId: 'etl","r1' }, EXECUTE, "checkpointed"),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
