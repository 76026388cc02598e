import { describe, expect, test } from "vitest";
import {
  checkResumableJob,
  type CreateJob,
  type JobClient,
  type JobSurroundings,
  PropertyViolation,
} from "../../sim/check/mod.ts";
import type { TaskContext } from "../../src/operator/mod.ts";
import {
  CheckpointingOperator,
  DeferrableOperator,
  HandWrittenOperator,
  type JobOperator,
  PlainOperator,
  ResumableOperator,
} from "../../src/operators/mod.ts";
import { type Clock, sleep } from "../../src/time/mod.ts";

const SYSTEM = "aws-batch";
const ENDED: readonly string[] = ["SUCCEEDED", "FAILED", "MISSING"];
/** A new job may not be found for a few seconds. */
const PATIENCE_MS = 10_000;

type OperatorClass<T> = abstract new (clock: Clock) => T;

/** What a user writes: the same few methods over each of the classes. */
function jobOn(Form: OperatorClass<JobOperator<string, string>>): CreateJob {
  class Batch extends (Form as OperatorClass<object>) {
    readonly #client: JobClient;
    readonly #clock: Clock;
    readonly #task: string;

    constructor(client: JobClient, { clock, task }: JobSurroundings) {
      super(clock);
      this.#client = client;
      this.#clock = clock;
      this.#task = task;
    }

    async submit(_ctx: TaskContext): Promise<string> {
      return (await this.#client.submit({ jobType: "batch", tag: this.#task })) as string;
    }

    async status(id: string): Promise<string> {
      const status = await this.#lookUp(id);
      if (status !== "MISSING") return status;
      await sleep(this.#clock, PATIENCE_MS);
      return this.#lookUp(id);
    }

    isJobActive(status: string): boolean {
      return !ENDED.includes(status);
    }

    isJobSucceeded(status: string): boolean {
      return status === "SUCCEEDED";
    }

    async result(id: string): Promise<string> {
      return (await this.#client.result(id)).output;
    }

    cancel(id: string): Promise<unknown> {
      return this.#client.cancel(id);
    }

    async #lookUp(id: string): Promise<string> {
      try {
        return await this.#client.status(id);
      } catch (error) {
        if (error instanceof Error && error.name === "JobNotFound") return "MISSING";
        throw error;
      }
    }
  }
  return (client, surroundings) =>
    new Batch(client, surroundings) as unknown as ReturnType<CreateJob>;
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

describe("a user's subclass", () => {
  test.each([
    ["ResumableOperator", ResumableOperator],
    ["DeferrableOperator", DeferrableOperator],
  ] as const)("of %s holds", async (_, Form) => {
    const form = Form as OperatorClass<JobOperator<string, string>>;
    expect(await accusationOf(jobOn(form), 60)).toBeUndefined();
  });

  test.each([
    ["PlainOperator, which stores nothing", PlainOperator, "R-I2"],
    ["CheckpointingOperator, which stores nothing", CheckpointingOperator, "R-I2"],
    ["HandWrittenOperator, which waits for a failed job again", HandWrittenOperator, "R-settled"],
  ] as const)("of %s is accused", async (_, Form, promise) => {
    const form = Form as OperatorClass<JobOperator<string, string>>;
    expect(await accusationOf(jobOn(form), 200)).toBe(promise);
  });
});
