import {
  countMembers,
  listedFaults,
  listedParts,
  type ScenarioMakeup,
} from "../scenario-makeup.ts";
import type { TriggererScenario } from "./triggerer-scenario.ts";

export const triggererMakeup: ScenarioMakeup<TriggererScenario> = {
  ...listedFaults(),
  operations: listedParts<TriggererScenario, "operations">("operations", {
    // Who takes the records in the end may depend on a trigger that is created late.
    isOptional: (operation) => !("createTrigger" in operation),
  }),
  members: [listedParts<TriggererScenario, "streams">("streams", { least: 1 })],
  counts: countMembers<TriggererScenario>({
    triggerers: 1,
    triggers: 1,
    partitions: 1,
    burst: 1,
    count: 1,
    times: 1,
    nth: 1,
  }),
  withHosts: (scenario, most) => ({
    ...scenario,
    triggerers: Math.min(scenario.triggerers, most),
  }),
};
