import { SeededChoices } from "../choices/choices.ts";
import { Dice } from "../choices/dice.ts";
import { managerKind } from "../worlds/manager/manager-kind.ts";
import { operatorKind } from "../worlds/operator/operator-kind.ts";
import { producerKind } from "../worlds/producer/producer-kind.ts";
import { taskKind } from "../worlds/tasks/task-kind.ts";
import { triggererKind } from "../worlds/triggerer/triggerer-kind.ts";
import type { WorldKind } from "../worlds/world-kind.ts";
import type { Scenario } from "./scenario.ts";

type WorldName = Scenario["world"];

/** Every kind of world, by the name that a scenario gives as its `world`. */
const WORLD_KINDS: {
  readonly [W in WorldName]: WorldKind<Extract<Scenario, { readonly world: W }>>;
} = {
  triggerer: triggererKind,
  manager: managerKind,
  tasks: taskKind,
  operator: operatorKind,
  producer: producerKind,
};

/** Returns the kind of world that plays this scenario. */
export function worldKindOf({ world }: Scenario): WorldKind<Scenario> {
  // Each kind only ever sees scenarios of its own world: the key is the scenario's own name for it.
  return WORLD_KINDS[world];
}

export const WORLD_NAMES: readonly WorldName[] = [
  "triggerer",
  "manager",
  "tasks",
  "operator",
  "producer",
];

/**
 * Draws a whole scenario of a world from a seed; its name is "<world>-<seed>".
 *
 * Holds: the same world and seed give the same scenario on every runtime.
 */
export function drawScenario(world: WorldName, seed: number): Scenario {
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "scenario"), "scenario");
  return { ...WORLD_KINDS[world].draw(dice), name: `${world}-${seed}` };
}
