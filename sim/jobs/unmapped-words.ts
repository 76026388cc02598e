import type { JobChance } from "./job-chance.ts";
import type { JobSystemKnobs } from "./job-knobs.ts";

/** The statuses that a system does not document, and reports now and then for a while. */
export class UnmappedWords {
  readonly #knobs: JobSystemKnobs;
  readonly #chance: JobChance;
  #until = 0;
  #reads = 0;

  constructor(knobs: JobSystemKnobs, chance: JobChance) {
    this.#knobs = knobs;
    this.#chance = chance;
  }

  /**
   * Returns the word that a read gets instead of the status; undefined: it gets the status.
   *
   * Units: `now` in virtual milliseconds.
   */
  next(now: number): string | undefined {
    const { unknownBursts, statusVocabulary } = this.#knobs;
    const { unmapped } = statusVocabulary;
    if (unknownBursts === undefined || unmapped.length === 0) return undefined;
    if (now >= this.#until) {
      if (!this.#chance.strikes(unknownBursts.rate, "an unknown status")) return undefined;
      this.#until = now + unknownBursts.lengthMs;
    }
    this.#reads += 1;
    return unmapped[this.#reads % unmapped.length];
  }

  /** Ends a burst, as a restart of the server does. */
  end(): void {
    this.#until = 0;
  }
}
