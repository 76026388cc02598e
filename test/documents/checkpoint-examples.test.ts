// The operators of AIP-96, ported one to one, in a world in which workers are evicted and lost. Their
// names and their comments are the document's; what is said of each run is what it says of them.
import { describe, expect, test } from "vitest";
import {
  BaseOperator,
  type ExecutionContext,
  KillCategory,
  type TaskContext,
} from "../../src/operator/mod.ts";
import type { TaskServices } from "../../sim/hosts/task-process.ts";
import type { JobClient } from "../../sim/jobs/job-client.ts";
import { textFromJobId } from "../../sim/jobs/job-id.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { sleep } from "../../src/time/mod.ts";

const POLL_EVERY_MS = 10_000;
const DISPATCH_MS = 10_000;
const { INFRASTRUCTURE } = KillCategory;

/** What the document calls on itself: Databricks, behind the words of the example. */
class Databricks extends BaseOperator {
  readonly #services: TaskServices;
  readonly #hook: JobClient;

  constructor(services: TaskServices, hook: JobClient) {
    super();
    this.#services = services;
    this.#hook = hook;
  }

  async submitDatabricksJob(): Promise<string> {
    // A run id has 64 bits, so that it is kept as digits.
    const { name: tag } = this.#services.assignment.row;
    return textFromJobId(await this.#hook.submit({ jobType: "notebook", tag }));
  }

  async getJobStatus(jobId: string): Promise<string> {
    const status = await this.#hook.status(jobId);
    if (status === "TERMINATED/SUCCESS") return "SUCCESS";
    return /^(?:TERMINATED\/|INTERNAL_ERROR|SKIPPED)/.test(status) ? "FAILED" : "RUNNING";
  }

  async pollUntilComplete(jobId: string): Promise<unknown> {
    for (;;) {
      const status = await this.getJobStatus(jobId);
      if (status === "SUCCESS") return this.getJobResults(jobId);
      if (status === "FAILED") throw new Error(`Job ${jobId} failed`);
      await this.pause(POLL_EVERY_MS);
    }
  }

  async getJobResults(jobId: string): Promise<unknown> {
    return (await this.#hook.result(jobId)).output;
  }

  cancelDatabricksJob(jobId: string): Promise<void> {
    return this.#hook.cancel(jobId);
  }

  pause(ms: number): Promise<void> {
    return sleep(this.#services.life.clock, ms);
  }
}

/** "Current Behavior and Limitations": on_kill has no context, and must always cancel. */
class BeforeOperator extends Databricks {
  #jobId: string | undefined;

  override async execute(): Promise<unknown> {
    this.#jobId = await this.submitDatabricksJob();
    return this.pollUntilComplete(this.#jobId);
  }

  override async onKill(): Promise<void> {
    if (this.#jobId !== undefined) await this.cancelDatabricksJob(this.#jobId);
  }
}

/** "Path 1: Resumable-Only (Synchronous Polling)". */
class ResumableOnlyOperator extends Databricks {
  currentJobId: string | undefined;

  override async execute(): Promise<unknown> {
    const jobId = await this.submitDatabricksJob();
    this.currentJobId = jobId;
    return this.pollUntilComplete(jobId);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    // C18: the document would checkpoint, or cancel, without an id.
    if (this.currentJobId === undefined) return;
    if (executionContext?.category === INFRASTRUCTURE) {
      this.checkpoint({ remoteJobId: this.currentJobId, methodName: "resumeJob" });
    } else {
      await this.cancelDatabricksJob(this.currentJobId);
    }
  }

  async resumeJob(_ctx: TaskContext, remoteJobId: string): Promise<unknown> {
    const status = await this.getJobStatus(remoteJobId);
    if (["RUNNING", "PENDING"].includes(status)) {
      // C17: the document forgets the id here, so that a second eviction would lose it.
      this.currentJobId = remoteJobId;
      return this.pollUntilComplete(remoteJobId);
    }
    if (status === "SUCCESS") return this.getJobResults(remoteJobId);
    return this.execute();
  }
}

interface JobEnd {
  readonly jobId: string;
  readonly succeeded: boolean;
}

/** "Path 2: Deferral + Resumable (Recommended)". */
class DeferrableOperator extends Databricks {
  #currentJobId: string | undefined;

  override async execute(): Promise<unknown> {
    const jobId = await this.submitDatabricksJob();
    this.#currentJobId = jobId;
    // The pre-defer phase, which can be disrupted.
    await this.pause(DISPATCH_MS);
    return this.defer({ trigger: { jobId }, methodName: "executeComplete" });
  }

  async executeComplete(_ctx: TaskContext, { jobId, succeeded }: JobEnd): Promise<unknown> {
    if (succeeded) return this.getJobResults(jobId);
    throw new Error(`Job ${jobId} failed`);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.#currentJobId === undefined) return;
    if (executionContext?.category === INFRASTRUCTURE) {
      this.checkpoint({ remoteJobId: this.#currentJobId, methodName: "resumeJob" });
    } else {
      await this.cancelDatabricksJob(this.#currentJobId);
    }
  }

  async resumeJob(_ctx: TaskContext, remoteJobId: string): Promise<unknown> {
    const status = await this.getJobStatus(remoteJobId);
    if (["RUNNING", "PENDING"].includes(status)) {
      this.#currentJobId = remoteJobId;
      return this.defer({ trigger: { jobId: remoteJobId }, methodName: "executeComplete" });
    }
    if (status === "SUCCESS") return this.getJobResults(remoteJobId);
    return this.execute();
  }
}

type Form = new (services: TaskServices, hook: JobClient) => Databricks;

interface Course {
  readonly jobs: number;
  readonly cancelled: number;
  readonly tries: number;
  /** How each attempt began. */
  readonly starts: readonly string[];
  readonly state: string;
  /** How often the last attempt asked for the status of its job. */
  readonly lookupsOfLast: number;
  /** Until the task was over, in minutes. */
  readonly minutes: number;
}

/** The document's hours in minutes, and its minutes in seconds, unless a test is about the hours. */
type Scale = "in minutes" | "in hours";

/** Runs one form on jobs of three hours, with what befalls it; times are in the document's minutes. */
async function courseOf(
  form: Form,
  befalls: (at: (minutes: number) => string) => string,
  { scale = "in minutes", task = "" }: { readonly scale?: Scale; readonly task?: string } = {},
): Promise<Course> {
  const isReal = scale === "in hours";
  const at = (minutes: number): string => `${minutes}${isReal ? "m" : "s"}`;
  const text = `
story: The example job of three hours
world: tasks
heartbeat: ${isReal ? 60 : 10}s
schedulerEvery: ${isReal ? 30 : 2}s
deadAfter: ${isReal ? 300 : 30}s
jobServer: { system: databricks, takes: { min: ${at(180)}, max: ${at(180)} } }
tasks:
  - { name: process-data, operator: checkpoint, retries: 3, retryDelay: 2s${task} }
${befalls(at)}
phases: { safety: ${at(isReal ? 360 : 900)}, liveness: ${at(900)} }
expect: { checkers: [R-settled, R-I20] }
`;
  const report = await simulate(parseScenario(text, "aip-96"), {
    seed: 1,
    taskParts: { createOperator: (_spec, services, hook) => new form(services, hook()) },
  });
  expect(report.violations).toEqual([]);
  return courseFrom(report.trace, isReal ? 60_000 : 1_000);
}

function courseFrom(trace: readonly TraceEvent[], minuteMs: number): Course {
  const count = (kind: TraceEvent["kind"]): number =>
    trace.filter((event) => event.kind === kind).length;
  const attempts = trace.filter((event) => event.kind === "attempt");
  const end = trace.findLast((event) => event.kind === "task-state");
  return {
    jobs: count("job-accepted"),
    cancelled: count("job-cancelled"),
    tries: Math.max(...attempts.map(({ tryNumber }) => tryNumber)),
    starts: attempts.map(({ start }) => start),
    state: end?.state ?? "",
    lookupsOfLast: trace.filter(
      (event) => event.kind === "job-status" && event.attempt === attempts.at(-1)?.attempt,
    ).length,
    minutes: Math.round((end?.at ?? 0) / minuteMs),
  };
}

type Befalls = Parameters<typeof courseOf>[1];

/** "K8s node maintenance evicts Airflow worker pod", after 2.5 hours of 3. */
const evicted: Befalls = (at) => `faults: [{ at: ${at(150)}, softKill: worker-1, grace: 20s }]`;
const nothing: Befalls = () => "";
const THREE_HOURS = 180;

describe("the 3-hour Databricks job", () => {
  test("is cancelled by an eviction and run again from 0 %, before", async () => {
    const course = await courseOf(BeforeOperator, evicted, { scale: "in hours" });
    expect(course).toMatchObject({ jobs: 2, cancelled: 1, tries: 2, state: "success" });
    expect(course.minutes).toBeGreaterThan(150 + THREE_HOURS);
  });

  test("is kept and resumed on the retry, which uses up no try, after", async () => {
    const course = await courseOf(ResumableOnlyOperator, evicted, { scale: "in hours" });
    expect(course).toMatchObject({ jobs: 1, cancelled: 0, tries: 1, state: "success" });
    expect(course.starts).toEqual(["execute", "resume"]);
    expect(course.minutes).toBeLessThan(THREE_HOURS + 10);
  });

  test("is resumed after each of two evictions", async () => {
    const course = await courseOf(ResumableOnlyOperator, (at) => {
      const kills = [60, 120].map((when) => `{ at: ${at(when)}, softKill: worker-1 }`);
      return `faults: [${kills.join(", ")}]`;
    });
    expect(course).toMatchObject({ jobs: 1, cancelled: 0, tries: 1, state: "success" });
    expect(course.starts).toEqual(["execute", "resume", "resume"]);
  });
});

describe("every form of the document", () => {
  const FORMS: readonly (readonly [name: string, form: Form])[] = [
    ["before", BeforeOperator],
    ["path 1", ResumableOnlyOperator],
    ["path 2", DeferrableOperator],
  ];

  test.each(FORMS)("%s: one job where nothing happens", async (_, form) => {
    const course = await courseOf(form, nothing);
    expect(course).toMatchObject({ jobs: 1, cancelled: 0, tries: 1, state: "success" });
  });

  test.each(FORMS.slice(0, 2))("%s: a user who stops the task ends its job", async (_, form) => {
    const stopped: Befalls = (at) => `operations: [{ at: ${at(30)}, stop: process-data/run-1 }]`;
    const course = await courseOf(form, stopped);
    expect(course).toMatchObject({ jobs: 1, cancelled: 1, state: "failed" });
  });

  test.each(FORMS.slice(0, 2))("%s: a timeout ends the job of its attempt", async (_, form) => {
    const course = await courseOf(form, nothing, { task: ", executionTimeout: 60s" });
    expect(course).toMatchObject({ jobs: 4, cancelled: 4, tries: 4, state: "failed" });
  });
});

describe("deferral and checkpoint", () => {
  test("a kill before the deferral keeps the job, and resume_job defers again", async () => {
    const course = await courseOf(
      DeferrableOperator,
      () => "faults: [{ at: 5s, softKill: worker-1, grace: 2s }]",
    );
    expect(course).toMatchObject({ jobs: 1, cancelled: 0, tries: 1, state: "success" });
    expect(course.starts).toEqual(["execute", "resume", "event"]);
  });

  test("no disruption of a worker reaches the deferred phase", async () => {
    const course = await courseOf(DeferrableOperator, evicted);
    expect(course).toMatchObject({ jobs: 1, cancelled: 0, tries: 1, state: "success" });
    expect(course.starts).toEqual(["execute", "event"]);
  });

  test("a loss after the deferral re-fetches the results of the job, which is done", async () => {
    const lost = (): string => "faults: [{ site: job.result, verdict: crash-after, nth: 1 }]";
    const course = await courseOf(DeferrableOperator, lost);
    expect(course).toMatchObject({ jobs: 1, cancelled: 0, tries: 2, state: "success" });
    expect(course.starts).toEqual(["execute", "event", "event"]);
  });
});

describe("resume_job", () => {
  test("returns the results of a job that has completed while the worker was down", async () => {
    const late: Befalls = (at) => `faults: [{ at: ${at(178)}, softKill: worker-1, grace: 2s }]`;
    const course = await courseOf(ResumableOnlyOperator, late);
    expect(course).toMatchObject({ jobs: 1, tries: 1, state: "success", lookupsOfLast: 1 });
    expect(course.starts).toEqual(["execute", "resume"]);
  });
});
