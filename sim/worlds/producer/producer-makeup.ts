import {
  countMembers,
  listedFaults,
  listedParts,
  type PartList,
  type ScenarioMakeup,
} from "../scenario-makeup.ts";
import type { ProducerScenario } from "./producer-scenario.ts";

/** What the outside does: first the records, then how subscribers treat them. */
const operations: PartList<ProducerScenario> = {
  member: "records",
  least: 0,
  count: ({ records, behaviours }) => records.length + behaviours.length,
  keep: (scenario, places) => {
    const { records, behaviours } = scenario;
    return {
      ...scenario,
      records: records.filter((_, at) => places.includes(at)),
      behaviours: behaviours.filter((_, at) => places.includes(records.length + at)),
    };
  },
  isOptional: () => true,
};

export const producerMakeup: ScenarioMakeup<ProducerScenario> = {
  faults: listedFaults<ProducerScenario>().faults,
  withFaults: listedFaults<ProducerScenario>().withFaults,
  hasStorm: () => false,
  withoutStorm: (scenario) => scenario,
  operations,
  // Without a subscriber no stream opens, and a run shows nothing about the producer.
  members: [listedParts<ProducerScenario, "subscribers">("subscribers", { least: 1 })],
  counts: countMembers<ProducerScenario>({ nth: 1, times: 1 }),
  withHosts: (scenario) => scenario,
  seedsTried: 3,
};
