import { describe, expect, test } from "vitest";
import { checkResumableJob, PropertyViolation } from "../../sim/check/mod.ts";
import type { JobClient } from "../../sim/jobs/job-client.ts";
import type { JobSystemName } from "../../sim/jobs/presets.ts";
import type { CheckedJob } from "../../sim/worlds/operator/operator-under-test.ts";
import type { ExecutionContext, TaskContext } from "../../src/operator/mod.ts";

const REGIONS = ["eu", "us", "ap"];
const ENDED = ["DONE", "SUCCEEDED", "ERROR", "FAILED", "CANCELLED", "MISSING"];
const POLL_EVERY_MS = 5_000;
const PATIENCE_MS = 10_000;

/** What an operator does otherwise than it should. */
interface Ways {
  readonly keyOf?: (region: string) => string;
  readonly cancel?: (client: JobClient, ids: readonly string[]) => Promise<void>;
  readonly storesAfterAll?: boolean;
}

/** Runs a job in each region, and waits for one after the other. */
class Regions {
  readonly #client: JobClient;
  readonly #task: string;
  readonly #ways: Ways;
  readonly #ids = new Map<string, string>();

  constructor(client: JobClient, task: string, ways: Ways) {
    this.#client = client;
    this.#task = task;
    this.#ways = ways;
  }

  async execute({ taskStateStore: store, signal }: TaskContext): Promise<string> {
    for (const region of REGIONS) {
      const stored = (await store?.get(`job_${region}`)) as string | null;
      if (stored !== null && (await this.#goesOn(region, stored))) continue;
      signal.throwIfAborted();
      const id = await this.#submit(region, stored ?? "none");
      this.#ids.set(region, id);
      if (this.#ways.storesAfterAll !== true) await store?.set(`job_${region}`, id);
    }
    if (this.#ways.storesAfterAll === true) {
      for (const [region, id] of this.#ids) await store?.set(`job_${region}`, id);
    }
    const outputs: string[] = [];
    for (const id of this.#ids.values()) outputs.push(await this.#outputOf(id));
    return outputs.join(";");
  }

  async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (executionContext?.category === "infrastructure") return;
    const { cancel = cancelAll } = this.#ways;
    await cancel(this.#client, [...this.#ids.values()]);
  }

  async #goesOn(region: string, id: string): Promise<boolean> {
    this.#ids.set(region, id);
    const status = await this.#statusOf(id);
    if (isSuccess(status) || !ENDED.includes(status)) return true;
    this.#ids.delete(region);
    return false;
  }

  async #submit(region: string, replaced: string): Promise<string> {
    const { keyOf = (name) => name } = this.#ways;
    const idempotencyKey = `${this.#task}/${keyOf(region)} after ${replaced}`;
    return (await this.#client.submit({ jobType: region, idempotencyKey })) as string;
  }

  async #outputOf(id: string): Promise<string> {
    for (;;) {
      const status = await this.#statusOf(id);
      if (isSuccess(status)) return (await this.#client.result(id)).output;
      if (ENDED.includes(status)) throw new Error(`Job ${id} ended as ${status}`);
      await pause(POLL_EVERY_MS);
    }
  }

  async #statusOf(id: string): Promise<string> {
    const status = await this.#find(id);
    if (status !== "MISSING") return status;
    await pause(PATIENCE_MS);
    return this.#find(id);
  }

  async #find(id: string): Promise<string> {
    try {
      return await this.#client.status(id);
    } catch (error) {
      if (error instanceof Error && error.name === "JobNotFound") return "MISSING";
      throw error;
    }
  }
}

function isSuccess(status: string): boolean {
  return status === "DONE" || status === "SUCCEEDED";
}

async function cancelAll(client: JobClient, ids: readonly string[]): Promise<void> {
  const ends = await Promise.allSettled(ids.map((id) => client.cancel(id)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Checks an operator whose `execute` needs none of the six methods. */
function checked(system: JobSystemName, ways: Ways = {}): Promise<unknown> {
  return checkResumableJob(
    (client, { task }) => new Regions(client, task, ways) as unknown as CheckedJob,
    { system, numRuns: 300 },
  );
}

async function brokenBy(system: JobSystemName, ways: Ways): Promise<string> {
  const error = await checked(system, ways).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PropertyViolation);
  const { guarantee, message } = error as PropertyViolation;
  return `${guarantee}: ${/seen: (.*)/.exec(message)?.[1]}`;
}

describe("a check of an operator that runs a job in each region", () => {
  test.each(["dataproc", "aws-batch"] as const)("holds on %s", async (system) => {
    await expect(checked(system)).resolves.toMatchObject({ runs: 300 });
  });

  test("finds regions that share one idempotency key: all but the first are never run", async () => {
    const ways: Ways = { keyOf: () => "all" };
    expect(await brokenBy("dataproc", ways)).toMatch(/^R-uses: .*another type of job by the key/);
  });

  test.each(["dataproc", "aws-batch"] as const)(
    "finds that a kill cancels the first job alone, on %s",
    async (system) => {
      const ways: Ways = { cancel: (client, ids) => cancelAll(client, ids.slice(0, 1)) };
      expect(await brokenBy(system, ways)).toMatch(/^R-I14: .* left job \d+ running/);
    },
  );

  test("finds that a cancel which fails keeps a kill from cancelling the others", async () => {
    const ways: Ways = {
      cancel: async (client, ids) => {
        for (const id of ids) await client.cancel(id);
      },
    };
    expect(await brokenBy("aws-batch", ways)).toMatch(/^R-I14: .* left job \d+ running/);
  });

  test("finds ids that are stored only once all jobs were accepted", async () => {
    expect(await brokenBy("aws-batch", { storesAfterAll: true })).toMatch(
      /^R-I1: .*failed before it stored it/,
    );
  });
});
