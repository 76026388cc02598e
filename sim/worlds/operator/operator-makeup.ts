import {
  countMembers,
  listedFaults,
  listedParts,
  type ScenarioMakeup,
} from "../scenario-makeup.ts";
import type { OperatorScenario } from "./operator-scenario.ts";

export const operatorMakeup: ScenarioMakeup<OperatorScenario> = {
  ...listedFaults(),
  operations: listedParts<OperatorScenario, "operations">("operations"),
  members: [],
  counts: countMembers<OperatorScenario>({
    failFirst: 0,
    otherJobs: 1,
    loseAttempt: 1,
    killAttempt: 1,
    clearAttempt: 1,
    delayAttempt: 2,
    times: 1,
    nth: 1,
  }),
  // One task, one job system: there is no kind of host of which it has several.
  withHosts: (scenario) => scenario,
  seedsTried: 1,
};
