import type { Scheduler } from "../../choices/choices.ts";
import { type Chance, chanceOf, PRIORITIES } from "./chance.ts";
import { randomWalk } from "./random-walk.ts";
import type { ChoiceSource, Plan } from "./strategy.ts";

/**
 * Partial order sampling (POS): each waiting step has a random priority, and the highest runs
 * first. Steps that race with the step that ran get new priorities.
 *
 * Two steps race when their tasks meet at a host: `a→b` races with `b` and with `c→b`.
 *
 * Source: Yuan, Yang, Gu, "Partial order aware concurrency sampling", CAV 2018
 */
export function pos(plan: Plan): ChoiceSource {
  const data = randomWalk(plan);
  const scheduler = new PartialOrderScheduler(chanceOf(plan.seed, "pos"));
  return { scheduler, stream: (kind, part) => data.stream(kind, part) };
}

const LINK_MARK = "\u2192";

class PartialOrderScheduler implements Scheduler {
  readonly racesClock = false;
  readonly #chance: Chance;
  /** The priority of each task's waiting step. */
  readonly #priorities = new Map<string, number>();

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  choose(tasks: readonly string[]): number {
    let best = 0;
    let highest = -1;
    tasks.forEach((task, at) => {
      const priority = this.#priorityOf(task);
      if (priority > highest) [best, highest] = [at, priority];
    });
    return best;
  }

  took(task: string): void {
    if (this.#priorities.size === 0) return;
    this.#priorities.delete(task);
    const met = new Set(task.split(LINK_MARK));
    for (const other of this.#priorities.keys()) {
      if (other.split(LINK_MARK).some((host) => met.has(host))) this.#priorities.delete(other);
    }
  }

  #priorityOf(task: string): number {
    const known = this.#priorities.get(task);
    if (known !== undefined) return known;
    const drawn = this.#chance(PRIORITIES);
    this.#priorities.set(task, drawn);
    return drawn;
  }
}
