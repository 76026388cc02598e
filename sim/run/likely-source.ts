import { areAllEqual, areEqual, indexOfDifference } from "./first-difference.ts";
import type { LikelySource } from "./not-deterministic.ts";
import type { RunReport } from "./run-report.ts";

/**
 * How long the real clock goes on before the last of the runs, so that values that follow it show
 * it.
 */
export const PAUSE_MS = 100;

/** State that toggles has two outcomes; where there are more, it is rather chance. */
const OUTCOMES_OF_CHANCE_MIN = 3;

type Run = Pick<RunReport, "trace" | "choices" | "digest" | "stats" | "violations">;

/**
 * Judges from runs that should be equal what makes them differ.
 *
 * @param isFirstEver - whether the code under test had not run before the first of them
 */
export function likelySource(
  runs: readonly Run[],
  { isFirstEver }: { readonly isFirstEver: boolean },
): LikelySource {
  const [first, ...later] = runs;
  if (first === undefined) return "unknown";
  if (isFirstEver && areAllEqual(later)) return "state-outlives-run";
  const growth = growthOf(first.trace.length > 0 ? runs : later);
  if (growth !== undefined) {
    const usual = Math.max(...growth.slice(0, -1));
    const hasJumped = (growth.at(-1) ?? 0) - usual >= PAUSE_MS / 2;
    return hasJumped ? "real-time-or-chance" : "state-outlives-run";
  }
  const outcomes = runs.filter((run, at) => runs.findIndex((one) => areEqual(one, run)) === at);
  return outcomes.length >= OUTCOMES_OF_CHANCE_MIN ? "real-time-or-chance" : "unknown";
}

/**
 * Returns by how much a number grew from run to run, where the runs begin to differ by nothing
 * else; undefined if there is no such number.
 */
function growthOf(runs: readonly Run[]): readonly number[] | undefined {
  const [first, second] = runs;
  if (first === undefined || second === undefined) return undefined;
  const at = indexOfDifference(first.trace, second.trace);
  if (at === undefined) return undefined;
  const shape = shapeOf(JSON.stringify(first.trace[at]) ?? "");
  // Where the event comes later, something else may stand in its place.
  const texts = runs
    .map(({ trace }) =>
      trace
        .slice(at)
        .map((event) => JSON.stringify(event))
        .find((text) => shapeOf(text) === shape),
    )
    .filter((text) => text !== undefined);
  if (texts.length < runs.length) return undefined;
  const columns = transposed(texts.map((text) => (text.match(NUMBER) ?? []).map(Number)));
  const changing = columns.filter((column) => new Set(column).size > 1);
  const [column] = changing;
  if (column === undefined || !changing.every(isGrowing)) return undefined;
  return column.slice(1).map((value, before) => value - (column[before] ?? 0));
}

/** A text with its numbers left out. */
function shapeOf(text: string): string {
  return text.replaceAll(NUMBER, "#");
}

const NUMBER = /\d+(?:\.\d+)?/g;

function transposed(rows: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? 0));
}

function isGrowing(column: readonly number[]): boolean {
  return column.every((value, at) => at === 0 || value > (column[at - 1] ?? 0));
}
