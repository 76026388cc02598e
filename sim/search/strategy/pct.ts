import { CLOCK_TASK, type Scheduler } from "../../choices/choices.ts";
import { type Chance, chanceOf, PRIORITIES } from "./chance.ts";
import { randomWalk } from "./random-walk.ts";
import type { Calibration, ChoiceSource, Plan } from "./strategy.ts";

/** The bug depths in rotation: how many ordering constraints a bug needs to appear. */
const DEPTHS = [2, 3, 5] as const;
/** In one run in this many the clock starts among the other tasks instead of behind them. */
const CLOCK_AMONG_OTHERS = 8;
/** After this many times the calibrated number of steps, all tasks are equally likely. */
const FAIR_AFTER = 4;

/**
 * Probabilistic concurrency testing (PCT): the task with the highest priority always runs first,
 * and at `depth - 1` change points of the run the task that would run next gets the lowest one.
 *
 * Holds: each run finds an ordering bug of that depth with a probability of at least one in
 * `tasks * (2 * decisions) ^ (depth - 1)`, however many steps lie between its orderings.
 *
 * Two things differ from the paper. The clock is a task with a low priority, so that time passes a
 * task whose priority was lowered; a decision with one candidate does not count, so that no change
 * point is wasted on it. And every second change point is a step of a task that is drawn uniformly
 * first: otherwise tasks with few steps would rarely be hit, such as the one that takes a lease
 * while heartbeats go on.
 *
 * Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic
 * guarantees of finding bugs", ASPLOS 2010
 */
export function pct(plan: Plan): ChoiceSource {
  const depth = DEPTHS[plan.turn % DEPTHS.length] as number;
  const data = randomWalk(plan);
  const scheduler = new PriorityScheduler(chanceOf(plan.seed, "pct"), {
    depth,
    calibration: plan.calibration,
    racesClock: plan.mayStall,
  });
  return { scheduler, stream: (kind, part) => data.stream(kind, part) };
}

class PriorityScheduler implements Scheduler {
  readonly racesClock: boolean;
  readonly #chance: Chance;
  readonly #fairAfter: number;
  /** The change points that are decisions, by their number. */
  readonly #changes = new Set<number>();
  /** The change points that are steps of a task, as "task step". */
  readonly #changesOfTasks = new Set<string>();
  readonly #taken = new Map<string, number>();
  readonly #priorities = new Map<string, number>();
  #decisions = 0;
  #lowered = 0;

  constructor(
    chance: Chance,
    options: {
      readonly depth: number;
      readonly calibration: Calibration;
      readonly racesClock: boolean;
    },
  ) {
    const { depth, calibration, racesClock } = options;
    const { contested, steps } = calibration;
    this.racesClock = racesClock;
    this.#chance = chance;
    this.#fairAfter = FAIR_AFTER * steps.reduce((all, [, times]) => all + times, contested);
    for (let at = 1; at < depth; at += 1) {
      const [task, times] = steps[chance(Math.max(1, steps.length))] ?? ["", 1];
      if (chance(2) === 0) this.#changes.add(1 + chance(contested));
      else this.#changesOfTasks.add(`${task} ${chance(times)}`);
    }
    const isAmong = chance(CLOCK_AMONG_OTHERS) === CLOCK_AMONG_OTHERS - 1;
    this.#priorities.set(CLOCK_TASK, isAmong ? chance(PRIORITIES) : 0);
  }

  choose(tasks: readonly string[]): number {
    this.#decisions += 1;
    if (this.#decisions > this.#fairAfter) return this.#fair(tasks);
    const first = this.#highest(tasks);
    if (!this.#isChange(tasks[first] as string)) return first;
    this.#lowered += 1;
    this.#priorities.set(tasks[first] as string, this.#lowered - 1 - DEPTHS[2]);
    return this.#highest(tasks);
  }

  took(task: string): void {
    this.#taken.set(task, (this.#taken.get(task) ?? 0) + 1);
  }

  #isChange(task: string): boolean {
    if (this.#changes.has(this.#decisions)) return true;
    // Deleted, because the same step is looked up again when the task is chosen later.
    return this.#changesOfTasks.delete(`${task} ${this.#taken.get(task) ?? 0}`);
  }

  #highest(tasks: readonly string[]): number {
    let best = 0;
    tasks.forEach((task, at) => {
      if (this.#priorityOf(task) > this.#priorityOf(tasks[best] as string)) best = at;
    });
    return best;
  }

  #priorityOf(task: string): number {
    const known = this.#priorities.get(task);
    if (known !== undefined) return known;
    const drawn = 1 + this.#chance(PRIORITIES);
    this.#priorities.set(task, drawn);
    return drawn;
  }

  #fair(tasks: readonly string[]): number {
    return this.#chance(tasks.at(-1) === CLOCK_TASK ? tasks.length - 1 : tasks.length);
  }
}
