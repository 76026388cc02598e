import {
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  CLOCK_PART,
  clockRaceOf,
  type Scheduler,
} from "../../choices/choices.ts";

/** How many choices of a stream are passed over to find the one that is asked for. */
const LOOK_AHEAD = 32;

/**
 * Makes the choices of a recorded run again although the run has changed a little: each stream is
 * followed in order, passing over choices that are no longer asked for. What the recording does not
 * have is the calm choice.
 */
export class ChoicesInOrder implements Choices {
  readonly scheduler: Scheduler | undefined;
  readonly #streams = new Map<string, Choice[]>();

  constructor(recording: readonly Choice[]) {
    for (const choice of recording.toReversed()) {
      const name = `${choice.kind}/${choice.part}`;
      const known = this.#streams.get(name);
      if (known === undefined) this.#streams.set(name, [choice]);
      else known.push(choice);
    }
    if (recording.some(({ part }) => part === CLOCK_PART)) this.scheduler = clockRaceOf(this);
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    const left = this.#streams.get(`${kind}/${part}`) ?? [];
    return { choose: (n, label) => (n === 1 ? 0 : takeNext(left, n, label)) };
  }

  /** Returns an empty list. */
  recorded(): readonly Choice[] {
    return [];
  }
}

/** The next choice is the last of `left`. */
function takeNext(left: Choice[], n: number, label: string): number {
  const least = Math.max(0, left.length - LOOK_AHEAD);
  for (let at = left.length - 1; at >= least; at -= 1) {
    const choice = left[at] as Choice;
    if (choice.label !== label || choice.n !== n) continue;
    left.length = at;
    return choice.value;
  }
  return 0;
}
