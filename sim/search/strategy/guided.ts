import {
  type ChoiceKind,
  type ChoiceStream,
  CLOCK_PART,
  type Scheduler,
} from "../../choices/choices.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { randomWalk } from "./random-walk.ts";
import type { ChoiceSource, ChoiceString, Plan } from "./strategy.ts";

/** In one run out of so many some choices on the way are changed, and not only where it ends. */
const CHANGES_ON_THE_WAY = 2;
const CHANGES_MAX = 4;
/** Stands for a choice on the way that is drawn anew. */
const ANEW = -1;

/**
 * Coverage-guided: goes the way of an earlier run that showed something new, leaves it somewhere,
 * and walks at random from there. Without such a run it is a random walk.
 *
 * Why so: each stream keeps its own place on the way, so that a change in one does not shift the
 * others; a value that no longer fits its range is brought into it.
 */
export function guided(plan: Plan): ChoiceSource {
  const data = randomWalk(plan);
  if (plan.parent === undefined) return data;
  const way = new Way(plan.parent, chanceOf(plan.seed, "guided"));
  const stream = (kind: ChoiceKind, part: string): ChoiceStream => {
    const inner = data.stream(kind, part);
    return {
      choose: (n, label) => (n === 1 ? 0 : (way.next(kind, part, n) ?? inner.choose(n, label))),
    };
  };
  if (!way.racesClock) return { stream };
  return { scheduler: new FollowingScheduler(way, chanceOf(plan.seed, "after")), stream };
}

class Way {
  readonly racesClock: boolean;
  readonly #values = new Map<string, readonly number[]>();
  readonly #places = new Map<string, number>();

  constructor({ streams, owners, values }: ChoiceString, chance: Chance) {
    this.racesClock = streams.includes(`sched/${CLOCK_PART}`);
    const length = chance(values.length + 1);
    const kept: number[] = [...values.subarray(0, length)];
    if (length > 0 && chance(CHANGES_ON_THE_WAY) === 0) {
      for (let times = chance(CHANGES_MAX); times >= 0; times -= 1) kept[chance(length)] = ANEW;
    }
    const perStream = streams.map((): number[] => []);
    kept.forEach((value, at) => perStream[owners[at] as number]?.push(value));
    streams.forEach((name, at) => this.#values.set(name, perStream[at] as number[]));
  }

  /** What was chosen here, in range; undefined where the way was left. */
  next(kind: ChoiceKind, part: string, n: number): number | undefined {
    const name = `${kind}/${part}`;
    const place = this.#places.get(name) ?? 0;
    const value = this.#values.get(name)?.[place];
    if (value === undefined) return undefined;
    this.#places.set(name, place + 1);
    return value === ANEW ? undefined : value % n;
  }
}

/** Goes the way of a run in which the clock was a task; where it ends, the clock is none. */
class FollowingScheduler implements Scheduler {
  readonly racesClock = true;
  readonly #way: Way;
  readonly #chance: Chance;

  constructor(way: Way, chance: Chance) {
    this.#way = way;
    this.#chance = chance;
  }

  choose(tasks: readonly string[]): number {
    const value = this.#way.next("sched", CLOCK_PART, tasks.length);
    return value ?? this.#chance(Math.max(1, tasks.length - 1));
  }

  took(): void {}
}
