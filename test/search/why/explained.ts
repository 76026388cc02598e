import { parseScenario } from "../../../sim/scenario/parse.ts";
import type { Scenario } from "../../../sim/scenario/scenario.ts";
import { simulate } from "../../../sim/run/simulate.ts";
import { explainFailure, type Why, type WhyOptions } from "../../../sim/search/why/why.ts";

/** A plain job whose attempt ends with its worker: a crash amid the job costs a second one. */
export const CRASHES: Scenario = parseScenario(
  `{ story: x, world: tasks, tasks: [{ name: report, operator: plain }], workers: 1,
     faults: [{ site: api.heartbeat, rate: 1/6, verdict: crash-before }],
     expect: { checkers: [R-I1] } }`,
  "crashes",
);

/** Airflow's manager loses a group when an advance aborts. */
export const HOSTILE: Scenario = parseScenario(
  "{ story: x, world: manager, profile: airflow-3.3, operations: 60 }",
  "hostile",
);

/** Records the run of a seed and explains it. */
export async function explained(
  scenario: Scenario,
  seed: number,
  { parts, ...options }: Partial<WhyOptions> = {},
): Promise<Why> {
  const { choices, digest } = await simulate(scenario, { ...parts, seed });
  return explainFailure(scenario, {
    seed,
    replay: choices,
    digest,
    ...(parts !== undefined && { parts }),
    ...options,
  });
}
