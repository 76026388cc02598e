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
  CheckerRunner,
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
  type Scheduler,
  SeededChoices,
} from "./choices/choices.ts";
export { InjectedFault } from "./faults/injector.ts";
export { SITES, type SiteName } from "./faults/site.ts";
export { type Verdict } from "./faults/verdict.ts";
export { ReferenceSharedStreamManager } from "./reference/mod.ts";
export { type Artifact, artifactFrom, parseArtifact } from "./run/artifact.ts";
export { parseScenario, ScenarioError } from "./scenario/parse.ts";
export type { RunReport, RunStats, RunVerdict } from "./run/run-report.ts";
export type { Scenario } from "./scenario/scenario.ts";
export type { ManagerScenario } from "./worlds/manager/manager-scenario.ts";
export type { TriggererScenario } from "./worlds/triggerer/triggerer-scenario.ts";
export { scenarioJsonSchema } from "./scenario/schema.ts";
export type { TaskScenario } from "./worlds/tasks/task-scenario.ts";
export type { TaskWorldParts } from "./worlds/tasks/task-world.ts";
export { JobCounters, type JobRecord } from "./jobs/job-counters.ts";
export {
  type CrashPointOptions,
  type CrashPointReport,
  exploreCrashPoints,
} from "./search/crash-points.ts";
export { simulate, type SimulateOptions } from "./run/simulate.ts";
export type { ManagerFactory, ManagerSettings } from "./worlds/stage.ts";
export type { JobEvent, JobOutcome } from "./trace/job-events.ts";
export type {
  JobMethod,
  LoadEvent,
  OperatorEvent,
  StateEvent,
  TaskEvent,
  TaskInstanceEvent,
  TaskRowState,
} from "./trace/task-events.ts";
export {
  type AdvancedItem,
  type Breach,
  type DurableEvent,
  type ProducerEvent,
  type SettleAct,
  type StreamEvent,
  Trace,
  type TraceBody,
  type TraceEvent,
  type TraceListener,
  type WorldEvent,
} from "./trace/trace.ts";
export type { Step, StepOptions, StepOwner } from "./kernel/step.ts";
export { VirtualClock } from "./kernel/virtual-clock.ts";
export { World } from "./kernel/world.ts";
