import { describe, expect, it } from "vitest";
import {
  EXECUTE,
  type ExecutionContext,
  keepsJob,
  runTask,
  startAfter,
  TaskKilled,
  type TaskStart,
} from "../../src/operator/mod.ts";
import { resumeOrSubmit } from "../../src/resumable/mod.ts";
import { RunBatch } from "./batch-operator.ts";
import { JobBench } from "./job-bench.ts";

describe("a checkpoint of a resumable operator", () => {
  /** Resumes from the checkpoint `newer` while the store holds `stored`. */
  async function resumed(
    stored: readonly [id: string, status: string] | undefined,
    checkpointed: readonly [id: string, status: string],
  ): Promise<JobBench> {
    const bench = new JobBench();
    for (const [id, status] of [checkpointed, ...(stored === undefined ? [] : [stored])]) {
      bench.setStatus(id, status);
    }
    if (stored !== undefined) await bench.store.set("remote_job_id", stored[0]);
    bench.runner = (job, ctx) => resumeOrSubmit(job, ctx, { checkpointedId: checkpointed[0] });
    expect((await bench.attempt()).kind).toBe("result");
    return bench;
  }

  it("C38 that names the job of the store: one status call, one job", async () => {
    const bench = await resumed(["job-1", "RUNNING"], ["job-1", "RUNNING"]);
    expect([bench.count("status"), bench.count("set"), bench.accepted]).toEqual([1, 0, 0]);
  });

  it("C38 that names the failed job of the store: one status call, one new job", async () => {
    const bench = await resumed(["job-1", "FAILED"], ["job-1", "FAILED"]);
    expect([bench.count("status"), bench.accepted]).toEqual([1, 1]);
  });

  it("C38 is adopted and stored when the store is empty", async () => {
    const bench = await resumed(undefined, ["job-1", "RUNNING"]);
    expect([bench.accepted, await bench.stored()]).toEqual([0, "job-1"]);
    expect(bench.calls.indexOf("set(job-1)")).toBeLessThan(bench.calls.indexOf("poll(job-1)"));
  });

  it("C38 is ignored when the store holds a newer job", async () => {
    const bench = await resumed(["job-2", "RUNNING"], ["job-1", "FAILED"]);
    expect([bench.accepted, bench.count("status"), await bench.stored()]).toEqual([0, 1, "job-2"]);
  });

  it("C38 replaces an older job in the store that has failed", async () => {
    const bench = await resumed(["job-0", "FAILED"], ["job-1", "RUNNING"]);
    expect([bench.accepted, await bench.stored()]).toEqual([0, "job-1"]);
  });

  it("C38 of a failed job beside a failed one in the store: submits once", async () => {
    const bench = await resumed(["job-0", "FAILED"], ["job-1", "FAILED"]);
    expect([bench.accepted, await bench.stored()]).toEqual([1, "job-1"]);
  });

  it("C38 is honoured without a store, and when not durable", async () => {
    for (const durable of [true, false]) {
      const bench = new JobBench();
      bench.withStore = !durable;
      bench.setStatus("job-1", "RUNNING");
      bench.runner = (job, ctx) => resumeOrSubmit(job, ctx, { durable, checkpointedId: "job-1" });
      expect(await bench.attempt()).toEqual({ kind: "result", value: 'rows of "job-1"' });
      expect([bench.accepted, bench.count("get"), bench.count("set")]).toEqual([0, 0, 0]);
    }
  });

  it("C10 C12 C25 survives a kill with notice and one without: one job in both cases", async () => {
    class Checkpointing extends RunBatch {
      override onKill(executionContext: ExecutionContext | null): void {
        if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.jobId });
      }
    }
    const bench = new JobBench();
    bench.runner = (_job, ctx) => runTask(new Checkpointing(bench), ctx);
    // Without notice: the worker is lost while it polls.
    expect(await bench.attempt({}, { site: "poll", when: "before" })).toEqual({ kind: "crash" });
    // With notice: killed while it polls.
    let start: TaskStart = EXECUTE;
    bench.runner = async (_job, ctx) => {
      const controller = new AbortController();
      const { pollUntilComplete } = bench.job;
      bench.job.pollUntilComplete = () => {
        controller.abort(new TaskKilled({ category: "infrastructure" }));
        return new Promise(() => undefined);
      };
      const outcome = await runTask(
        new Checkpointing(bench),
        { ...ctx, signal: controller.signal },
        start,
      );
      bench.job.pollUntilComplete = pollUntilComplete;
      start = startAfter(start, outcome);
      return outcome.kind;
    };
    expect(await bench.attempt()).toEqual({ kind: "result", value: "checkpointed" });
    bench.runner = (_job, ctx) => runTask(new Checkpointing(bench), ctx, start);
    expect(await bench.attempt()).toEqual({
      kind: "result",
      value: { kind: "success", result: 'rows of "job-1"' },
    });
    expect(bench.accepted).toBe(1);
  });
});
