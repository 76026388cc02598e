import {
  countMembers,
  listedFaults,
  listedParts,
  type ScenarioMakeup,
} from "../scenario-makeup.ts";
import type { TaskScenario } from "./task-scenario.ts";

export const taskMakeup: ScenarioMakeup<TaskScenario> = {
  ...listedFaults(),
  operations: listedParts<TaskScenario, "operations">("operations"),
  members: [listedParts<TaskScenario, "tasks">("tasks", { least: 1 })],
  counts: countMembers<TaskScenario>({
    workers: 1,
    runs: 1,
    pages: 1,
    mapped: 0,
    retries: 0,
    times: 1,
    nth: 1,
  }),
  withHosts: (scenario, most) => ({ ...scenario, workers: Math.min(scenario.workers, most) }),
};
