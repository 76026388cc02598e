import { describe, expect, test } from "vitest";
import {
  checkResumableJob,
  type CreateJob,
  JOB_SYSTEM_NAMES,
  type JobClient,
  type JobSystemName,
  PropertyViolation,
} from "../../sim/check/mod.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import { OPERATOR_PROMISES } from "../../sim/worlds/operator/operator-kind.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { PresetJob } from "../../sim/workloads/preset-job.ts";
import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
} from "../../src/operator/mod.ts";
import { ResumableJobMixin } from "../../src/resumable/mod.ts";
import { MEMORY_BUGS } from "./memory-bugs.ts";
import {
  brokenJobOn,
  CALM_JOB_BUGS,
  PLANTED_JOB_BUGS,
  type PlantedJobBug,
  rightJobOn,
} from "./resumable-job-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 500;

async function violationOf(
  createJob: CreateJob,
  options: Parameters<typeof checkResumableJob>[1],
): Promise<PropertyViolation> {
  const error = await checkResumableJob(createJob, options).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof PropertyViolation) return error;
  throw new Error("Nothing was found", { cause: error });
}

function foundIn(bug: PlantedJobBug, seed: number): Promise<PropertyViolation> {
  const { system, knobs = {} } = bug;
  return violationOf(brokenJobOn(bug), { system, knobs, seed });
}

function bugNamed(start: string): PlantedJobBug {
  return PLANTED_JOB_BUGS.find(({ name }) => name.startsWith(start)) as PlantedJobBug;
}

class NightlyBatch extends ResumableJobMixin(BaseOperator) {
  static override readonly externalIdKey = "batch_id";
  readonly #job: PresetJob;

  constructor(client: JobClient, name: string) {
    super();
    this.#job = new PresetJob(client, client.clock, { system: "livy", name });
  }

  submitJob = () => this.#job.submitJob();
  getJobStatus = (id: number) => this.#job.getJobStatus(id);
  isJobActive = (status: string) => this.#job.isJobActive(status);
  isJobSucceeded = (status: string) => this.#job.isJobSucceeded(status);
  pollUntilComplete = (id: number, ctx: TaskContext) => this.#job.pollUntilComplete(id, ctx);
  getJobResult = (id: number) => this.#job.getJobResult(id);

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#job.jobId });
    await this.#job.cancel();
  }
}

describe("checkResumableJob()", () => {
  for (const system of JOB_SYSTEM_NAMES) {
    test(`finds nothing in the example operator on ${system}, seeds 1 to 30`, async () => {
      const report = await checkResumableJob(rightJobOn(system), { system, numRuns: 30 });
      expect(report).toMatchObject({ system, runs: 30, seed: 1 });
      expect(report.attempts).toBeGreaterThan(30);
    });
  }

  for (const bug of [...PLANTED_JOB_BUGS, ...CALM_JOB_BUGS]) {
    test(`finds ${bug.name}, on ${bug.system}, seed 1`, async () => {
      const { guarantee, detail, story, runs } = await foundIn(bug, 1);
      expect(runs).toBeLessThanOrEqual(FOUND_WITHIN_RUNS);
      expect(bug.promises).toContain(guarantee);
      expect(story.at(-1)).toContain(detail);
    });
  }

  test("strikes at every boundary in each of its outcomes, seeds 0 to 64", async () => {
    const system = "anthropic-batches";
    const { faults } = await checkResumableJob(rightJobOn(system), {
      system,
      seed: 0,
      numRuns: 65,
    });
    const struck = faults.map(([name]) => name).filter((name) => !name.startsWith("crash "));
    for (const site of [
      "job.submit",
      "job.status",
      "job.result",
      "api.set-task-state",
      "api.get-task-state",
    ]) {
      for (const what of [
        "crash the caller before the effect",
        "crash the caller after the effect",
        "fail before the effect",
        "fail after the effect",
        "lose the reply",
      ]) {
        expect(struck).toContain(`${site}: ${what}`);
      }
    }
  });

  test("reports the smallest run in words, and the same one for the same seed", async () => {
    const bug = bugNamed("E8");
    const violation = await foundIn(bug, 1);
    expect(violation.message).toBe((await foundIn(bug, 1)).message);
    expect(violation.size).toEqual({ attempts: 2, acts: 1 });
    const { seed } = violation;
    const { story } = await violationOf(brokenJobOn(bug), {
      system: bug.system,
      seed,
      numRuns: 1,
    });
    expect(story).toEqual(violation.story);
    const lines = violation.message.replaceAll(/\d+\.\d{3} s/g, "*").split("\n");
    expect(lines.map((line) => line.trim())).toEqual([
      "The job breaks R-I1: a task's job is submitted again only after a failure, a crash in the window, or a clear",
      "seen: job 2 of etl/run-1/load is submitted beside job 1: attempt 1 knew its id and did not store it at once",
      "story (2 attempts, 1 misfortune):",
      "*  attempt 1 begins on attempt-1: execute",
      "*  the system accepts job 1 as batch-0",
      "*  fault at api.set-task-state: crash the caller before the effect",
      "*  attempt-1: crash",
      "*  attempt 2 begins on attempt-2: execute",
      "*  the system accepts job 2 as batch-1",
      "*  => job 2 of etl/run-1/load is submitted beside job 1: attempt 1 knew its id and did not store it at once",
      'rerun: checkResumableJob(createJob, { system: "anthropic-batches", seed: 2, numRuns: 1 })',
    ]);
  });

  test("has a planted bug for each of its promises", () => {
    const broken = new Set(
      [...PLANTED_JOB_BUGS, ...CALM_JOB_BUGS, ...MEMORY_BUGS].map((bug) => bug.promises[0]),
    );
    // Of those that defer, that run two jobs, that spin: see deferring-operators, several-jobs,
    // and test/soundness/spinning.
    for (const elsewhere of ["R-deferred", "R-uses", "hot-loop"]) broken.add(elsewhere);
    expect(broken).toEqual(new Set(OPERATOR_PROMISES));
  });

  const STRANGERS: readonly [seed: number, RegExp][] = [
    [54_005, /polls job \d, which is other\/\d's/],
    [1_888, /ends its poll by job \d, which is other\/\d's/],
    [58_067, /believes the status "not_started" of job \d, which is other\/\d's/],
  ];
  for (const [seed, words] of STRANGERS) {
    test(`sees whose job it is that is believed, seed ${seed}`, async () => {
      const bug = bugNamed("E18 an id");
      const { detail } = await violationOf(brokenJobOn(bug), {
        system: bug.system,
        seed,
        numRuns: 1,
      });
      expect(detail).toMatch(words);
    });
  }

  const CALM: readonly [what: string, broken: Partial<ReturnType<CreateJob>>, RegExp][] = [
    ["a job without a method", { getJobResult: undefined as never }, /it has no getJobResult/],
    [
      "a predicate that answers nothing",
      { isJobActive: () => undefined as never },
      /true or false/,
    ],
    ["an id that JSON cannot say", { submitJob: () => 10n }, /Cannot store the bigint 10/],
    ["a submit that answers no id", { submitJob: () => undefined }, /the store holds no id/],
  ];
  for (const [what, broken, words] of CALM) {
    test(`refuses ${what}`, async () => {
      const system: JobSystemName = "aws-batch";
      const createJob: CreateJob = (client, surroundings) => {
        return { ...rightJobOn(system)(client, surroundings), ...broken };
      };
      expect((await violationOf(createJob, { system })).message).toMatch(words);
    });
  }

  test("reports a factory that throws", async () => {
    const createJob: CreateJob = () => {
      throw new TypeError("No credentials");
    };
    const { message } = await violationOf(createJob, { system: "aws-batch" });
    expect(message).toContain("No credentials");
  });

  for (const system of ["livy", "bigquery", "glue"] as const) {
    test(`plays each history on ${system} twice with one digest, seeds 100 to 119`, async () => {
      const knobs = jobSystemKnobs(system);
      const operator = new OperatorUnderTest(rightJobOn(system));
      for (let seed = 100; seed < 120; seed += 1) {
        const choices = new SeededChoices(seed, { record: false });
        const dice = new Dice(choices.stream("workload", "plan"), "plan");
        const scenario = { ...drawOperatorSweep(dice, seed, { system, knobs }), name: "swept" };
        const one = await simulate(scenario, { seed, operator, trace: false });
        const other = await simulate(scenario, { seed, operator, trace: false });
        expect(one.digest).toBe(other.digest);
      }
    });
  }

  test("checks an operator that has the mixin, whose key is a static of its class", async () => {
    const createJob: CreateJob = (client, { task }) => new NightlyBatch(client, task);
    await checkResumableJob(createJob, { system: "livy", numRuns: 300 });
    class Undurable extends NightlyBatch {
      override readonly durable = false;
    }
    // What is promised of the recorded job is not promised of one that is not to be recorded.
    const undurable: CreateJob = (client, { task }) => new Undurable(client, task);
    await checkResumableJob(undurable, { system: "livy", numRuns: 300 });
  });

  test("calls an execute of the operator's own", async () => {
    class Reporting extends NightlyBatch {
      readonly #seen: unknown[] = [];

      override async execute(ctx: TaskContext): Promise<unknown> {
        const result = await this.executeResumable(ctx);
        this.#seen.push(result);
        return this.#seen[0];
      }
    }
    const reporting: CreateJob = (client, { task }) => new Reporting(client, task);
    await checkResumableJob(reporting, { system: "livy", numRuns: 300 });

    class Forgetful extends Reporting {
      override async execute(ctx: TaskContext): Promise<unknown> {
        // What is stored is gone for each attempt but the first.
        if (ctx.tryNumber > 1) await ctx.taskStateStore?.delete("batch_id");
        return await super.execute(ctx);
      }
    }
    const forgetful: CreateJob = (client, { task }) => new Forgetful(client, task);
    expect((await violationOf(forgetful, { system: "livy" })).guarantee).toBe("R-kept");
  });

  test("continues an operator by polling whose execute defers", async () => {
    class Deferring extends NightlyBatch {
      override execute(): never {
        return this.defer({
          trigger: { classpath: "jobs.Watcher", kwargs: {} },
          methodName: "done",
        });
      }
    }
    const deferring: CreateJob = (client, { task }) => new Deferring(client, task);
    await checkResumableJob(deferring, { system: "livy", numRuns: 100 });
  });

  test("runs beside another check as it would alone", async () => {
    const options = { system: "livy", numRuns: 20 } as const;
    const alone = await checkResumableJob(rightJobOn("livy"), options);
    const both = await Promise.all([
      checkResumableJob(rightJobOn("livy"), options),
      checkResumableJob(rightJobOn("livy"), options),
    ]);
    expect(both).toEqual([alone, alone]);
  });
});
