import { checkedOptions } from "../../src/checked-options.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** What a choice decides: which step runs first, faults, durations, data, what the actors do. */
export type ChoiceKind = "sched" | "fault" | "time" | "data" | "workload";

/** One decision of a run. The list of all decisions is enough to replay the run. */
export interface Choice {
  /** What the choice decides. */
  readonly kind: ChoiceKind;
  /** The part of the world that decides: a host, a broker, "world". */
  readonly part: string;
  /** The number of options. */
  readonly n: number;
  /** What the options are about. */
  readonly label: string;
  /** The option that was chosen, from 0 to n - 1. */
  readonly value: number;
}

/**
 * The decisions of one kind in one part of a world.
 *
 * Holds: with n = 1 nothing is drawn and nothing is recorded; an additional draw in one stream does
 * not change what another stream returns.
 */
export interface ChoiceStream {
  /** Returns `0..n-1`; 0 is always the calm choice (first in, no fault, shortest delay). */
  choose(n: number, label: string): number;
}

/** The part of a `sched` choice in a world where the clock competes with the tasks. */
export const CLOCK_PART = "world and clock";
/** The name of the clock in the list of tasks, where it always comes last. */
export const CLOCK_TASK = "clock";

/** Decides which of several due steps runs first, by the names of their lanes. */
export interface Scheduler {
  /**
   * Whether the clock is one of the tasks. It may then advance past due steps; the hosts of those
   * steps are stalled until the next due time.
   */
  readonly racesClock: boolean;
  /**
   * Returns an index into `tasks`: distinct lanes in the order in which their steps became due, and
   * the clock last if it takes part.
   */
  choose(tasks: readonly string[], label: string): number;
  /** Called with the lane of each step that runs, even if there was no choice. */
  took(task: string): void;
}

/** All nondeterminism of a world. */
export interface Choices {
  /** Undefined: the order of due steps is a `sched` choice like any other. */
  readonly scheduler?: Scheduler | undefined;
  /** Returns the stream of one kind and part: `("fault", "broker")`. */
  stream(kind: ChoiceKind, part: string): ChoiceStream;
  /** Returns all choices so far, in order; empty if recording is off. */
  recorded(): readonly Choice[];
}

const END_OF_RECORDING = "(end of recording)";

/**
 * Thrown when a replayed run asks for a decision that differs from the recorded one: the code or
 * the scenario has changed since the recording.
 *
 * @example
 * ```ts
 * import { ReplayDrift, ReplayedChoices } from "faultlane/sim";
 *
 * const choices = new ReplayedChoices([]);
 * try {
 *   choices.stream("time", "network").choose(5, "latency");
 * } catch (error) {
 *   console.log(error instanceof ReplayDrift && error.recorded); // => (end of recording)
 * }
 * ```
 */
export class ReplayDrift extends Error {
  /** Always "ReplayDrift". */
  override readonly name = "ReplayDrift";
  /** The index of the choice in the recording. */
  readonly position: number;
  /** The recorded decision. */
  readonly recorded: string;
  /** The decision that the run asked for instead. */
  readonly asked: string;

  /** Whether the recording ends here, as that of a file that was cut short does. */
  get isEnd(): boolean {
    return this.recorded === END_OF_RECORDING;
  }

  /** Creates the error for the choice at `position`. */
  constructor(position: number, recorded: string, asked: string) {
    super(
      `Cannot replay choice ${position}: recorded "${recorded}", but the run now asks "${asked}"`,
    );
    this.position = position;
    this.recorded = recorded;
    this.asked = asked;
  }
}

/**
 * Choices drawn from one seed; each kind and part has a generator of its own.
 *
 * @throws {RangeError} when the seed is not a whole number from 0
 *
 * @example
 * ```ts
 * import { SeededChoices } from "faultlane/sim";
 *
 * const draw = () => new SeededChoices(7).stream("time", "network").choose(5, "latency");
 * console.log(draw() === draw()); // => true
 * ```
 */
export class SeededChoices implements Choices {
  readonly #seed: number;
  readonly #streams = new Map<string, ChoiceStream>();
  readonly #recorded: Choice[] | undefined;

  /**
   * Starts the generators. With `record: false` the choices are not kept.
   *
   * @throws {RangeError} when the seed is not a whole number from 0
   * @throws {TypeError} when an option is unknown
   */
  constructor(seed: number, options: { readonly record: boolean } = { record: true }) {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new RangeError(`Cannot use ${seed} as a seed: a seed is a whole number from 0`);
    }
    checkedOptions(options, ["record"], "SeededChoices");
    this.#seed = seed;
    this.#recorded = options.record ? [] : undefined;
  }

  /** Returns the stream of one kind and part. */
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

  /** Returns all choices so far, in order; empty without recording. */
  recorded(): readonly Choice[] {
    return this.#recorded ?? [];
  }
}

/**
 * The recorded choices of an earlier run, made again in the same order.
 *
 * @throws {ReplayDrift} from `choose`, at the first decision whose kind, part, range or label
 *   differs from the recorded one, or when the recording ends
 *
 * @example
 * ```ts
 * import { ReplayedChoices, SeededChoices } from "faultlane/sim";
 *
 * const first = new SeededChoices(7);
 * const amount = first.stream("data", "orders").choose(100, "amount");
 * const again = new ReplayedChoices(first.recorded());
 * console.log(again.stream("data", "orders").choose(100, "amount") === amount); // => true
 * ```
 */
export class ReplayedChoices implements Choices {
  /** Present if the clock took part in the recorded choices. */
  readonly scheduler: Scheduler | undefined;
  readonly #choices: readonly Choice[];
  #position = 0;

  /** Takes the choices that an earlier run has recorded. */
  constructor(choices: readonly Choice[]) {
    this.#choices = choices;
    if (choices.some(({ part }) => part === CLOCK_PART)) this.scheduler = clockRaceOf(this);
  }

  /** Returns the stream of one kind and part. */
  stream(kind: ChoiceKind, part: string): ChoiceStream {
    return {
      choose: (n, label) => {
        assertRange(n, label);
        return n === 1 ? 0 : this.#take(kind, part, n, label);
      },
    };
  }

  /** Returns the choices that were repeated so far. */
  recorded(): readonly Choice[] {
    return this.#choices.slice(0, this.#position);
  }

  #take(kind: ChoiceKind, part: string, n: number, label: string): number {
    const choice = this.#choices[this.#position];
    const asked = `${kind}/${part} ${label} of ${n}`;
    if (choice === undefined) throw new ReplayDrift(this.#position, END_OF_RECORDING, asked);
    const recorded = `${choice.kind}/${choice.part} ${choice.label} of ${choice.n}`;
    if (recorded !== asked) throw new ReplayDrift(this.#position, recorded, asked);
    this.#position += 1;
    return choice.value;
  }
}

/**
 * Always chooses 0, the calm choice: first in, no fault, shortest delay. Nothing is recorded.
 *
 * @example
 * ```ts
 * import { CalmChoices } from "faultlane/sim";
 *
 * console.log(new CalmChoices().stream().choose(100, "latency")); // => 0
 * ```
 */
export class CalmChoices implements Choices {
  /** Returns a stream that always chooses 0. */
  stream(): ChoiceStream {
    return { choose: () => 0 };
  }

  /** Returns an empty list. */
  recorded(): readonly Choice[] {
    return [];
  }
}

/** Returns a scheduler that lets the clock compete with the tasks, as `choices` decide. */
export function clockRaceOf(choices: Choices): Scheduler {
  const stream = choices.stream("sched", CLOCK_PART);
  return {
    racesClock: true,
    choose: (tasks, label) => stream.choose(tasks.length, label),
    took: () => undefined,
  };
}

function assertRange(n: number, label: string): void {
  if (!Number.isInteger(n) || n < 1) {
    throw new RangeError(`Cannot choose "${label}" from ${n} options`);
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
