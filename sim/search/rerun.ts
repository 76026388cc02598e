import { CLOCK_PART } from "../choices/choices.ts";
import type { RunReport } from "../run/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { simulate } from "../run/simulate.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { choicesOfJob, type Job } from "./job.ts";

/** A run of a search, repeated with its trace and choices recorded. */
export interface Rerun {
  /** The scenario without the parts that the swarm left out. */
  readonly scenario: Scenario;
  readonly report: RunReport;
  /** How the search made this run differ from the scenario as written, a sentence each. */
  readonly changes: readonly string[];
}

/** Repeats the run of a job; equal jobs give equal digests. */
export async function rerun(scenario: Scenario, job: Job, parts: WorldParts = {}): Promise<Rerun> {
  const { choices, swarm } = choicesOfJob(job, {
    mayStall: worldKindOf(scenario).mayStall(scenario),
  });
  const swarmed = swarm?.scenario(scenario);
  const ran = swarmed?.scenario ?? scenario;
  const report = await simulate(ran, { ...parts, seed: job.seed, choices });
  const stalls = report.choices.some(
    ({ part, n, value }) => part === CLOCK_PART && value === n - 1,
  );
  const changes = [
    ...(swarmed?.without ?? []),
    ...(swarm?.changes() ?? []),
    ...(stalls ? ["hosts stall: virtual time skips past steps that are due"] : []),
  ];
  return { scenario: ran, report, changes };
}
