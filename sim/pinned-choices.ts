import {
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  CLOCK_PART,
  type Scheduler,
} from "./choices.ts";

/**
 * One decision that is not the calm one: the `nth` time (from 1) that this stream is asked `label`.
 */
export interface PinnedChoice {
  readonly kind: ChoiceKind;
  readonly part: string;
  readonly label: string;
  readonly nth: number;
  readonly take: number;
}

/**
 * Calm but for what is pinned.
 *
 * Holds: a pin is found by what is asked and how often it was asked before, so that it stays where
 * it is when others are taken out; one that offers more than there is now gives 0.
 */
export class PinnedChoices implements Choices {
  readonly scheduler: Scheduler | undefined;
  readonly #takes = new Map<string, Map<number, number>>();
  readonly #asked = new Map<string, number>();
  readonly #recorded: Choice[] | undefined;

  constructor(pins: readonly PinnedChoice[], options: { readonly record: boolean }) {
    this.#recorded = options.record ? [] : undefined;
    for (const { kind, part, label, nth, take } of pins) {
      const name = questionName(kind, part, label);
      const known = this.#takes.get(name);
      if (known === undefined) this.#takes.set(name, new Map([[nth, take]]));
      else known.set(nth, take);
    }
    if (pins.some(({ part }) => part === CLOCK_PART)) this.scheduler = this.#clockRace();
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    return { choose: (n, label) => (n === 1 ? 0 : this.#take(kind, part, n, label)) };
  }

  recorded(): readonly Choice[] {
    return this.#recorded ?? [];
  }

  /** Pins that let the clock overtake hosts mean something only where the clock is a task. */
  #clockRace(): Scheduler {
    const stream = this.stream("sched", CLOCK_PART);
    return {
      racesClock: true,
      choose: (tasks, label) => stream.choose(tasks.length, label),
      took: () => undefined,
    };
  }

  #take(kind: ChoiceKind, part: string, n: number, label: string): number {
    const name = questionName(kind, part, label);
    const nth = (this.#asked.get(name) ?? 0) + 1;
    this.#asked.set(name, nth);
    const take = this.#takes.get(name)?.get(nth) ?? 0;
    const value = take < n ? take : 0;
    this.#recorded?.push({ kind, part, n, label, value });
    return value;
  }
}

/** The pins that take a recorded run again: all of its decisions that were not the calm ones. */
export function pinsFrom(choices: readonly Choice[]): readonly PinnedChoice[] {
  const asked = new Map<string, number>();
  const pins: PinnedChoice[] = [];
  for (const { kind, part, label, value } of choices) {
    const name = questionName(kind, part, label);
    const nth = (asked.get(name) ?? 0) + 1;
    asked.set(name, nth);
    if (value !== 0) pins.push({ kind, part, label, nth, take: value });
  }
  return pins;
}

function questionName(kind: ChoiceKind, part: string, label: string): string {
  return `${kind}\n${part}\n${label}`;
}
