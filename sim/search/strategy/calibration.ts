import type { Scheduler } from "../../choices/choices.ts";
import { randomWalk } from "./random-walk.ts";
import type { Calibration, ChoiceSource, Plan } from "./strategy.ts";

/** The calibration of a world that has not run yet. */
export const UNCALIBRATED: Calibration = Object.freeze({ contested: 1, steps: [] });

/** Runs steps in the order in which they are due, and counts the decisions and steps. */
export class Calibrator implements Scheduler {
  readonly racesClock: boolean;
  readonly #steps = new Map<string, number>();
  #contested = 0;

  constructor(mayStall: boolean) {
    this.racesClock = mayStall;
  }

  choose(): number {
    this.#contested += 1;
    return 0;
  }

  took(task: string): void {
    this.#steps.set(task, (this.#steps.get(task) ?? 0) + 1);
  }

  source(plan: Plan): ChoiceSource {
    const data = randomWalk(plan);
    return { scheduler: this, stream: (kind, part) => data.stream(kind, part) };
  }

  result(): Calibration {
    return { contested: Math.max(1, this.#contested), steps: [...this.#steps] };
  }
}
