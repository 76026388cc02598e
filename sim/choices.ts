import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** What a choice decides: who goes first, which fault, how long, what data, what the actors do. */
export type ChoiceKind = "sched" | "fault" | "time" | "data" | "workload";

/** One decision of a run; the list of them is the replay artifact. */
export interface Choice {
  readonly kind: ChoiceKind;
  readonly part: string;
  readonly n: number;
  readonly label: string;
  readonly value: number;
}

/**
 * Where one part of a world takes its decisions of one kind.
 *
 * Shape: answers `0..n-1`; 0 is always the calm one (first in, no fault, shortest delay).
 * Holds: with n = 1 nothing is drawn and nothing is recorded; a new draw in one part does not
 * reshuffle another.
 */
export interface ChoiceStream {
  choose(n: number, label: string): number;
}

/** The part of a `sched` choice in a world whose clock is one of the tasks. */
export const CLOCK_PART = "world and clock";
/** The clock's name among the tasks; it always comes last. */
export const CLOCK_TASK = "clock";

/**
 * Decides who goes first where several could, knowing who they are.
 *
 * Holds: `tasks` are distinct lanes in the order in which their steps became due, the clock behind
 * them; answers an index into them.
 */
export interface Scheduler {
  /**
   * Whether the clock is a task: it may then move on while hosts still have something to do, which
   * are stalled until the next thing is due.
   */
  readonly racesClock: boolean;
  choose(tasks: readonly string[], label: string): number;
  /** Told of each step that is taken, also where there was no choice. */
  took(task: string): void;
}

/** All nondeterminism of a world. */
export interface Choices {
  /** Undefined: who goes first is a `sched` choice like any other. */
  readonly scheduler?: Scheduler | undefined;
  stream(kind: ChoiceKind, part: string): ChoiceStream;
  /** What was chosen so far, in order. */
  recorded(): readonly Choice[];
}

/**
 * Thrown when a replayed run asks for another decision than the recorded one: the code has changed.
 */
export class ReplayDrift extends Error {
  override readonly name = "ReplayDrift";
  readonly position: number;
  readonly recorded: string;
  readonly asked: string;

  constructor(position: number, recorded: string, asked: string) {
    super(
      `Cannot replay choice ${position}: recorded "${recorded}", but the run now asks "${asked}"`,
    );
    this.position = position;
    this.recorded = recorded;
    this.asked = asked;
  }
}

/** Choices drawn from one seed, each `(kind, part)` from a generator of its own. */
export class SeededChoices implements Choices {
  readonly #seed: number;
  readonly #streams = new Map<string, ChoiceStream>();
  readonly #recorded: Choice[] | undefined;

  constructor(seed: number, options: { readonly record: boolean } = { record: true }) {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new RangeError(`Cannot use ${seed} as seed: a seed is a whole number from 0`);
    }
    this.#seed = seed;
    this.#recorded = options.record ? [] : undefined;
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    const name = `${kind}/${part}`;
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const generator = xoroshiro128plus(hashFrom(`${this.#seed}/${name}`));
    const recorded = this.#recorded;
    const stream: ChoiceStream = {
      choose(n, label) {
        assertRange(n, label);
        if (n === 1) return 0;
        const value = uniformInt(generator, 0, n - 1);
        recorded?.push({ kind, part, n, label, value });
        return value;
      },
    };
    this.#streams.set(name, stream);
    return stream;
  }

  recorded(): readonly Choice[] {
    return this.#recorded ?? [];
  }
}

/**
 * The choices of an earlier run, taken again one by one.
 *
 * @throws {ReplayDrift} at the first decision whose kind, part, range or label is not the recorded
 *   one, or when the recording is used up
 */
export class ReplayedChoices implements Choices {
  readonly scheduler: Scheduler | undefined;
  readonly #choices: readonly Choice[];
  #position = 0;

  constructor(choices: readonly Choice[]) {
    this.#choices = choices;
    if (!choices.some(({ part }) => part === CLOCK_PART)) return;
    const stream = this.stream("sched", CLOCK_PART);
    this.scheduler = {
      racesClock: true,
      choose: (tasks, label) => stream.choose(tasks.length, label),
      took: () => undefined,
    };
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    return {
      choose: (n, label) => {
        assertRange(n, label);
        return n === 1 ? 0 : this.#take(kind, part, n, label);
      },
    };
  }

  recorded(): readonly Choice[] {
    return this.#choices.slice(0, this.#position);
  }

  #take(kind: ChoiceKind, part: string, n: number, label: string): number {
    const choice = this.#choices[this.#position];
    const asked = `${kind}/${part} ${label} of ${n}`;
    if (choice === undefined) throw new ReplayDrift(this.#position, "(end of recording)", asked);
    const recorded = `${choice.kind}/${choice.part} ${choice.label} of ${choice.n}`;
    if (recorded !== asked) throw new ReplayDrift(this.#position, recorded, asked);
    this.#position += 1;
    return choice.value;
  }
}

/** Answers 0 to everything: the most boring run there is. */
export class CalmChoices implements Choices {
  stream(): ChoiceStream {
    return { choose: () => 0 };
  }

  recorded(): readonly Choice[] {
    return [];
  }
}

function assertRange(n: number, label: string): void {
  if (!Number.isInteger(n) || n < 1) {
    throw new RangeError(`Cannot choose "${label}" from ${n} possibilities`);
  }
}

/** FNV-1a over UTF-16 code units, 32 bits: names become generator seeds. */
function hashFrom(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
