import { SeededChoices } from "../../choices/choices.ts";
import type { ChoiceSource, Plan } from "./strategy.ts";

/** Makes each choice uniformly; without a swarm, the same run as `faultlane run --seed`. */
export function randomWalk({ seed, swarm }: Plan): ChoiceSource {
  return swarm(new SeededChoices(seed, { record: false }));
}
