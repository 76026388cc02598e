import { CLOCK_PART } from "../choices.ts";
import type { RunReport } from "../scenario/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { simulate } from "../scenario/simulate.ts";
import { choicesOfJob, type Job } from "./job.ts";
import { mayStall } from "./subject.ts";

/** A run of a search, had again with its trace and its choices. */
export interface Rerun {
  /** The scenario with what its swarm left of it. */
  readonly scenario: Scenario;
  readonly report: RunReport;
  /** What was drawn for the run before it began, and on the way, a line each. */
  readonly drawn: readonly string[];
}

/** Makes the run of a job again; equal jobs give equal digests. */
export async function rerun(scenario: Scenario, job: Job): Promise<Rerun> {
  const { choices, swarm } = choicesOfJob(job, { mayStall: mayStall(scenario) });
  const drawn = swarm?.scenario(scenario);
  const ran = drawn?.scenario ?? scenario;
  const report = await simulate(ran, { seed: job.seed, choices });
  const stalls = report.choices.some(
    ({ part, n, value }) => part === CLOCK_PART && value === n - 1,
  );
  const lines = [
    ...(drawn?.without ?? []).map((what) => `without ${what}`),
    ...(swarm?.drawn() ?? []),
    ...(stalls ? ["the clock overtakes hosts"] : []),
  ];
  return { scenario: ran, report, drawn: lines };
}
