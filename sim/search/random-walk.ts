import { SeededChoices } from "../choices.ts";
import type { ChoiceSource, Plan } from "./strategy.ts";

/** Each choice evenly: without a swarm the very run that `faultlane run --seed` makes. */
export function randomWalk({ seed, swarm }: Plan): ChoiceSource {
  return swarm(new SeededChoices(seed, { record: false }));
}
