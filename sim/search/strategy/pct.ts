import { CLOCK_TASK, type Scheduler } from "../../choices/choices.ts";
import { type Chance, chanceOf, PRIORITIES } from "./chance.ts";
import { randomWalk } from "./random-walk.ts";
import type { Calibration, ChoiceSource, Plan } from "./strategy.ts";

/** How many orderings must fall as they must for the bug to show, in rotation. */
const DEPTHS = [2, 3, 5] as const;
/** In one run out of so many the clock starts among the others instead of behind them. */
const CLOCK_AMONG_OTHERS = 8;
/** After so many times the calibrated number of steps all tasks take turns by chance. */
const FAIR_AFTER = 4;

/**
 * Probabilistic concurrency testing: the task of highest priority goes first, always, and at
 * `depth - 1` points of the run whoever would go next becomes the last of all.
 *
 * Holds: an ordering bug of that depth is found with a chance of at least one in
 * `tasks * (2 * decisions) ^ (depth - 1)` a run, however many steps lie in between.
 * Why so: the clock is a task behind the others, so that one that has become last is overtaken by
 * time itself; a decision among one task is none, so that no change point is wasted on it. Every
 * second change point is a step of a task that is drawn first, each as likely as any other: what
 * takes few steps would else be struck least, and a lease is taken once while heartbeats go on.
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
  /** At which decision whoever would go next becomes the last; the later, the higher it stays. */
  readonly #changes = new Set<number>();
  /** At which step of a task it becomes the last, as "task step". */
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
    // Once: it is asked again when its turn comes round.
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
