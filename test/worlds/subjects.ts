import type { Scenario } from "../../sim/scenario/scenario.ts";
import type { WorldParts } from "../../sim/worlds/world-parts.ts";
import { createProducer } from "../../scenarios/producers/orders.ts";

/** The code under test of worlds that have none of their own: it keeps every promise. */
const CORRECT: { readonly [World in Scenario["world"]]?: WorldParts } = {
  producer: { producer: { createProducer } },
};

export function correctPartsOf(world: Scenario["world"]): WorldParts {
  return CORRECT[world] ?? {};
}
