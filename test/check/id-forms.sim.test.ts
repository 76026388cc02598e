import { describe, expect, test } from "vitest";
import {
  checkResumableJob,
  type CheckedJob,
  PropertyViolation,
  type ResumableJobOptions,
} from "../../sim/check/mod.ts";
import type { JobSystemName } from "../../sim/jobs/presets.ts";
import type { CreateJob } from "../../sim/worlds/operator/operator-under-test.ts";
import type { ExecutionContext, TaskContext } from "../../src/operator/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

/** How an operator writes the ids of its jobs, and which of them it goes on with. */
interface Form {
  /** Makes what is stored from what was stored before and the id of a new job. */
  readonly stored: (id: unknown, before: unknown) => unknown;
  readonly newest: (stored: unknown) => unknown;
  /** The job that a kill cancels; default: the newest. */
  readonly cancelled?: (stored: unknown) => unknown;
}

const WITHIN_OBJECT: Form = {
  stored: (id) => ({ batch: { id }, page: "https://batches" }),
  newest: (stored) => (stored as { readonly batch: { readonly id: unknown } }).batch.id,
};

const LIST: Form = {
  stored: (id, before) => [...((before as readonly unknown[] | null) ?? []), id],
  newest: (stored) => (stored as readonly unknown[]).at(-1),
};

/** The right operator of a system, which stores ids in a form of its own. */
function keepingIn({ stored, newest, cancelled = newest }: Form, system: JobSystemName): CreateJob {
  return (client, surroundings) => {
    const right = rightJobOn(system)(client, surroundings);
    let kept: unknown;
    const job: CheckedJob = {
      ...right,
      async submitJob(ctx: TaskContext) {
        const before = await ctx.taskStateStore?.get("remote_job_id");
        kept = stored(await right.submitJob(ctx), before);
        return kept;
      },
      getJobStatus: (id, ctx) => right.getJobStatus(newest(id), ctx),
      async pollUntilComplete(id, ctx) {
        kept = id;
        await right.pollUntilComplete(newest(id), ctx);
      },
      getJobResult: (id, ctx) => right.getJobResult(newest(id), ctx),
      async onKill(why: ExecutionContext | null) {
        if (kept !== undefined && why?.category !== "infrastructure") {
          await client.cancel(cancelled(kept));
        }
      },
    };
    return job;
  };
}

/** Stores the name that it chooses, then submits under it; a retry takes the same name. */
const namesFirst: CreateJob = (client, surroundings) => {
  const { task, clock } = surroundings;
  const right = rightJobOn("snowpark-containers")(client, surroundings);
  let name = "";
  const statusOf = async (): Promise<string> => {
    try {
      return await client.status(name);
    } catch (error) {
      if (!isNamed(error, "JobNotFound")) throw error;
      return "missing";
    }
  };
  const nextAfter = (known: string): string => `${task} ${Number(known.split(" ")[1] ?? 0) + 1}`;
  return {
    ...right,
    async execute(ctx: TaskContext) {
      const known = (await ctx.taskStateStore?.get("remote_job_id")) as string | null;
      name = known ?? nextAfter("");
      if (known !== null && (await statusOf()) === "FAILED") name = nextAfter(known);
      if (name !== known) await ctx.taskStateStore?.set("remote_job_id", name);
      await this.submitJob(ctx);
      for (;;) {
        const status = await statusOf();
        if (status === "DONE") return (await client.result(name)).output;
        if (status === "FAILED") throw new Error("The job failed");
        await sleep(clock, 5_000);
      }
    },
    async submitJob() {
      try {
        await client.submit({ jobType: "service", clientId: name });
      } catch (error) {
        if (!isNamed(error, "JobConflict")) throw error;
      }
      return name;
    },
    async onKill(why: ExecutionContext | null) {
      if (name !== "" && why?.category !== "infrastructure") await client.cancel(name);
    },
  };
};

/** Stores how many tries are left, too, on a system that counts its jobs. */
const counting: CreateJob = (client, surroundings) => {
  const right = rightJobOn("dbt-cloud")(client, surroundings);
  return {
    ...right,
    async pollUntilComplete(id: unknown, ctx: TaskContext) {
      await ctx.taskStateStore?.set("tries left", 4 - ctx.tryNumber);
      await right.pollUntilComplete(id, ctx);
    },
  };
};

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

async function brokenPromise(
  createJob: CreateJob,
  { numRuns = 120, ...options }: Partial<ResumableJobOptions> & { readonly system: JobSystemName },
): Promise<string> {
  try {
    await checkResumableJob(createJob, { numRuns, ...options });
    return "none";
  } catch (error) {
    if (error instanceof PropertyViolation) return `${error.guarantee}: ${error.message}`;
    throw error;
  }
}

describe("an operator that keeps the ids of its jobs in a form of its own", () => {
  test.for([
    ["within an object", WITHIN_OBJECT, "aws-batch"],
    ["within an object, as numbers", WITHIN_OBJECT, "dbt-cloud"],
    ["as a list, the newest last", LIST, "anthropic-batches"],
  ] as const)("holds: %s", async ([, form, system]) => {
    expect(await brokenPromise(keepingIn(form, system), { system })).toBe("none");
  });

  test("breaks R-I14 where it cancels the oldest of its jobs", async () => {
    const form = { ...LIST, cancelled: (stored: unknown) => (stored as readonly unknown[])[0] };
    const system = "anthropic-batches";
    const broken = await brokenPromise(keepingIn(form, system), { system, numRuns: 400 });
    expect(broken).toMatch(/^R-I14: .* kill of attempt \d+ left job \d+ running/su);
  });

  test("breaks R-I2 where it waits for its job before it stores the object", async () => {
    const { stored, newest } = WITHIN_OBJECT;
    const createJob: CreateJob = (client, surroundings) => {
      const right = rightJobOn("aws-batch")(client, surroundings);
      return {
        ...right,
        async execute(ctx: TaskContext) {
          const known = await ctx.taskStateStore?.get("remote_job_id");
          const id =
            known === undefined || known === null ? await right.submitJob(ctx) : newest(known);
          await right.pollUntilComplete(id, ctx);
          await ctx.taskStateStore?.set("remote_job_id", stored(id, null) as never);
          return right.getJobResult(id, ctx);
        },
      };
    };
    const broken = await brokenPromise(createJob, { system: "aws-batch", numRuns: 1 });
    expect(broken).toMatch(/^R-I2: .* polls job 1, whose id is not in the store/su);
  });

  test("holds where it stores a name that it has chosen, and then submits", async () => {
    expect(await brokenPromise(namesFirst, { system: "snowpark-containers" })).toBe("none");
  });

  test("holds where it stores a count, too, that is the id of another job", async () => {
    const knobs = { failFirst: 2 };
    expect(await brokenPromise(counting, { system: "dbt-cloud", numRuns: 1, knobs })).toBe("none");
  });
});
