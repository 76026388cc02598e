import {
  type ChoiceKind,
  type ChoiceStream,
  CLOCK_PART,
  type Scheduler,
} from "../../choices/choices.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { randomWalk } from "./random-walk.ts";
import type { ChoiceSource, ChoiceString, Plan } from "./strategy.ts";

/** One run in this many also redraws some choices of the prefix. */
const CHANGES_ON_THE_WAY = 2;
const CHANGES_MAX = 4;
/** Stands for a choice of the prefix that is drawn again. */
const REDRAWN = -1;

/**
 * Coverage-guided search: repeats a random prefix of an earlier run that reached new features, and
 * continues with a random walk. Without such a run it is a random walk.
 *
 * Each stream has its own position in the prefix, so that a change in one stream does not shift the
 * others. A value that is out of range by now is taken modulo the range.
 */
export function guided(plan: Plan): ChoiceSource {
  const data = randomWalk(plan);
  if (plan.parent === undefined) return data;
  const prefix = new Prefix(plan.parent, chanceOf(plan.seed, "guided"));
  const stream = (kind: ChoiceKind, part: string): ChoiceStream => {
    const inner = data.stream(kind, part);
    return {
      choose: (n, label) => (n === 1 ? 0 : (prefix.next(kind, part, n) ?? inner.choose(n, label))),
    };
  };
  if (!prefix.racesClock) return { stream };
  return { scheduler: new PrefixScheduler(prefix, chanceOf(plan.seed, "after")), stream };
}

class Prefix {
  readonly racesClock: boolean;
  readonly #values = new Map<string, readonly number[]>();
  readonly #places = new Map<string, number>();

  constructor({ streams, owners, values }: ChoiceString, chance: Chance) {
    this.racesClock = streams.includes(`sched/${CLOCK_PART}`);
    const length = chance(values.length + 1);
    const kept: number[] = [...values.subarray(0, length)];
    if (length > 0 && chance(CHANGES_ON_THE_WAY) === 0) {
      for (let times = chance(CHANGES_MAX); times >= 0; times -= 1) kept[chance(length)] = REDRAWN;
    }
    const perStream = streams.map((): number[] => []);
    kept.forEach((value, at) => perStream[owners[at] as number]?.push(value));
    streams.forEach((name, at) => this.#values.set(name, perStream[at] as number[]));
  }

  /** Returns the next choice of a stream, in range; undefined after the prefix, or if redrawn. */
  next(kind: ChoiceKind, part: string, n: number): number | undefined {
    const name = `${kind}/${part}`;
    const place = this.#places.get(name) ?? 0;
    const value = this.#values.get(name)?.[place];
    if (value === undefined) return undefined;
    this.#places.set(name, place + 1);
    return value === REDRAWN ? undefined : value % n;
  }
}

/** Repeats a prefix in which the clock was a task; after the prefix the clock is not chosen. */
class PrefixScheduler implements Scheduler {
  readonly racesClock = true;
  readonly #prefix: Prefix;
  readonly #chance: Chance;

  constructor(prefix: Prefix, chance: Chance) {
    this.#prefix = prefix;
    this.#chance = chance;
  }

  choose(tasks: readonly string[]): number {
    const value = this.#prefix.next("sched", CLOCK_PART, tasks.length);
    return value ?? this.#chance(Math.max(1, tasks.length - 1));
  }

  took(): void {}
}
