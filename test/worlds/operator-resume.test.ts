import { describe, expect, test } from "vitest";
import { checkResumableJob, type CreateJob, PropertyViolation } from "../../sim/check/mod.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import {
  type CheckedJob,
  OperatorUnderTest,
} from "../../sim/worlds/operator/operator-under-test.ts";
import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { ResumableJobMixin, resumeOrSubmit } from "../../src/resumable/mod.ts";
import { rightJobOn } from "../check/resumable-job-bugs.ts";

const SYSTEM = "aws-batch";
const EVICTED = "faults: [{ killAttempt: 1, after: 9s, category: infrastructure }]";

/** The example operator of a system, as a class with the mixin that checkpoints its job. */
class Batch extends ResumableJobMixin(BaseOperator) {
  readonly #job: CheckedJob;
  protected jobId: unknown;

  constructor(job: CheckedJob) {
    super();
    this.#job = job;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.executeResumable(ctx);
  }

  async submitJob(ctx: TaskContext): Promise<unknown> {
    this.jobId = await this.#job.submitJob(ctx);
    return this.jobId;
  }

  async getJobStatus(id: unknown, ctx: TaskContext): Promise<string> {
    return this.#job.getJobStatus(id, ctx);
  }

  async isJobActive(status: string): Promise<boolean> {
    return this.#job.isJobActive(status);
  }

  async isJobSucceeded(status: string): Promise<boolean> {
    return this.#job.isJobSucceeded(status);
  }

  async pollUntilComplete(id: unknown, ctx: TaskContext): Promise<void> {
    this.jobId = id;
    await this.#job.pollUntilComplete(id, ctx);
  }

  getJobResult(id: unknown, ctx: TaskContext): unknown {
    return this.#job.getJobResult(id, ctx);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId !== undefined && keepsJob(executionContext)) {
      this.checkpoint({ remoteJobId: this.jobId, kwargs: { page: 17 } });
    }
    await this.#job.onKill?.(executionContext);
  }
}

function operatorOf(Form: new (job: CheckedJob) => Batch): CreateJob {
  return (client, surroundings) => new Form(rightJobOn(SYSTEM)(client, surroundings));
}

function run(createJob: CreateJob, members: string): Promise<RunReport> {
  const text = `{ story: Mine, world: operator, system: ${SYSTEM}, ${members} }`;
  return simulate(parseScenario(text, "mine"), { operator: new OperatorUnderTest(createJob) });
}

async function accusationOf(createJob: CreateJob, numRuns: number): Promise<string | undefined> {
  try {
    await checkResumableJob(createJob, { system: SYSTEM, numRuns });
    return undefined;
  } catch (error) {
    if (error instanceof PropertyViolation) return error.guarantee;
    throw error;
  }
}

function endings({ trace }: RunReport): readonly string[] {
  return trace.flatMap((event) =>
    event.kind === "attempt-ended" ? [`${event.outcome} ${event.error}`.trim()] : [],
  );
}

function beginnings({ trace }: RunReport): readonly string[] {
  return trace.flatMap((event) =>
    event.kind === "attempt" ? [`${event.start} in try ${event.tryNumber}`] : [],
  );
}

describe("an operator that overrides resumeJob", () => {
  const calls: unknown[] = [];
  class Own extends Batch {
    override resumeJob(ctx: TaskContext, ...rest: unknown[]): Promise<never> {
      calls.push([ctx.tryNumber, ...rest]);
      const [id] = rest;
      return super.resumeJob(ctx, id) as Promise<never>;
    }
  }

  test("resumes by it, in the same try, with the id and the arguments of its checkpoint", async () => {
    calls.length = 0;
    const report = await run(operatorOf(Own), EVICTED);
    expect(report.verdict).toBe("held");
    const { id } = report.trace.find((event) => event.kind === "job-accepted") as { id: string };
    expect(calls).toEqual([[1, id, { page: 17 }]]);
    expect(beginnings(report)).toEqual(["execute in try 1", "resume in try 1"]);
    expect(endings(report)).toEqual(["checkpointed", "success"]);
    // The mixin that it calls is observed as if the world had called it.
    const decided = report.trace.filter((event) => event.kind === "resume-decided");
    expect(decided.map(({ decision }) => decision)).toEqual(["fresh_submit", "reconnect"]);
  });

  test("holds in drawn runs", async () => {
    expect(await accusationOf(operatorOf(Own), 60)).toBeUndefined();
  });

  test.each<readonly [string, new (job: CheckedJob) => Batch, readonly string[]]>([
    [
      "submits another job",
      class extends Batch {
        override async resumeJob(ctx: TaskContext): Promise<never> {
          const id = await this.submitJob(ctx);
          await this.pollUntilComplete(id, ctx);
          return this.getJobResult(id, ctx) as never;
        }
      },
      // It neither goes on with the job of its checkpoint, nor stores the id of its own.
      ["R-I3", "R-I2", "R-I1"],
    ],
    [
      "returns before the job has ended",
      class extends Batch {
        override resumeJob(): Promise<never> {
          return Promise.resolve(null as never);
        }
      },
      ["R-I20"],
    ],
    [
      "keeps its job when its time is over, and calls the mixin itself",
      class extends Batch {
        override execute(ctx: TaskContext): Promise<unknown> {
          return resumeOrSubmit<unknown, unknown, TaskContext>(this, ctx);
        }

        override async onKill(executionContext: ExecutionContext | null): Promise<void> {
          if (this.jobId === undefined || executionContext?.category === "user") {
            await super.onKill(executionContext);
            return;
          }
          this.checkpoint({ remoteJobId: this.jobId });
        }
      },
      ["R-I14"],
    ],
    [
      "does not know the job that it goes on with, and calls the mixin itself",
      class extends Batch {
        #hasSubmitted = false;

        override execute(ctx: TaskContext): Promise<unknown> {
          return resumeOrSubmit<unknown, unknown, TaskContext>(this, ctx);
        }

        override submitJob(ctx: TaskContext): Promise<unknown> {
          this.#hasSubmitted = true;
          return super.submitJob(ctx);
        }

        override async onKill(executionContext: ExecutionContext | null): Promise<void> {
          // Without a checkpoint, it goes on with what it finds in the store.
          if (!this.#hasSubmitted || keepsJob(executionContext)) return;
          await super.onKill(executionContext);
        }
      },
      ["R-I14"],
    ],
  ])("and %s is accused", async (_, Form, promises) => {
    expect(promises).toContain(await accusationOf(operatorOf(Form), 2_000));
  });
});

test("an override of executeResumable is called", async () => {
  class Own extends Batch {
    override async executeResumable(ctx: TaskContext): Promise<never> {
      return [await super.executeResumable(ctx)] as never;
    }
  }
  const report = await run(operatorOf(Own), "faults: []");
  const end = report.trace.findLast((event) => event.kind === "task-state");
  expect(end).toMatchObject({ state: "success", result: expect.stringMatching(/^\[/) as string });
});

test("an operator that checkpoints and has no method that resumes costs the attempt", async () => {
  class Without extends Batch {
    override readonly resumeJob = undefined as never;
  }
  const report = await run(operatorOf(Without), EVICTED);
  expect(endings(report)[1]).toMatch(/^failed UnknownResumeMethod: .*no method "resumeJob"/);
  expect(beginnings(report)[2]).toBe("execute in try 2");
});

describe("an operator that checkpoints of itself, and is not killed", () => {
  /** Frees its worker between two looks at its job. */
  class Looking extends Batch {
    override async pollUntilComplete(id: unknown, ctx: TaskContext): Promise<void> {
      this.jobId = id;
      const status = await this.getJobStatus(id, ctx);
      if (await this.isJobSucceeded(status)) return;
      if (!(await this.isJobActive(status))) throw new Error(`The job is ${status}`);
      this.checkpoint({ remoteJobId: id, kwargs: { at: "look" } });
    }
  }

  test("goes on by the method that it names, in the same try, until its job is over", async () => {
    const report = await run(operatorOf(Looking), "faults: []");
    expect(report.verdict).toBe("held");
    expect(beginnings(report).length).toBeGreaterThan(3);
    expect(new Set(beginnings(report).slice(1))).toEqual(new Set(["resume in try 1"]));
    expect(new Set(endings(report).slice(0, -1))).toEqual(new Set(["checkpointed"]));
    expect(endings(report).at(-1)).toBe("success");
  });

  test("holds in drawn runs", async () => {
    expect(await accusationOf(operatorOf(Looking), 200)).toBeUndefined();
  });

  test("and never looks whether its job is over is accused", async () => {
    class Endless extends Batch {
      override async pollUntilComplete(id: unknown): Promise<void> {
        this.checkpoint({ remoteJobId: id });
      }
      override resumeJob(_ctx: TaskContext, id: unknown): Promise<never> {
        return this.checkpoint({ remoteJobId: id });
      }
    }
    expect(await accusationOf(operatorOf(Endless), 2_000)).toBe("R-settled");
  });

  test("and leaves an argument that JSON cannot hold fails, at the very attempt", async () => {
    class Careless extends Batch {
      override async execute(): Promise<unknown> {
        const kwargs: Record<string, unknown> = {};
        try {
          this.checkpoint({ remoteJobId: 17, kwargs });
        } finally {
          kwargs["client"] = 17n;
        }
      }
    }
    const report = await run(operatorOf(Careless), "faults: []");
    expect(endings(report)[0]).toBe("failed TypeError");
  });
});

test("a reschedule that a catch block swallows fails the attempt", async () => {
  class Careless extends Batch {
    override async execute(): Promise<unknown> {
      try {
        return this.reschedule(Date.now() + 60_000);
      } catch {
        return null;
      }
    }
  }
  const report = await run(operatorOf(Careless), "faults: []");
  expect(endings(report)[0]).toMatch(
    /^failed SignalSwallowed: .*Careless.execute after it raised TaskRescheduled/,
  );
  const told = report.violations.flatMap(({ story }) => story).join("\n");
  expect(told).toContain("a catch block swallowed the signal");
});
