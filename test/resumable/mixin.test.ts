import { describe, expect, it } from "vitest";
import { BaseOperator, runTask, type TaskContext } from "../../src/operator/mod.ts";
import { findResumption, ResumableJobMixin } from "../../src/resumable/mod.ts";
import { RunBatch } from "./batch-operator.ts";
import { JobBench } from "./job-bench.ts";

/** Returns a bench whose first attempt was lost while it polled. */
async function lostWhilePolling(): Promise<JobBench> {
  const bench = new JobBench();
  bench.runner = (_job, ctx) => Promise.resolve(new RunBatch(bench).execute(ctx));
  expect(await bench.attempt({}, { site: "poll", when: "before" })).toEqual({ kind: "crash" });
  return bench;
}

describe("ResumableJobMixin()", () => {
  it("B1 B11 submits on the first run and reconnects on the next", async () => {
    const bench = await lostWhilePolling();
    expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "job-1"' });
    expect(bench.accepted).toBe(1);
  });

  it("B3 takes the key from the instance, else from the class, else remote_job_id", async () => {
    class OfClass extends RunBatch {
      static override readonly externalIdKey = "class_key";
    }
    class OfInstance extends OfClass {
      override readonly externalIdKey = "own_key";
    }
    for (const [Operator, key] of [
      [RunBatch, "remote_job_id"],
      [OfClass, "class_key"],
      [OfInstance, "own_key"],
    ] as const) {
      const bench = new JobBench();
      await new Operator(bench).execute(bench.context());
      expect(await bench.stored(key)).toBe("job-1");
    }
  });

  it("B34 takes durable from the instance, else from the class, else true", async () => {
    class NotDurable extends RunBatch {
      static override readonly durable = false;
    }
    class Durable extends NotDurable {
      override readonly durable: boolean;
      constructor(bench: JobBench, { durable = true } = {}) {
        super(bench);
        this.durable = durable;
      }
    }
    const storedBy = async (operatorOf: (bench: JobBench) => RunBatch): Promise<unknown> => {
      const bench = new JobBench();
      await operatorOf(bench).execute(bench.context());
      return bench.stored();
    };
    expect(await storedBy((bench) => new RunBatch(bench))).toBe("job-1");
    expect(await storedBy((bench) => new NotDurable(bench))).toBeNull();
    expect(await storedBy((bench) => new Durable(bench))).toBe("job-1");
    expect(await storedBy((bench) => new Durable(bench, { durable: false }))).toBeNull();
  });

  it("B37 does not compile with a method missing, and rejects if it was compiled anyway", async () => {
    class Bare extends ResumableJobMixin(BaseOperator) {
      override async execute(ctx: TaskContext): Promise<unknown> {
        // @ts-expect-error the six methods are missing
        const result: unknown = await this.executeResumable(ctx);
        return result;
      }
    }
    await expect(new Bare().execute(new JobBench().context())).rejects.toThrow(
      "Cannot resume or submit Bare: it has no submitJob, no getJobStatus",
    );
  });

  it("keeps the constructor, the instance and the statics of its base", () => {
    class Base {
      static readonly kind = "base";
      readonly size: number;
      constructor(size: number) {
        this.size = size;
      }
    }
    class Derived extends ResumableJobMixin(Base) {}
    expect(new Derived(3)).toBeInstanceOf(Base);
    expect([new Derived(3).size, Derived.kind]).toEqual([3, "base"]);
  });

  it("B56 passes the id to the poll on a reconnect, where the operator keeps it for onKill", async () => {
    const bench = await lostWhilePolling();
    const operator = new RunBatch(bench);
    bench.runner = (_job, ctx) => operator.execute(ctx);
    await bench.attempt();
    expect([operator.jobId, bench.accepted]).toEqual(["job-1", 1]);
  });

  it("B57 B65 gives the decision alone to an operator that defers", async () => {
    class Deferring extends RunBatch {
      override async execute(ctx: TaskContext): Promise<unknown> {
        const found = await findResumption(this, ctx);
        if (found.decision === "already_succeeded") return this.getJobResult(found.externalId, ctx);
        if (found.decision !== "reconnect") return this.executeResumable(ctx);
        return this.defer({ trigger: { job: found.externalId }, methodName: "executeComplete" });
      }
    }
    const bench = await lostWhilePolling();
    const outcome = await runTask(new Deferring(bench), bench.context());
    expect(outcome).toMatchObject({ kind: "deferred", trigger: { job: "job-1" } });
    expect([bench.accepted, bench.count("poll")]).toEqual([1, 1]);
    const notDurable = await findResumption(bench.job, bench.context(), { durable: false });
    expect(notDurable).toEqual({ decision: "fresh_submit" });
  });
});
