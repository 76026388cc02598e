import { sha256 } from "@noble/hashes/sha2.js";
import { LineDigest } from "../../trace/digest.ts";

/** How many decisions of each kind may be other than the calm one; a kind that is absent: all. */
export type DecisionBounds = Readonly<Record<string, number>>;

/**
 * One run on its way through all of them.
 *
 * Holds: a run that decides by `choose` alone and shows every state in which it decides is walked
 * completely, each state being gone on from once.
 */
export interface Path {
  /** The next of `0..n-1` to be walked here; 0 alone where the bound of `kind` is used up. */
  choose(n: number, kind?: string): number;
  /**
   * Shows all that the rest of the run depends on; true: it is walked already, and ends here. Not
   * asked for it on the way that was walked before.
   */
  wasVisited(state: () => string): boolean;
  /** Whether the run is beyond what was walked before: only there is anything new to be seen. */
  readonly isNew: boolean;
}

export interface ExhaustiveOptions<Failure> {
  /** One run from the beginning; answers what failed in it, if anything. */
  readonly run: (path: Path) => Failure | undefined | Promise<Failure | undefined>;
  readonly bounds?: DecisionBounds;
  /** Default 1,000,000; where it is reached, the walk is not complete. */
  readonly runsMax?: number;
  readonly onRun?: (runs: number, states: number) => void;
}

/** What was walked, so that another machine can say whether it walked the same. */
export interface Certificate {
  readonly bounds: DecisionBounds;
  readonly runs: number;
  readonly states: number;
  /** The most decisions of one run. */
  readonly depth: number;
  /** SHA-256 over all states, whatever the order of the walk. */
  readonly digest: string;
  readonly isComplete: boolean;
}

/** The end of a walk: its certificate, and the runs that failed. */
export interface ExhaustiveReport<Failure> {
  readonly certificate: Certificate;
  readonly failures: readonly Failure[];
}

const RUNS_MAX = 1_000_000;
/** Failures are kept up to here; one is enough to know. */
const FAILURES_MAX = 20;

/** Walks every run of a world: an odometer over its decisions, cut where states come again. */
export async function walkAll<Failure>(
  options: ExhaustiveOptions<Failure>,
): Promise<ExhaustiveReport<Failure>> {
  const { bounds = {}, runsMax = RUNS_MAX } = options;
  const odometer = new Odometer(bounds);
  const failures: Failure[] = [];
  let runs = 0;
  let isComplete = false;
  while (!isComplete && runs < runsMax) {
    odometer.begin();
    const failure = await options.run(odometer);
    runs += 1;
    if (failure !== undefined && failures.length < FAILURES_MAX) failures.push(failure);
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
  /** How many digits the last run has left to this one. */
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

  /** Turns to the next run; false when there is none. */
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
      throw new RangeError(`Cannot walk a run that asks other things when it is run again`);
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

/** 128 bits are enough: with a billion states two are mixed up once in 10^20 walks. */
function shortHash(state: string): string {
  let text = "";
  const hash = sha256(ENCODER.encode(state));
  for (let at = 0; at < HASH_BYTES; at += 1) text += String.fromCharCode(hash[at] as number);
  return text;
}
