import type { ChoiceStream } from "../choices.ts";
import type { Ratio } from "../faults/rule.ts";
import type { JobPlan } from "./job.ts";
import type { JobSystemKnobs } from "./job-knobs.ts";

/** Durations are drawn from so many equal steps between their least and their most. */
const DURATION_STEPS = 8;
const PARTS_MAX = 3;

/** What a job system leaves to chance. A knob that is off draws nothing. */
export class JobChance {
  readonly #stream: ChoiceStream;

  constructor(stream: ChoiceStream) {
    this.#stream = stream;
  }

  strikes(rate: Ratio | undefined, label: string): boolean {
    if (rate === undefined || rate.numerator === 0) return false;
    return this.#stream.choose(rate.denominator, label) >= rate.denominator - rate.numerator;
  }

  /** What will become of the next job of a task that had `before` jobs. */
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
