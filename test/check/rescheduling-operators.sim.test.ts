import { describe, expect, test } from "vitest";
import {
  checkResumableJob,
  type CheckedJob,
  type JobSystemName,
  PropertyViolation,
} from "../../sim/check/mod.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import {
  type CreateJob,
  OperatorUnderTest,
} from "../../sim/worlds/operator/operator-under-test.ts";
import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import { findResumption } from "../../src/resumable/mod.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

const KEY = "remote_job_id";
const POKE_EVERY_MS = 60_000;

/** What a sensor does between two looks at its job, and what it may do wrong. */
type Execute = (sensor: Sensor, ctx: TaskContext) => Promise<unknown>;

/** Looks at its job, and gives up its worker until the next look. */
class Sensor extends BaseOperator implements Pick<CheckedJob, "execute"> {
  readonly job: CheckedJob;
  readonly #execute: Execute;

  constructor(job: CheckedJob, own: Execute) {
    super();
    this.job = job;
    this.#execute = own;
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.#execute(this, ctx);
  }

  later(): never {
    return this.reschedule(Date.now() + POKE_EVERY_MS);
  }
}

async function pokes(sensor: Sensor, ctx: TaskContext): Promise<unknown> {
  const found = await findResumption(sensor.job, ctx);
  if (found.decision === "already_succeeded") return sensor.job.getJobResult(found.externalId, ctx);
  if (found.decision !== "reconnect") {
    const id = await sensor.job.submitJob(ctx);
    await ctx.taskStateStore?.set(KEY, id as string);
  }
  return sensor.later();
}

/** The operator with the six methods of the example operator of a system. */
function sensorOn(system: JobSystemName, execute: Execute = pokes): CreateJob {
  return (client, surroundings) => {
    const job = rightJobOn(system)(client, surroundings);
    return Object.assign(new Sensor(job, execute), job);
  };
}

const THREE_HOURS = `
story: A sensor looks at a job of three hours once a minute, and its worker is lost in between.
world: operator
system: { aws-batch: { takes: { min: 3h, max: 3h } } }
faults:
  - { loseAttempt: 40, after: 0s }
phases: { safety: 4h, liveness: 4h }
`;

describe("an operator that reschedules", () => {
  test.each(["aws-batch", "livy", "databricks"] as const)("holds on %s", async (system) => {
    const report = await checkResumableJob(sensorOn(system), { system, numRuns: 120 });
    // Each run has an attempt that submits and one that fetches.
    expect(report.attempts).toBeGreaterThanOrEqual(240);
  });

  // Every third look shows a status that says nothing, so that five jobs are over before one is
  // seen to have succeeded: nine attempts, of which only those that submit count as tries.
  test("holds where it looks at its jobs in vain, seed 633", async () => {
    const system = "aws-batch";
    await checkResumableJob(sensorOn(system), { system, seed: 633, numRuns: 1 });
  });

  test("begins anew at its date, each time in the same try", async () => {
    const operator = new OperatorUnderTest(sensorOn("aws-batch"));
    const scenario = parseScenario(THREE_HOURS, "sensor");
    const { trace, verdict } = await simulate(scenario, { seed: 1, operator });
    expect(verdict).toBe("held");
    const begun = trace.filter((event) => event.kind === "attempt");
    expect(begun.length).toBeGreaterThan(170);
    // The lost worker alone costs a try.
    expect(new Set(begun.map(({ tryNumber }) => tryNumber))).toEqual(new Set([1, 2]));
    const gaps = begun.slice(1).map(({ at }, before) => at - (begun[before]?.at ?? 0));
    expect(gaps.filter((gap) => gap < POKE_EVERY_MS)).toHaveLength(1);
  });

  test("and submits a job at each look, while the ones before take hours, comes to an end", async () => {
    const submits: Execute = async (sensor, ctx) => {
      const id = await sensor.job.submitJob(ctx);
      await ctx.taskStateStore?.set(KEY, id as string);
      return sensor.later();
    };
    const operator = new OperatorUnderTest(sensorOn("aws-batch", submits));
    const { verdict } = await simulate(parseScenario(THREE_HOURS, "sensor"), { seed: 1, operator });
    expect(verdict).toBe("broken");
  });

  test.each<readonly [string, Execute, readonly string[]]>([
    [
      "before it has stored the id of its job",
      async (sensor, ctx) => {
        const found = await findResumption(sensor.job, ctx);
        if (found.decision === "fresh_submit") await sensor.job.submitJob(ctx);
        return sensor.later();
      },
      ["R-I1", "R-settled"],
    ],
    [
      "while the id of its job is on its way to the store",
      async (sensor, ctx) => {
        const found = await findResumption(sensor.job, ctx);
        if (found.decision === "already_succeeded") return found.externalId;
        if (found.decision !== "reconnect") {
          const id = await sensor.job.submitJob(ctx);
          void ctx.taskStateStore?.set(KEY, id as string);
        }
        return sensor.later();
      },
      ["R-I1"],
    ],
    ["for ever", (sensor) => Promise.resolve(sensor.later()), ["R-settled"]],
    [
      "and submits a job at each look",
      async (sensor, ctx) => {
        const id = await sensor.job.submitJob(ctx);
        await ctx.taskStateStore?.set(KEY, id as string);
        return sensor.later();
      },
      ["R-I3", "R-I1"],
    ],
  ])("%s is accused", async (_, execute, promises) => {
    const system = "aws-batch";
    const check = checkResumableJob(sensorOn(system, execute), { system, numRuns: 100 });
    const violation = (await check.catch((error: unknown) => error)) as PropertyViolation;
    expect(violation).toBeInstanceOf(PropertyViolation);
    expect(promises).toContain(violation.guarantee);
  });
});
