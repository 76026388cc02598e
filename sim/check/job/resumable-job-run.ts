import type { Violation } from "../../checkers/checker.ts";
import { type Choices, SeededChoices } from "../../choices/choices.ts";
import type { JobSystemKnobs } from "../../jobs/job-knobs.ts";
import type { TraceEvent, TraceListener } from "../../trace/trace.ts";
import { serialize, type Turn } from "../../kernel/serialize.ts";
import { World } from "../../kernel/world.ts";
import { type JobPlan, SAFETY_MS } from "./resumable-job-plan.ts";
import { type CreateJob, JobWorld } from "./resumable-job-world.ts";

/** What is under test, on which system. */
export interface JobUnderTest {
  readonly createJob: CreateJob;
  readonly knobs: JobSystemKnobs;
}

/** What came of one run. */
export interface JobRun {
  readonly plan: JobPlan;
  readonly violation: Violation | undefined;
  /** What the task ended with, as text. */
  readonly result: string | undefined;
  readonly attempts: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly trace: readonly TraceEvent[];
  readonly digest: string;
  readonly virtualMs: number;
}

/** How long the calm may last until the task has ended. */
const LIVENESS_MS = 3_600_000;

export interface JobRunOptions {
  /** Default: those of the plan's seed. */
  readonly choices?: Choices;
  readonly listen?: TraceListener;
}

/** Plays one plan in a world of its own; ends with the task, or at the first broken promise. */
export function runJobPlan(
  plan: JobPlan,
  test: JobUnderTest,
  expected: string | undefined,
  options: JobRunOptions = {},
): Promise<JobRun> {
  return serialize((turn) => runOnce(turn, plan, test, expected, options));
}

async function runOnce(
  turn: Turn,
  plan: JobPlan,
  test: JobUnderTest,
  expected: string | undefined,
  options: JobRunOptions,
): Promise<JobRun> {
  const { choices = new SeededChoices(plan.seed, { record: false }), listen } = options;
  const world = new World(choices, { keepTrace: true });
  if (listen !== undefined) world.trace.listen(listen);
  const stage = new JobWorld(world, plan, test, expected);
  const isOn = (): boolean => !stage.isOver && stage.witness.violation === undefined;
  await world.globals.during(turn, async () => {
    stage.start();
    if (plan.acts.length > 0) await world.run(SAFETY_MS);
    if (isOn()) {
      world.injector.disarm();
      stage.calmDown();
      await world.run(world.now + LIVENESS_MS);
    }
    if (isOn()) stage.giveUp();
  });
  return {
    plan,
    violation: stage.witness.violation,
    result: stage.result,
    attempts: stage.attempts,
    faults: world.injector.hits(),
    trace: world.trace.events(),
    digest: world.trace.digest(),
    virtualMs: world.now,
  };
}
