import { describe, expect, it } from "vitest";
import type { MeterPort, ResumeTelemetry, SpanPort, TracerPort } from "../../src/resumable/mod.ts";
import { JobBench } from "./job-bench.ts";

interface SpanRecord {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly exceptions: unknown[];
  status: number | undefined;
  ended: boolean;
}

/** Records everything that is reported, in order. */
class Recorder {
  readonly counts: (readonly [string, Record<string, string> | undefined])[] = [];
  readonly spans: SpanRecord[] = [];
  readonly meter: MeterPort = {
    createCounter: (name) => ({ add: (_value, tags) => this.counts.push([name, tags]) }),
  };
  readonly tracer: TracerPort = { startSpan: (name) => this.#span(name) };

  get telemetry(): ResumeTelemetry {
    return { meter: this.meter, tracer: this.tracer, operator: "RunBatch" };
  }

  names(): string[] {
    return this.counts.map(([name]) => name.replace("resumable_job.", ""));
  }

  #span(name: string): SpanPort {
    const record: SpanRecord = {
      name,
      attributes: {},
      exceptions: [],
      status: undefined,
      ended: false,
    };
    this.spans.push(record);
    return {
      setAttribute: (key, value) => (record.attributes[key] = value),
      recordException: (exception) => record.exceptions.push(exception),
      setStatus: ({ code }) => (record.status = code),
      end: () => (record.ended = true),
    };
  }
}

/** Runs a retry of a job with `status`, or a first run without one, and records what it reports. */
async function recorded(status?: string): Promise<{ recorder: Recorder; bench: JobBench }> {
  const recorder = new Recorder();
  const bench = new JobBench();
  if (status !== undefined) {
    await bench.store.set("remote_job_id", "old");
    bench.setStatus("old", status);
  }
  await bench.attempt({ telemetry: recorder.telemetry });
  return { recorder, bench };
}

describe("telemetry of a decision", () => {
  it("B59 tags each counter with the operator, and with the team when the task has one", async () => {
    const { recorder } = await recorded();
    expect(recorder.counts).toEqual([["resumable_job.fresh_submit", { operator: "RunBatch" }]]);
    const bench = new JobBench();
    bench.statsTags = { team_name: "red", other: "x" };
    const other = new Recorder();
    await bench.attempt({ telemetry: { meter: other.meter } });
    expect(other.counts[0]?.[1]).toEqual({ operator: "Object", team_name: "red" });
  });

  it("has the job and its status in the span of a predicate that throws", async () => {
    const recorder = new Recorder();
    const bench = new JobBench();
    await bench.store.set("remote_job_id", "old");
    bench.setStatus("old", "RUNNING");
    Object.assign(bench.job, {
      isJobActive: () => {
        throw new Error("no such status");
      },
    });
    const end = await bench.attempt({ telemetry: recorder.telemetry });
    expect(end).toMatchObject({ kind: "error", error: new Error("no such status") });
    expect(recorder.spans[0]).toMatchObject({
      status: 2,
      attributes: { "resumable.external_id": "old", "resumable.prior_status": "RUNNING" },
    });
  });

  it("B60 counts the decision, and before it the attempt to reconnect", async () => {
    expect((await recorded()).recorder.names()).toEqual(["fresh_submit"]);
    for (const [status, counter] of [
      ["RUNNING", "reconnect_success"],
      ["SUCCEEDED", "already_succeeded"],
      ["FAILED", "terminal_resubmit"],
    ]) {
      expect((await recorded(status)).recorder.names()).toEqual(["reconnect_attempt", counter]);
    }
  });

  it("B61 counts the attempt before it looks up the status", async () => {
    const recorder = new Recorder();
    const bench = new JobBench();
    await bench.store.set("remote_job_id", "old");
    bench.failures.set("status", new Error("503"));
    await bench.attempt({ telemetry: recorder.telemetry });
    expect(recorder.names()).toEqual(["reconnect_attempt"]);
  });

  it("B62 records the decision in a span, with the job when there is one", async () => {
    const fresh = (await recorded()).recorder.spans;
    expect(fresh.map(({ name }) => name)).toEqual(["resumable_job.resume_decision"]);
    expect(fresh[0]?.attributes).toEqual({
      operator: "RunBatch",
      "resumable.external_id_key": "remote_job_id",
      "resumable.decision": "fresh_submit",
    });
    for (const [status, decision] of [
      ["RUNNING", "reconnect"],
      ["SUCCEEDED", "already_succeeded"],
      ["FAILED", "terminal_resubmit"],
    ]) {
      expect((await recorded(status)).recorder.spans[0]?.attributes).toMatchObject({
        "resumable.decision": decision,
        "resumable.external_id": "old",
        "resumable.prior_status": status,
      });
    }
  });

  it("B31 B62 records no_task_state_store in the span, and counts nothing", async () => {
    const recorder = new Recorder();
    const bench = new JobBench();
    bench.withStore = false;
    await bench.attempt({ telemetry: recorder.telemetry });
    expect(recorder.spans[0]?.attributes["resumable.decision"]).toBe("no_task_state_store");
    expect(recorder.counts).toEqual([]);
  });

  it("B32 B65 reports nothing when not durable", async () => {
    const recorder = new Recorder();
    await new JobBench().attempt({ durable: false, telemetry: recorder.telemetry });
    expect([recorder.spans, recorder.counts]).toEqual([[], []]);
  });

  it("B62 ends the span before it submits or polls", async () => {
    for (const status of [undefined, "RUNNING", "FAILED"]) {
      const recorder = new Recorder();
      const bench = new JobBench();
      const ended: (boolean | undefined)[] = [];
      const { submitJob, pollUntilComplete } = bench.job;
      bench.job.submitJob = (ctx) => {
        ended.push(recorder.spans[0]?.ended);
        return submitJob(ctx);
      };
      bench.job.pollUntilComplete = (id, ctx) => {
        ended.push(recorder.spans[0]?.ended);
        return pollUntilComplete(id, ctx);
      };
      if (status !== undefined) {
        await bench.store.set("remote_job_id", "old");
        bench.setStatus("old", status);
      }
      await bench.attempt({ telemetry: recorder.telemetry });
      expect(new Set(ended)).toEqual(new Set([true]));
    }
  });

  it("B63 ends the span of a failed status lookup with the error, without decision and id", async () => {
    const recorder = new Recorder();
    const bench = new JobBench();
    await bench.store.set("remote_job_id", "old");
    const outage = new Error("503");
    bench.failures.set("status", outage);
    await bench.attempt({ telemetry: recorder.telemetry });
    expect(recorder.spans).toEqual([
      {
        name: "resumable_job.resume_decision",
        attributes: { operator: "RunBatch", "resumable.external_id_key": "remote_job_id" },
        exceptions: [outage],
        status: 2,
        ended: true,
      },
    ]);
  });

  it("B64 logs each decision at its level, with the key, the id and the status", async () => {
    const first = async (status?: string): Promise<unknown> =>
      (await recorded(status)).bench.log[0];
    const job = { externalIdKey: "remote_job_id", externalId: "old" };
    expect(await first()).toMatchObject({ level: "debug" });
    expect(await first("RUNNING")).toMatchObject({
      level: "info",
      fields: { ...job, status: "RUNNING" },
    });
    expect(await first("SUCCEEDED")).toMatchObject({ level: "info", fields: job });
    expect(await first("FAILED")).toMatchObject({
      level: "warn",
      fields: { ...job, status: "FAILED" },
    });
    expect((await recorded()).bench.levels()).toEqual(["debug", "debug"]);
  });
});

/** The parts of OpenTelemetry's types that the ports stand for. */
interface OtelSpan {
  setAttribute(key: string, value: string | number | boolean | string[]): this;
  recordException(exception: string | { message?: string; name?: string }, time?: number): void;
  setStatus(status: { code: 0 | 1 | 2; message?: string }): this;
  end(endTime?: number): void;
}
interface OtelTracer {
  startSpan(name: string, options?: { root?: boolean }, context?: object): OtelSpan;
}
interface OtelMeter {
  createCounter(
    name: string,
    options?: { unit?: string },
  ): { add(value: number, attributes?: Record<string, unknown>, context?: object): void };
}

it("B59 B62 accepts a meter and a tracer of OpenTelemetry's API unchanged", () => {
  const fit = (meter: OtelMeter, tracer: OtelTracer): ResumeTelemetry => ({ meter, tracer });
  expect(fit).toBeTypeOf("function");
});
