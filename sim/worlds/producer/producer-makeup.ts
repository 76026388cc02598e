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
    return withoutIdle({
      ...scenario,
      records: records.filter((_, at) => places.includes(at)),
      behaviours: behaviours.filter((_, at) => places.includes(records.length + at)),
    });
  },
  isOptional: () => true,
};

const subscribers: PartList<ProducerScenario> = {
  // Without a subscriber no stream opens, and a run shows nothing about the producer.
  ...listedParts<ProducerScenario, "subscribers">("subscribers", { least: 1 }),
  keep: (scenario, places) =>
    withoutIdle({
      ...scenario,
      subscribers: scenario.subscribers.filter((_, at) => places.includes(at)),
    }),
};

/** The scenario without behaviours of subscribers, or on records, that it does not have. */
function withoutIdle(scenario: ProducerScenario): ProducerScenario {
  const refs = new Set(scenario.records.map(({ publish }) => publish));
  const numbers = new Set(scenario.subscribers.map(({ subscriber }) => subscriber));
  const behaviours = scenario.behaviours.filter(
    ({ on, subscriber }) => refs.has(on) && numbers.has(subscriber),
  );
  return { ...scenario, behaviours };
}

export const producerMakeup: ScenarioMakeup<ProducerScenario> = {
  faults: listedFaults<ProducerScenario>().faults,
  withFaults: listedFaults<ProducerScenario>().withFaults,
  hasStorm: () => false,
  withoutStorm: (scenario) => scenario,
  operations,
  members: [subscribers],
  counts: countMembers<ProducerScenario>({ nth: 1, times: 1 }),
  withHosts: (scenario) => scenario,
  seedsTried: 3,
};
