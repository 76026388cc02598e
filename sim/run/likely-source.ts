import type { LikelySource } from "./not-deterministic.ts";

/** How long the real clock goes on before the last run, so that values that follow it show it. */
export const PAUSE_MS = 100;

/** State that toggles has two outcomes; where there are more, it is rather chance. */
const OUTCOMES_OF_CHANCE_MIN = 3;

/** What a run came to. */
export interface Outcome {
  /** Equal for runs that are equal. */
  readonly identity: string;
  /** Its events, a line each; undefined where they were not kept. */
  readonly lines: readonly string[] | undefined;
}

/**
 * Judges from runs that should be equal what makes them differ; there is a pause of the real clock
 * before the last one.
 *
 * @param isFirstEver - whether the code under test had not run before the first of them
 */
export function likelySource(
  runs: readonly Outcome[],
  { isFirstEver }: { readonly isFirstEver: boolean },
): LikelySource {
  const [, ...later] = runs;
  const identities = new Set(runs.map(({ identity }) => identity));
  const isSteady = new Set(later.map(({ identity }) => identity)).size === 1;
  if (isFirstEver && isSteady) return "state-outlives-run";
  const growth = growthOf(runs.flatMap(({ lines }) => (lines === undefined ? [] : [lines])));
  if (growth !== undefined) {
    const usual = Math.max(...growth.slice(0, -1));
    const hasJumped = (growth.at(-1) ?? 0) - usual >= PAUSE_MS / 2;
    return hasJumped ? "real-time-or-chance" : "state-outlives-run";
  }
  return identities.size >= OUTCOMES_OF_CHANCE_MIN ? "real-time-or-chance" : "unknown";
}

/**
 * Returns by how much a number grew from run to run, where the runs begin to differ by nothing
 * else; undefined if there is no such number.
 */
function growthOf(runs: readonly (readonly string[])[]): readonly number[] | undefined {
  const [first = [], second = []] = runs;
  const at = indexOfDifference(first, second);
  if (at === undefined) return undefined;
  const shape = shapeOf(first[at] ?? "");
  // Where the event comes later, something else may stand in its place.
  const lines = runs.flatMap((run) => run.slice(at).find((line) => shapeOf(line) === shape) ?? []);
  if (lines.length < runs.length) return undefined;
  const columns = transposed(lines.map((line) => (line.match(NUMBER) ?? []).map(Number)));
  const changing = columns.filter((column) => new Set(column).size > 1);
  const [column] = changing;
  if (column === undefined || !changing.every(isGrowing)) return undefined;
  return column.slice(1).map((value, before) => value - (column[before] ?? 0));
}

/** Returns the index of the first line that differs; undefined if all are equal. */
export function indexOfDifference(
  first: readonly string[],
  second: readonly string[],
): number | undefined {
  const length = Math.max(first.length, second.length);
  for (let at = 0; at < length; at += 1) if (first[at] !== second[at]) return at;
  return undefined;
}

const NUMBER = /\d+(?:\.\d+)?/g;

/** A line with its numbers left out. */
function shapeOf(line: string): string {
  return line.replaceAll(NUMBER, "#");
}

function transposed(rows: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return (rows[0] ?? []).map((_, at) => rows.map((row) => row[at] ?? 0));
}

function isGrowing(column: readonly number[]): boolean {
  return column.every((value, at) => at === 0 || value > (column[at - 1] ?? 0));
}
