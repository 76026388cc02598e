import { sha256 } from "@noble/hashes/sha2.js";
import { LineDigest } from "../../trace/digest.ts";

/** How many decisions of each kind may differ from 0, the calm one; an absent kind has no bound. */
export type DecisionBounds = Readonly<Record<string, number>>;

/**
 * The decisions of one run of an exhaustive exploration.
 *
 * Holds: if all decisions of a run come from `choose`, and it passes each state in which it decides
 * to `wasVisited`, then all runs are explored, and each state is continued from once.
 */
export interface Path {
  /** Returns the next of `0..n-1` to explore here; always 0 once the bound of `kind` is reached. */
  choose(n: number, kind?: string): number;
  /**
   * Returns whether this state was explored before, so that the run may end here. `state` returns
   * everything that the rest of the run depends on; it is not called while a known prefix is
   * repeated.
   */
  wasVisited(state: () => string): boolean;
  /** Whether the run has left the prefix that it shares with the run before. */
  readonly isNew: boolean;
}

/** What is explored, and how far. */
export interface ExhaustiveOptions<Failure> {
  /** Makes one run from the beginning; returns its failure, if any. */
  readonly run: (path: Path) => Failure | undefined | Promise<Failure | undefined>;
  readonly bounds?: DecisionBounds;
  /** Default 1,000,000; an exploration that reaches it is not complete. */
  readonly runsMax?: number;
  readonly onRun?: (runs: number, states: number) => void;
  /** Called with each failure that is kept, when it is found. */
  readonly onFailure?: (failure: Failure) => void;
  /** Ends the exploration, which then is not complete, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What was explored, by which two explorations can be compared. */
export interface Certificate {
  readonly bounds: DecisionBounds;
  readonly runs: number;
  readonly states: number;
  /** The largest number of decisions in one run. */
  readonly depth: number;
  /** SHA-256 over all states, in an order that does not depend on the exploration. */
  readonly digest: string;
  readonly isComplete: boolean;
}

/** The result of an exploration: its certificate, and the runs that failed. */
export interface ExhaustiveReport<Failure> {
  readonly certificate: Certificate;
  readonly failures: readonly Failure[];
}

const RUNS_MAX = 1_000_000;
/** How many failures are kept. */
const FAILURES_MAX = 20;

/** Explores every run of a world: an odometer over its decisions that skips visited states. */
export async function exploreAll<Failure>(
  options: ExhaustiveOptions<Failure>,
): Promise<ExhaustiveReport<Failure>> {
  const { bounds = {}, runsMax = RUNS_MAX } = options;
  const odometer = new Odometer(bounds);
  const failures: Failure[] = [];
  let runs = 0;
  let isComplete = false;
  while (!isComplete && runs < runsMax && options.signal?.aborted !== true) {
    odometer.begin();
    const failure = await options.run(odometer);
    runs += 1;
    if (failure !== undefined && failures.length < FAILURES_MAX) {
      failures.push(failure);
      options.onFailure?.(failure);
    }
    options.onRun?.(runs, odometer.states);
    isComplete = !odometer.advance();
  }
  const { states, depth } = odometer;
  const digest = odometer.digest();
  return { certificate: { bounds, runs, states, depth, digest, isComplete }, failures };
}

interface Digit {
  value: number;
  readonly n: number;
  readonly kind: string | undefined;
}

class Odometer implements Path {
  readonly #bounds: DecisionBounds;
  readonly #visited = new Set<string>();
  readonly #digits: Digit[] = [];
  readonly #spent = new Map<string, number>();
  #position = 0;
  /** The length of the prefix that this run shares with the run before. */
  #given = 0;
  depth = 0;

  constructor(bounds: DecisionBounds) {
    this.#bounds = bounds;
  }

  get states(): number {
    return this.#visited.size;
  }

  begin(): void {
    this.#position = 0;
    this.#given = this.#digits.length;
    this.#spent.clear();
  }

  /** Turns to the next run; returns false when there is none. */
  advance(): boolean {
    this.depth = Math.max(this.depth, this.#digits.length);
    for (let last = this.#digits.at(-1); last !== undefined; last = this.#digits.at(-1)) {
      last.value += 1;
      if (last.value < last.n) return true;
      this.#digits.pop();
    }
    return false;
  }

  choose(n: number, kind?: string): number {
    if (n === 1 || !this.#mayDeviate(kind)) return 0;
    const known = this.#digits[this.#position];
    const digit = known ?? { value: 0, n, kind };
    if (known === undefined) this.#digits.push(digit);
    else if (known.n !== n || known.kind !== kind) {
      throw new RangeError(`Cannot explore a run that makes other decisions when it is repeated`);
    }
    this.#position += 1;
    if (digit.value > 0 && kind !== undefined) {
      this.#spent.set(kind, (this.#spent.get(kind) ?? 0) + 1);
    }
    return digit.value;
  }

  get isNew(): boolean {
    return this.#position >= this.#given;
  }

  wasVisited(state: () => string): boolean {
    if (!this.isNew) return false;
    const spent = [...this.#spent].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const name = shortHash(spent.length === 0 ? state() : `${JSON.stringify(spent)} ${state()}`);
    if (this.#visited.has(name)) return true;
    this.#visited.add(name);
    return false;
  }

  digest(): string {
    const lines = new LineDigest();
    for (const name of [...this.#visited].toSorted()) lines.add(name);
    return lines.hex();
  }

  #mayDeviate(kind: string | undefined): boolean {
    const bound = kind === undefined ? undefined : this.#bounds[kind];
    return bound === undefined || (this.#spent.get(kind ?? "") ?? 0) < bound;
  }
}

const ENCODER = new TextEncoder();
const HASH_BYTES = 16;

/** 128 bits: among a billion states two collide in one of 10^20 explorations. */
function shortHash(state: string): string {
  let text = "";
  const hash = sha256(ENCODER.encode(state));
  for (let at = 0; at < HASH_BYTES; at += 1) text += String.fromCharCode(hash[at] as number);
  return text;
}
