import type { ChoiceStream } from "../choices/choices.ts";
import type { Ratio } from "../faults/rule.ts";
import type { JobPlan } from "./job.ts";
import type { JobSystemKnobs } from "./job-knobs.ts";

/** A duration is drawn from this many equal steps between its minimum and its maximum. */
const DURATION_STEPS = 8;
const PARTS_MAX = 3;

/** The random decisions of a job system. A knob that is off draws nothing. */
export class JobChance {
  readonly #stream: ChoiceStream;

  constructor(stream: ChoiceStream) {
    this.#stream = stream;
  }

  strikes(rate: Ratio | undefined, label: string): boolean {
    if (rate === undefined || rate.numerator === 0) return false;
    return this.#stream.choose(rate.denominator, label) >= rate.denominator - rate.numerator;
  }

  /** Draws the plan of the next job of a task that had `before` jobs so far. */
  plan(knobs: JobSystemKnobs, before: number): JobPlan {
    const { flappingTerminal, serverSideRetry } = knobs;
    const fails = before < knobs.failFirst || this.strikes(knobs.failureRate, "fails");
    const parts = knobs.idKind === "list" ? 1 + this.#stream.choose(PARTS_MAX, "parts") : 1;
    const isPartial = !fails && this.strikes(knobs.partialSuccessRate, "partial success");
    const flaps = this.strikes(flappingTerminal?.rate, "flaps");
    return {
      queuedMs: this.#duration(knobs.queuedMs, "queued for"),
      runMs: this.#duration(knobs.runMs, "runs for"),
      neverStarts: this.strikes(knobs.neverStartsRate, "never starts"),
      isRunAgain: fails && this.strikes(serverSideRetry?.rate, "run again"),
      outcome: fails ? "failure" : "success",
      parts,
      failedParts: fails || isPartial ? 1 : 0,
      flapMs: flaps ? (flappingTerminal?.lengthMs ?? 0) : 0,
    };
  }

  #duration({ min, max }: JobSystemKnobs["runMs"], label: string): number {
    if (min === max) return min;
    const step = this.#stream.choose(DURATION_STEPS, label);
    return min + Math.floor(((max - min) * step) / (DURATION_STEPS - 1));
  }
}
