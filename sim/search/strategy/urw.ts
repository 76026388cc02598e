import type { Scheduler } from "../../choices/choices.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { randomWalk } from "./random-walk.ts";
import type { ChoiceSource, Plan } from "./strategy.ts";

/**
 * Uniform random walk (URW): the probability that a task runs next is proportional to its remaining
 * steps, so that all interleavings are equally likely. A calibration run counts the steps.
 *
 * Source: Zhao, Wolff, Mathur, Roychoudhury, "Selectively uniform concurrency testing", ASPLOS 2025
 */
export function urw(plan: Plan): ChoiceSource {
  const data = randomWalk(plan);
  const scheduler = new UniformScheduler(chanceOf(plan.seed, "urw"), plan.calibration.steps);
  return { scheduler, stream: (kind, part) => data.stream(kind, part) };
}

class UniformScheduler implements Scheduler {
  readonly racesClock = false;
  readonly #chance: Chance;
  readonly #left: Map<string, number>;

  constructor(chance: Chance, steps: readonly (readonly [task: string, steps: number])[]) {
    this.#chance = chance;
    this.#left = new Map(steps);
  }

  choose(tasks: readonly string[]): number {
    const weights = tasks.map((task) => Math.max(1, this.#left.get(task) ?? 0));
    let drawn = this.#chance(weights.reduce((all, one) => all + one, 0));
    for (let at = 0; at < weights.length; at += 1) {
      drawn -= weights[at] as number;
      if (drawn < 0) return at;
    }
    return 0;
  }

  took(task: string): void {
    const left = this.#left.get(task);
    if (left !== undefined) this.#left.set(task, left - 1);
  }
}
