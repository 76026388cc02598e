import type { Violation } from "../checkers/mod.ts";
import type { ChoiceInWords } from "../search/why/choice-words.ts";
import type { Counterfactual } from "../search/why/counterfactuals.ts";
import type { RunPart } from "../search/why/run-parts.ts";
import type { CurvePoint } from "../search/why/share-curve.ts";
import type { Why } from "../search/why/why.ts";
import { wilsonInterval } from "../search/why/wilson.ts";

/** A point of the curve: of `runs` that took the first `taken` choices, `broken` broke the promise. */
export interface WhyPoint extends CurvePoint {
  /** `broken / runs`, to four digits. */
  readonly share: number;
  /** The bounds of its Wilson interval, 95 in 100, to four digits. */
  readonly low: number;
  readonly high: number;
}

/** A point of the curve, and when in the run its choices end. */
interface TimedWhyPoint extends WhyPoint {
  /** When the first choice is made that is drawn anew, in virtual milliseconds. */
  readonly at: number;
}

/** A fault or act of the run. */
export type WhyPart = Omit<RunPart, "part">;

/** Parts that were left out together, and whether the promise still breaks without them. */
export interface WhyWithout {
  readonly parts: readonly WhyPart[];
  readonly without: Counterfactual["without"];
}

/** The explanation of a failing run as plain data, for `--json` and for a page. */
export interface WhyDocument {
  readonly violation: Omit<Violation, "story">;
  /** How many choices the run made until the promise broke. */
  readonly choices: number;
  /** By the number of choices taken; the last is the failing run itself. */
  readonly curve: readonly TimedWhyPoint[];
  /** The least measured number of choices from which on every run broke the promise. */
  readonly certainFrom: number;
  /** Steepest first. */
  readonly rises: readonly {
    readonly from: WhyPoint;
    readonly to: WhyPoint;
    /** What may have made the share rise: choices from `from.taken` to `to.taken - 1`. */
    readonly choices: readonly ChoiceInWords[];
    /** How many choices of the rise are not named. */
    readonly more: number;
  }[];
  /** Each fault and act left out alone. */
  readonly alone: readonly WhyWithout[];
  /** Pairs without which the promise holds, of parts that are not needed alone. */
  readonly pairs: readonly WhyWithout[];
  /** What comes of the run without all parts that are not needed alone; absent if not tried. */
  readonly withoutAll?: "breaks" | "holds";
  /** How many faults and acts were not left out, because the budget or the limit was reached. */
  readonly untried: number;
  /** How many pairs of faults and acts were not left out for want of budget. */
  readonly pairsUntried: number;
  readonly runs: number;
  readonly steps: number;
  /** Whether the budget was enough for the whole curve. */
  readonly isCurveWhole: boolean;
  /** Whether the budget was enough for the whole answer. */
  readonly isComplete: boolean;
}

/** Returns an explanation as plain data. */
export function whyDocumentFrom(why: Why): WhyDocument {
  const { violation, choices, certainFrom, counterfactuals, runs, steps } = why;
  const { singles, pairs, withoutAll, untried, pairsUntried } = counterfactuals;
  const pointOf = (point: CurvePoint): WhyPoint => whyPointFrom(point, choices);
  const { story: _, ...seen } = violation;
  return {
    violation: seen,
    choices,
    curve: why.points.map(({ at, ...point }) => ({ ...pointOf(point), at })),
    certainFrom,
    rises: why.rises.map(({ from, to, ...named }) => ({
      from: pointOf(from),
      to: pointOf(to),
      ...named,
    })),
    alone: singles.map(withoutFrom),
    pairs: pairs.map(withoutFrom),
    ...(withoutAll === undefined ? {} : { withoutAll }),
    untried,
    pairsUntried,
    runs,
    steps,
    isCurveWhole: why.isCurveWhole,
    isComplete: why.isComplete,
  };
}

/** The failing run itself is certain: it is the one run that takes all of its choices. */
function whyPointFrom(point: CurvePoint, choices: number): WhyPoint {
  const { taken, runs, broken } = point;
  if (taken === choices) return { ...point, share: 1, low: 1, high: 1 };
  const { low, high } = wilsonInterval(broken, runs);
  const share = runs === 0 ? 0 : rounded(broken / runs);
  return { taken, runs, broken, share, low: rounded(low), high: rounded(high) };
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}

function withoutFrom({ parts, without }: Counterfactual): WhyWithout {
  const plain = parts.map(({ kind, path, choice, words }) => ({ kind, path, choice, words }));
  return { parts: plain, without };
}
