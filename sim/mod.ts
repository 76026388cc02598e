/**
 * The simulator: a world from one seed, with faults, and judges that know the promises.
 *
 * ```ts
 * const scenario = parseScenario(text, "my-scenario");
 * const report = await simulate(scenario, { seed: 7 });
 * for (const { checker, detail, story } of report.violations) console.log(checker, detail, story);
 * ```
 *
 * - Everything nondeterministic is a choice; the same scenario, seed and code give the same digest
 *   on Node, Deno and Bun.
 * - A crashed host is dead for good: no effect of its old incarnation lands.
 * - First a safety phase with faults, then a liveness phase without, in which what is owed comes to
 *   rest.
 * - Checkers see the trace and nothing else.
 *
 * @module
 */
export {
  CHECKER_IDS,
  type Checker,
  createCheckers,
  createTaskCheckers,
  Judge,
  TASK_CHECKER_IDS,
  type Violation,
} from "./checkers/mod.ts";
export {
  CalmChoices,
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  ReplayDrift,
  ReplayedChoices,
  SeededChoices,
} from "./choices.ts";
export { InjectedFault } from "./faults/injector.ts";
export { SITES, type SiteName } from "./faults/site.ts";
export { type Verdict } from "./faults/verdict.ts";
export { ReferenceSharedStreamManager } from "./reference/mod.ts";
export { type Artifact, artifactFrom, parseArtifact } from "./scenario/artifact.ts";
export { parseScenario, ScenarioError } from "./scenario/parse.ts";
export type { RunReport, RunStats, RunVerdict } from "./scenario/run-report.ts";
export type { ManagerScenario, Scenario, TriggererScenario } from "./scenario/scenario.ts";
export { scenarioJsonSchema } from "./scenario/schema.ts";
export type { TaskScenario } from "./scenario/task-scenario.ts";
export type { TaskWorldParts } from "./scenario/task-world.ts";
export { JobCounters } from "./jobs/job-counters.ts";
export {
  type CrashPointOptions,
  type CrashPointReport,
  exploreCrashPoints,
} from "./search/crash-points.ts";
export { simulate, type SimulateOptions } from "./scenario/simulate.ts";
export type { ManagerFactory, ManagerSettings } from "./scenario/stage.ts";
export type { TraceBody, TraceEvent } from "./trace.ts";
export { VirtualClock } from "./virtual-clock.ts";
export { World } from "./world.ts";
