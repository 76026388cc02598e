import {
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  CLOCK_PART,
  clockRaceOf,
  type Scheduler,
} from "./choices.ts";

/** A decision other than 0: the `nth` call of this stream with this label returns `take`. */
export interface PinnedChoice {
  /** What the choice decides. */
  readonly kind: ChoiceKind;
  /** The part of the world that decides: a host, a broker, "world". */
  readonly part: string;
  /** What the options are about. */
  readonly label: string;
  /** Counts the calls of the stream with this label, from 1. */
  readonly nth: number;
  /** The chosen option. */
  readonly take: number;
}

/** A pin that decided nothing, and why. */
export interface UnusedPin {
  /** Its place among the pins, from 0. */
  readonly at: number;
  /** How often its choice was asked for, under any number. */
  readonly asked: number;
  /** How many options there were, where that is why: fewer than it takes. */
  readonly options: number | undefined;
}

/**
 * Chooses 0 everywhere except where a choice is pinned.
 *
 * Holds: a pin is found by kind, part, label and count, so it stays in place when other pins are
 * removed; a pin whose value is out of range by now has no effect, which `unused` says.
 */
export class PinnedChoices implements Choices {
  readonly scheduler: Scheduler | undefined;
  readonly #takes = new Map<string, Map<number, number>>();
  readonly #calls = new Map<string, number>();
  readonly #pins: readonly PinnedChoice[];
  /** The numbers of options of the choices that a pin is for, by stream and number. */
  readonly #asked = new Map<string, number>();
  readonly #recorded: Choice[] | undefined;

  constructor(pins: readonly PinnedChoice[], options: { readonly record: boolean }) {
    this.#recorded = options.record ? [] : undefined;
    this.#pins = pins;
    for (const { kind, part, label, nth, take } of pins) {
      const name = streamLabel(kind, part, label);
      const known = this.#takes.get(name);
      if (known === undefined) this.#takes.set(name, new Map([[nth, take]]));
      else known.set(nth, take);
    }
    if (pins.some(({ part }) => part === CLOCK_PART)) this.scheduler = clockRaceOf(this);
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    return { choose: (n, label) => (n === 1 ? 0 : this.#take(kind, part, n, label)) };
  }

  recorded(): readonly Choice[] {
    return this.#recorded ?? [];
  }

  /** Returns the pins that have decided nothing so far. */
  unused(): readonly UnusedPin[] {
    return this.#pins.flatMap(({ kind, part, label, nth, take }, at) => {
      const name = streamLabel(kind, part, label);
      const options = this.#asked.get(`${name}\n${nth}`);
      if (options !== undefined && take < options) return [];
      return [{ at, asked: this.#calls.get(name) ?? 0, options }];
    });
  }

  #take(kind: ChoiceKind, part: string, n: number, label: string): number {
    const name = streamLabel(kind, part, label);
    const nth = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, nth);
    const pinned = this.#takes.get(name)?.get(nth);
    if (pinned !== undefined) this.#asked.set(`${name}\n${nth}`, n);
    const take = pinned ?? 0;
    const value = take < n ? take : 0;
    this.#recorded?.push({ kind, part, n, label, value });
    return value;
  }
}

/** Returns the pins that decide nothing in a recorded run. */
export function unusedPins(
  pins: readonly PinnedChoice[],
  choices: readonly Choice[],
): readonly UnusedPin[] {
  const played = new PinnedChoices(pins, { record: false });
  for (const { kind, part, n, label } of choices) played.stream(kind, part).choose(n, label);
  return played.unused();
}

/** Returns the pins that repeat a recorded run: all of its decisions other than 0. */
export function pinsFrom(choices: readonly Choice[]): readonly PinnedChoice[] {
  const calls = new Map<string, number>();
  const pins: PinnedChoice[] = [];
  for (const { kind, part, label, value } of choices) {
    const name = streamLabel(kind, part, label);
    const nth = (calls.get(name) ?? 0) + 1;
    calls.set(name, nth);
    if (value !== 0) pins.push({ kind, part, label, nth, take: value });
  }
  return pins;
}

function streamLabel(kind: ChoiceKind, part: string, label: string): string {
  return `${kind}\n${part}\n${label}`;
}
