import {
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  CLOCK_PART,
  ReplayedChoices,
  type Scheduler,
  SeededChoices,
} from "./choices.ts";

/**
 * Makes the first choices of a recorded run again, and draws all later ones from a seed.
 *
 * Holds: with a `taken` of 0 the run is the one that the seed gives; with all choices taken it is
 * the recorded one. The clock takes part for as long as recorded choices are made again, if it did
 * in the recording: a drawn run never stalls a host by chance.
 *
 * @throws a `ReplayDrift` from `choose`, at the first choice that differs from the recorded one
 */
export class PrefixChoices implements Choices {
  readonly scheduler: Scheduler | undefined;
  readonly #taken: number;
  readonly #recorded: ReplayedChoices;
  readonly #drawn: SeededChoices;
  #position = 0;

  /** Takes the first `taken` choices of `recording`. */
  constructor(recording: readonly Choice[], taken: number, seed: number) {
    this.#taken = taken;
    this.#recorded = new ReplayedChoices(recording);
    this.#drawn = new SeededChoices(seed, { record: false });
    if (recording.some(({ part }) => part === CLOCK_PART)) this.scheduler = this.#clockRace();
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    const recorded = this.#recorded.stream(kind, part);
    const drawn = this.#drawn.stream(kind, part);
    return {
      choose: (n, label) => {
        if (!this.#isRecorded) return drawn.choose(n, label);
        if (n > 1) this.#position += 1;
        return recorded.choose(n, label);
      },
    };
  }

  /** Returns the choices that were made again. */
  recorded(): readonly Choice[] {
    return this.#recorded.recorded();
  }

  get #isRecorded(): boolean {
    return this.#position < this.#taken;
  }

  #clockRace(): Scheduler {
    const withClock = this.stream("sched", CLOCK_PART);
    const withoutClock = this.stream("sched", "world");
    const isRecorded = (): boolean => this.#isRecorded;
    return {
      get racesClock() {
        return isRecorded();
      },
      choose: (tasks, label) =>
        (isRecorded() ? withClock : withoutClock).choose(tasks.length, label),
      took: () => undefined,
    };
  }
}
