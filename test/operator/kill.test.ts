import { describe, expect, it } from "vitest";
import {
  type AttemptOutcome,
  BaseOperator,
  type ExecutionContext,
  isFinished,
  keepsJob,
  type KillCategory,
  runTask,
  stateAfter,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { Attempt, Cluster, SyncOperator } from "./cluster.ts";

/** Returns the outcome of an attempt that is killed while it polls. */
async function killed(
  operator: SyncOperator,
  category: KillCategory | undefined,
  attempt: Attempt = new Attempt(),
): Promise<AttemptOutcome> {
  const outcome = runTask(operator, attempt.ctx);
  await Promise.resolve();
  if (category === undefined) attempt.killWithoutReason();
  else attempt.kill(category);
  return outcome;
}

describe("a kill", () => {
  it("C5 cancels when the cause is unknown", async () => {
    const cluster = new Cluster();
    const outcome = await killed(new SyncOperator(cluster), undefined);
    expect(outcome).toEqual({ kind: "killed", executionContext: null });
    expect(cluster.statuses.get("job-1")).toBe("CANCELLED");
  });

  it("C6 keeps the job for infrastructure, and for no other category", () => {
    const categories = ["infrastructure", "timeout", "user", "a new one" as KillCategory] as const;
    expect(categories.filter((category) => keepsJob({ category }))).toEqual(["infrastructure"]);
    expect([keepsJob(null), keepsJob(undefined)]).toEqual([false, false]);
  });

  it("C7 passes no argument to an onKill that takes none", async () => {
    const given: unknown[][] = [];
    class Old extends SyncOperator {
      override onKill = function (): Promise<void> {
        // oxlint-disable-next-line prefer-rest-params -- rest parameters would change the length that C7 depends on
        given.push([...arguments]);
        return Promise.resolve();
      };
    }
    expect((await killed(new Old(new Cluster()), "infrastructure")).kind).toBe("killed");
    expect(given).toEqual([[]]);
  });

  it("C8 only ends an operator without onKill", async () => {
    const plain = { execute: () => new Promise<string>(() => undefined) };
    for (const operator of [plain, Object.assign(new BaseOperator(), plain)]) {
      const attempt = new Attempt();
      const outcome = runTask(operator, attempt.ctx);
      attempt.kill("infrastructure");
      const { kind, ...others } = await outcome;
      expect(kind).toBe("killed");
      expect(others).not.toHaveProperty("onKillFailure");
    }
  });

  it("C10 for infrastructure checkpoints the job, which keeps running", async () => {
    const cluster = new Cluster();
    expect(await killed(new SyncOperator(cluster), "infrastructure")).toEqual({
      kind: "checkpointed",
      remoteJobId: "job-1",
      methodName: "resumeJob",
      kwargs: {},
      step: 1,
      idempotencyKey: '["etl","r1","report",-1,1,0,"checkpointed"]',
    });
    expect(cluster.statuses.get("job-1")).toBe("RUNNING");
  });

  it("C15 for a timeout cancels the job, and the task is retried while tries are left", async () => {
    const cluster = new Cluster();
    const outcome = await killed(new SyncOperator(cluster), "timeout");
    expect([outcome.kind, cluster.statuses.get("job-1")]).toEqual(["killed", "CANCELLED"]);
    expect([stateAfter(outcome, 1), stateAfter(outcome, 0)]).toEqual(["up_for_retry", "failed"]);
  });

  it("C16 by a user cancels the job, and the task is not retried", async () => {
    const cluster = new Cluster();
    const outcome = await killed(new SyncOperator(cluster), "user");
    expect([outcome.kind, cluster.statuses.get("job-1")]).toEqual(["killed", "CANCELLED"]);
    expect(stateAfter(outcome, 3)).toBe("failed");
  });

  it("C17 before submit returned checkpoints nothing, even if onKill does not check for an id", async () => {
    class Careless extends SyncOperator {
      override async execute(): Promise<string> {
        return new Promise(() => undefined);
      }
      override async onKill(): Promise<void> {
        this.checkpoint({ remoteJobId: this.jobId });
      }
    }
    class Careful extends SyncOperator {
      override async execute(): Promise<string> {
        return new Promise(() => undefined);
      }
    }
    expect(await killed(new Careful(new Cluster()), "infrastructure")).toEqual({
      kind: "killed",
      executionContext: { category: "infrastructure" },
    });
    expect(await killed(new Careless(new Cluster()), "infrastructure")).toMatchObject({
      kind: "killed",
      onKillFailure: { error: { name: "TypeError" } },
    });
  });

  it("C26 E56 decides the outcome: an execute that returns later is no success", async () => {
    class Stubborn extends SyncOperator {
      override async execute(ctx: TaskContext): Promise<string> {
        return super.execute(ctx).catch(() => "green");
      }
    }
    const attempt = new Attempt();
    const outcome = await killed(new Stubborn(new Cluster()), "timeout", attempt);
    expect(outcome.kind).toBe("killed");
    await Promise.resolve();
    expect(attempt.lines.at(-1)?.level).toBe("debug");
  });

  it("C26 calls onKill once, before the operator's own abort listeners", async () => {
    const order: string[] = [];
    class Watching extends SyncOperator {
      override async execute(ctx: TaskContext): Promise<string> {
        ctx.signal.addEventListener("abort", () => order.push("execute"));
        return super.execute(ctx);
      }
      override async onKill(executionContext: ExecutionContext | null): Promise<void> {
        order.push("onKill");
        return super.onKill(executionContext);
      }
    }
    await killed(new Watching(new Cluster()), "infrastructure");
    expect(order).toEqual(["onKill", "execute"]);
  });

  it("C26 after the attempt ended calls nothing", async () => {
    const cluster = new Cluster();
    const attempt = new Attempt();
    const outcome = runTask(new SyncOperator(cluster), attempt.ctx);
    await Promise.resolve();
    cluster.finish("job-1");
    expect(await outcome).toEqual({ kind: "success", result: "rows of job-1" });
    attempt.kill("user");
    expect(cluster.statuses.get("job-1")).toBe("SUCCESS");
  });

  it("C35 whose onKill fails while it checkpoints is reported, and the job is not cancelled", async () => {
    class Failing extends SyncOperator {
      override async onKill(_executionContext: ExecutionContext | null): Promise<void> {
        throw new Error("disk full");
      }
    }
    const cluster = new Cluster();
    const outcome = await killed(new Failing(cluster), "infrastructure");
    expect(outcome).toMatchObject({
      kind: "killed",
      onKillFailure: { error: { message: "disk full" } },
    });
    expect([cluster.statuses.get("job-1"), stateAfter(outcome, 1)]).toEqual([
      "RUNNING",
      "up_for_retry",
    ]);
  });

  it("C35 whose onKill swallows its own checkpoint, or defers, is reported as failed too", async () => {
    class Swallowing extends SyncOperator {
      override async onKill(executionContext: ExecutionContext | null): Promise<void> {
        await super.onKill(executionContext).catch(() => undefined);
      }
    }
    class Deferring extends SyncOperator {
      override async onKill(_executionContext: ExecutionContext | null): Promise<void> {
        this.defer({ trigger: {}, methodName: "resumeJob" });
      }
    }
    expect(await killed(new Swallowing(new Cluster()), "infrastructure")).toMatchObject({
      kind: "killed",
      onKillFailure: { error: { name: "SignalSwallowed", where: "Swallowing.onKill" } },
    });
    expect(await killed(new Deferring(new Cluster()), "infrastructure")).toMatchObject({
      kind: "killed",
      onKillFailure: { error: { name: "TypeError" } },
    });
  });

  it("C37 whose cancel fails is reported in the outcome and in the log", async () => {
    const cluster = new Cluster();
    cluster.failCancel = true;
    const attempt = new Attempt();
    const outcome = await killed(new SyncOperator(cluster), "timeout", attempt);
    expect(outcome).toMatchObject({ kind: "killed", onKillFailure: { error: { message: "403" } } });
    expect(attempt.lines).toContainEqual({
      level: "error",
      message: "onKill failed, a remote job may still be running",
    });
  });
});

describe("the state after an attempt", () => {
  const left = { methodName: "m", kwargs: {}, idempotencyKey: "k", step: 1 };

  it("C4 is not finished while checkpointed or deferred, so dependents wait", () => {
    const checkpointed = stateAfter({ kind: "checkpointed", remoteJobId: "j", ...left }, 0);
    expect([checkpointed, isFinished(checkpointed)]).toEqual(["checkpointed", false]);
    expect([isFinished("deferred"), isFinished("up_for_retry")]).toEqual([false, false]);
    expect([isFinished("success"), isFinished("failed")]).toEqual([true, true]);
  });

  it("C30 C31 has a value for every outcome, so no supervisor or server lacks a branch", () => {
    const outcomes: AttemptOutcome[] = [
      { kind: "success", result: 1 },
      { kind: "failed", error: 1 },
      { kind: "deferred", trigger: {}, timeout: undefined, ...left },
      { kind: "checkpointed", remoteJobId: "j", ...left },
      { kind: "killed", executionContext: null },
    ];
    expect(outcomes.map((outcome) => stateAfter(outcome, 0))).toEqual([
      "success",
      "failed",
      "deferred",
      "checkpointed",
      "failed",
    ]);
  });

  it("C33 of a checkpoint uses up no try: a task without retries stays resumable", () => {
    for (const triesLeft of [0, 3]) {
      const state = stateAfter({ kind: "checkpointed", remoteJobId: "j", ...left }, triesLeft);
      expect(state).toBe("checkpointed");
    }
  });
});
