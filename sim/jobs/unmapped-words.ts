import type { JobChance } from "./job-chance.ts";
import type { JobSystemKnobs } from "./job-knobs.ts";

/** The statuses that a system does not document, and gives now and then for a while. */
export class UnmappedWords {
  readonly #knobs: JobSystemKnobs;
  readonly #chance: JobChance;
  #until = 0;
  #reads = 0;

  constructor(knobs: JobSystemKnobs, chance: JobChance) {
    this.#knobs = knobs;
    this.#chance = chance;
  }

  /** The word that a read at this time gets instead of a status; undefined: it gets the status. */
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

  /** The server restarts, and with that the statuses are the documented ones again. */
  end(): void {
    this.#until = 0;
  }
}
