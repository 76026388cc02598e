/**
 * Yields smaller candidates; each `yield` returns whether the candidate still fails.
 *
 * A pass is a generator, so that its next candidate may depend on the last result: after `true` it
 * continues from that candidate, after `false` from the one before.
 */
export type ShrinkPass<S> = (subject: S) => Generator<S, unknown, boolean>;

/** Passes that run one after the other. */
export type ShrinkStage<S> = readonly (readonly [name: string, pass: ShrinkPass<S>])[];

/** The progress of a shrinking. */
export interface ShrinkProgress {
  readonly pass: string;
  /** How many candidates were run. */
  readonly reruns: number;
  /** How many of them still failed and were kept. */
  readonly taken: number;
}

/** How a subject is shrunk. */
export interface ShrinkOptions<S> {
  /**
   * Run in this order. A stage is repeated until it finds nothing smaller; after a later stage has
   * found something, the earlier ones run again.
   */
  readonly stages: readonly ShrinkStage<S>[];
  /** Whether a candidate fails in the same way; called once per candidate. */
  readonly stillFails: (candidate: S) => boolean | Promise<boolean>;
  /** Default 1,000. */
  readonly rerunsMax?: number;
  readonly onProgress?: (progress: ShrinkProgress) => void;
  /** Called with each smaller subject that fails, before the progress is. */
  readonly onSmaller?: (subject: S) => void;
  /** Ends the shrinking, with the smallest subject so far, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The smallest subject that was found. */
export interface Shrunk<S> {
  readonly subject: S;
  readonly reruns: number;
  readonly taken: number;
  /** Whether no pass has a smaller candidate that still fails, so that the reruns were enough. */
  readonly isMinimal: boolean;
}

const RERUNS_MAX = 1_000;

/**
 * Shrinks a failing subject: a scenario, a script, a list of commands; anything that is plain data
 * and can be run again.
 *
 * Holds: the result has failed in a run, or is `subject` itself; when `isMinimal`, no candidate of
 * any pass fails, so that shrinking the result again changes nothing.
 */
export async function shrink<S>(subject: S, options: ShrinkOptions<S>): Promise<Shrunk<S>> {
  const shrinking = new Shrinking(subject, options);
  const isMinimal = await shrinking.run();
  const { best, reruns, taken } = shrinking;
  return { subject: best, reruns, taken, isMinimal };
}

class Shrinking<S> {
  best: S;
  reruns = 0;
  taken = 0;
  readonly #options: ShrinkOptions<S>;
  readonly #rerunsMax: number;
  /** Candidates that have been run already. */
  readonly #tried = new Set<string>();

  constructor(subject: S, options: ShrinkOptions<S>) {
    this.best = subject;
    this.#options = options;
    this.#rerunsMax = options.rerunsMax ?? RERUNS_MAX;
    this.#tried.add(JSON.stringify(subject));
  }

  /** Returns whether it finished within the allowed reruns. */
  async run(): Promise<boolean> {
    const { stages } = this.#options;
    for (let at = 0; at < stages.length;) {
      const before = this.taken;
      for (const [name, pass] of stages[at] ?? []) {
        if (!(await this.#runPass(name, pass))) return false;
      }
      at = this.taken > before ? 0 : at + 1;
    }
    return true;
  }

  async #runPass(pass: string, candidatesOf: ShrinkPass<S>): Promise<boolean> {
    const candidates = candidatesOf(this.best);
    let step = candidates.next();
    while (step.done !== true) {
      const candidate = step.value;
      const text = JSON.stringify(candidate);
      let fails = false;
      if (!this.#tried.has(text)) {
        if (this.reruns >= this.#rerunsMax || this.#options.signal?.aborted === true) return false;
        this.#tried.add(text);
        this.reruns += 1;
        fails = await this.#options.stillFails(candidate);
        if (fails) {
          this.best = candidate;
          this.taken += 1;
          this.#options.onSmaller?.(candidate);
        }
        const { reruns, taken } = this;
        this.#options.onProgress?.({ pass, reruns, taken });
      }
      step = candidates.next(fails);
    }
    return true;
  }
}

/**
 * Yields shorter versions of a list and returns the shortest that still fails. Tries the empty
 * list, then removes one, two, four and so on items from the end for as long as that still fails. A
 * list that needs every item costs one rerun per item.
 *
 * Source: MacIver and Donaldson, Test-Case Reduction via Test-Case Generation (ECOOP 2020)
 */
export function* fewer<Item>(
  items: readonly Item[],
): Generator<readonly Item[], readonly Item[], boolean> {
  if (items.length === 0 || (yield [])) return [];
  let kept = items;
  let size = 1;
  for (let end = kept.length; end > 0;) {
    const start = Math.max(0, end - size);
    const candidate = kept.toSpliced(start, end - start);
    if (candidate.length > 0 && (yield candidate)) {
      kept = candidate;
      end = start;
      size *= 2;
    } else if (size > 1) size >>= 1;
    else end -= 1;
  }
  return kept;
}

/**
 * Yields smaller whole numbers, not below `least`, and returns the smallest that still fails. Tries
 * the least, then one less, then bisects. A number that cannot be lowered costs two reruns.
 */
export function* lower(value: number, least: number): Generator<number, number, boolean> {
  if (value <= least || (yield least)) return Math.min(value, least);
  let tooLow = least;
  let kept = value - 1;
  if (kept === tooLow || !(yield kept)) return value;
  while (kept - tooLow > 1) {
    const middle = (kept + tooLow) >> 1;
    if (yield middle) kept = middle;
    else tooLow = middle;
  }
  return kept;
}

/** Turns a walk over a part into a walk over the whole that contains it. */
export function* within<S, Part>(
  inner: Generator<Part, Part, boolean>,
  whole: (part: Part) => S,
): Generator<S, S, boolean> {
  let step = inner.next();
  while (step.done !== true) step = inner.next(yield whole(step.value));
  return whole(step.value);
}
