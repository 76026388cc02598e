import type { PinnedChoice } from "../../choices/pinned-choices.ts";
import { ACT_LABELS } from "../../workloads/hostile-client.ts";
import { countMembers, noFaults, type PartList, type ScenarioMakeup } from "../scenario-makeup.ts";
import type { ManagerScenario } from "./manager-scenario.ts";

/** The acts of a hostile client; the pins of an act are removed with it. */
const acts: PartList<ManagerScenario> = {
  member: "operations",
  least: 1,
  count: ({ operations }) => operations,
  keep: (scenario, places) => {
    const { choices } = scenario;
    const kept = { ...scenario, operations: places.length };
    return choices === undefined ? kept : { ...kept, choices: pinsOfActs(choices, places) };
  },
  isOptional: () => false,
};

/** An act makes each of its choices once, so that a pin's number is the number of its act. */
function pinsOfActs(
  pins: readonly PinnedChoice[],
  places: readonly number[],
): readonly PinnedChoice[] {
  const numbers = new Map(places.map((place, at) => [place + 1, at + 1]));
  return pins.flatMap((pin) => {
    if (pin.kind !== "workload" || !ACT_LABELS.includes(pin.label)) return [pin];
    const nth = numbers.get(pin.nth);
    return nth === undefined ? [] : [{ ...pin, nth }];
  });
}

export const managerMakeup: ScenarioMakeup<ManagerScenario> = {
  ...noFaults(),
  operations: acts,
  members: [],
  counts: countMembers<ManagerScenario>({ keys: 1, triggers: 1, lanes: 1 }),
  withHosts: (scenario) => scenario,
};
