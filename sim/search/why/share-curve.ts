import { type ShareInterval, wilsonInterval, Z_99 } from "./wilson.ts";

/** How many runs broke the promise that took the first `taken` choices of the failing run. */
export interface CurvePoint {
  readonly taken: number;
  readonly runs: number;
  readonly broken: number;
}

/** Runs to be made with the first `taken` choices of the failing run. */
export interface Measurement {
  readonly taken: number;
  readonly runs: number;
}

/** Two measured points between which the share rises for certain, and no points between do so. */
export interface Rise {
  readonly from: CurvePoint;
  readonly to: CurvePoint;
}

/** How many intervals of equal length are measured first. */
const GRID = 8;
/** How many runs are made at a point at once. */
const BATCH = 24;
/** So many runs are made at each point of the grid before one of them has a whole batch. */
const BATCH_COARSE = 6;
/**
 * So many runs are made at a point, in turns, to see whether the share rises next to it; points
 * whose intervals still overlap after the last turn are taken for equal.
 */
const RUNS_IN_TURN: readonly number[] = [48, 96, 192];
/** How many runs are made at both ends of each rise. */
const RUNS_SHARP = 192;
const POINTS_MAX = 96;

/**
 * The share of runs that break over the number of choices that are taken from the failing run, and
 * what to measure next: adaptive bisection of the intervals in which the share rises.
 *
 * Holds: what is measured next depends only on what was measured before; a point once measured
 * stays; the last point is the failing run itself, whose share is 1.
 */
export class ShareCurve {
  readonly #length: number;
  readonly #points: CurvePoint[] = [];

  /** Begins the curve of a failing run that made `length` choices. */
  constructor(length: number) {
    this.#length = length;
    this.add({ taken: length, runs: 1, broken: 1 });
  }

  /** All points by the number of choices taken; the last is the failing run. */
  get points(): readonly CurvePoint[] {
    return this.#points;
  }

  /** Adds runs at a point; a point in two pieces is one. */
  add({ taken, runs, broken }: CurvePoint): void {
    const at = this.#points.findIndex((one) => one.taken >= taken);
    const known = this.#points[at];
    if (known?.taken === taken) {
      this.#points[at] = { taken, runs: known.runs + runs, broken: known.broken + broken };
    } else this.#points.splice(at === -1 ? this.#points.length : at, 0, { taken, runs, broken });
  }

  /**
   * Returns what to measure next; undefined when more would not say more. The longer it may go on
   * the finer is the curve: a coarse grid first, then where it rises, then the rest of the grid.
   */
  next(): Measurement | undefined {
    return (
      this.#nextOfGrid(BATCH_COARSE) ??
      this.#nextOfRefinement(BATCH) ??
      this.#nextOfGrid(BATCH) ??
      this.#nextWhereItMayRise() ??
      this.#nextOfSharpening()
    );
  }

  /** Returns the rises, steepest first; they do not overlap. */
  rises(): readonly Rise[] {
    const minimal = this.#significantPairs().filter(
      (pair, _, all) => !all.some((other) => other !== pair && isWithin(other, pair)),
    );
    const chosen: Rise[] = [];
    for (const rise of minimal.toSorted(steepestFirst)) {
      if (!chosen.some((other) => overlaps(rise, other))) chosen.push(rise);
    }
    return chosen;
  }

  /** The least number of choices from which on all runs of every measured point break. */
  get certainFrom(): number {
    const last = this.#points.findLast(({ runs, broken }) => broken < runs);
    const at = last === undefined ? 0 : this.#points.indexOf(last) + 1;
    return this.#points[at]?.taken ?? this.#length;
  }

  #nextOfGrid(enough: number): Measurement | undefined {
    for (let at = 0; at < GRID; at += 1) {
      const taken = Math.floor((this.#length * at) / GRID);
      const runs = this.#points.find((one) => one.taken === taken)?.runs ?? 0;
      if (taken < this.#length && runs < enough) return { taken, runs: enough - runs };
    }
    return undefined;
  }

  #nextWhereItMayRise(): Measurement | undefined {
    for (const runs of RUNS_IN_TURN) {
      const refinement = this.#nextOfRefinement(runs);
      if (refinement !== undefined) return refinement;
    }
    return undefined;
  }

  #nextOfRefinement(runs: number): Measurement | undefined {
    for (const rise of this.#neighbours().toSorted(steepestFirst)) {
      const { from, to } = rise;
      if (!isRise(rise)) return undefined;
      const batch = this.#more(rise, BATCH);
      if (batch !== undefined) return batch;
      const isOne = to.taken - from.taken === 1;
      if (!isOne && this.#isSignificant(rise)) {
        if (this.#points.length >= POINTS_MAX) continue;
        return { taken: from.taken + ((to.taken - from.taken) >> 1), runs: BATCH };
      }
      if (this.#isSignificant(rise)) continue;
      const more = this.#more(rise, runs);
      if (more !== undefined) return more;
    }
    return undefined;
  }

  #nextOfSharpening(): Measurement | undefined {
    for (const rise of this.rises()) {
      const more = this.#more(rise, RUNS_SHARP);
      if (more !== undefined) return more;
    }
    return undefined;
  }

  /** Returns more runs at the end of an interval that has fewer; none if both have enough. */
  #more({ from, to }: Rise, enough: number): Measurement | undefined {
    const poorer = this.#isFailingRun(to) || from.runs <= to.runs ? from : to;
    if (poorer.runs >= enough) return undefined;
    return { taken: poorer.taken, runs: Math.min(BATCH, enough - poorer.runs) };
  }

  #neighbours(): readonly Rise[] {
    return this.#points.slice(1).map((to, at) => ({ from: this.#points[at] as CurvePoint, to }));
  }

  #significantPairs(): readonly Rise[] {
    return this.#points.flatMap((from, at) =>
      this.#points
        .slice(at + 1)
        .map((to) => ({ from, to }))
        .filter((rise) => this.#isSignificant(rise)),
    );
  }

  #isSignificant({ from, to }: Rise): boolean {
    return this.#intervalOf(from).high < this.#intervalOf(to).low;
  }

  #intervalOf(point: CurvePoint): ShareInterval {
    if (this.#isFailingRun(point)) return { low: 1, high: 1 };
    return wilsonInterval(point.broken, point.runs, Z_99);
  }

  #isFailingRun({ taken }: CurvePoint): boolean {
    return taken === this.#length;
  }
}

/** How much the share rises, as a fraction of whole numbers. */
function heightOf({ from, to }: Rise): readonly [numerator: number, denominator: number] {
  return [to.broken * from.runs - from.broken * to.runs, from.runs * to.runs];
}

function isRise(rise: Rise): boolean {
  return heightOf(rise)[0] > 0;
}

function steepestFirst(one: Rise, other: Rise): number {
  const [high, of] = heightOf(one);
  const [otherHigh, ofOther] = heightOf(other);
  return (
    otherHigh * of - high * ofOther ||
    one.from.taken - other.from.taken ||
    spanOf(one) - spanOf(other)
  );
}

function spanOf({ from, to }: Rise): number {
  return to.taken - from.taken;
}

function isWithin(inner: Rise, outer: Rise): boolean {
  return inner.from.taken >= outer.from.taken && inner.to.taken <= outer.to.taken;
}

function overlaps(one: Rise, other: Rise): boolean {
  return one.from.taken < other.to.taken && other.from.taken < one.to.taken;
}
