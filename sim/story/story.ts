import type { Violation } from "../checkers/mod.ts";
import type { TraceEvent } from "../trace/trace.ts";
import { type Cast, castFrom, type SubscriberNoun } from "./cast.ts";
import { eventWords } from "./event-words.ts";

/** How many lines a story has; one may say how many were left out. */
const LINES_MAX = 14;
/** How many of the first lines stay when the middle is left out. */
const LINES_AT_START = 4;

/**
 * Returns how much an event matters to a story, 0 to 4; undefined if it does not belong to it.
 *
 * A story that is too long leaves out what matters least first, and of that the oldest.
 */
export type Selection = (event: TraceEvent) => number | undefined;

/** The weight of events that no story goes without. */
export const WEIGHT_MAX = 4;

interface Line {
  readonly at: number;
  readonly words: string;
  readonly weight: number;
}

/** Virtual time as people read it: "12.345 s". */
export function timeText(ms: number): string {
  const seconds = Math.trunc(ms / 1_000);
  return `${seconds}.${String(ms % 1_000).padStart(3, "0")} s`;
}

/** What a story leads to: a violation, or the end of a run. */
export interface StoryEnd extends Pick<Violation, "at" | "ref" | "detail"> {
  /** How many lines may lead to it; default 14. */
  readonly linesMax?: number;
}

/** Returns the selected events that led to an end, a line each, and what was seen. */
export function storyOf(
  trace: readonly TraceEvent[],
  { at: end, ref, detail, linesMax }: StoryEnd,
  select: Selection,
  subscriber?: SubscriberNoun,
): readonly string[] {
  const lines = linesUntil(end, trace, select, castFrom(trace, ref, subscriber));
  return textsFrom([
    ...shortened(lines, linesMax),
    { at: end, words: `=> ${detail}`, weight: WEIGHT_MAX },
  ]);
}

/** Returns a whole run, a line for each selected event, at most 14. */
export function runStoryOf(trace: readonly TraceEvent[], select: Selection): readonly string[] {
  return textsFrom(shortened(linesUntil(Infinity, trace, select, castFrom(trace, undefined))));
}

function linesUntil(
  end: number,
  trace: readonly TraceEvent[],
  select: Selection,
  cast: Cast,
): readonly Line[] {
  const lines: Line[] = [];
  for (const event of trace) {
    if (event.at > end) break;
    const weight = select(event);
    if (weight === undefined) continue;
    const words = eventWords(event, cast);
    const last = lines.at(-1);
    if (last?.at !== event.at || last.words !== words) lines.push({ at: event.at, words, weight });
  }
  return lines;
}

/** What stands for the lines that were left out. */
interface Gap {
  readonly left: number;
}

function shortened(lines: readonly Line[], linesMax = LINES_MAX): readonly (Line | Gap)[] {
  let kept = lines;
  for (let weight = 0; kept.length > linesMax && weight < WEIGHT_MAX; weight += 1) {
    let surplus = kept.length - linesMax;
    kept = kept.filter((line) => line.weight !== weight || surplus-- <= 0);
  }
  if (kept.length <= linesMax) return kept;
  const atEnd = linesMax - 1 - LINES_AT_START;
  const gap = { left: kept.length - LINES_AT_START - atEnd };
  return [...kept.slice(0, LINES_AT_START), gap, ...kept.slice(-atEnd)];
}

/** The times stand one below the other. */
function textsFrom(lines: readonly (Line | Gap)[]): readonly string[] {
  const last = lines.at(-1);
  const width = last === undefined || "left" in last ? 0 : timeText(last.at).length;
  return lines.map((line) =>
    "left" in line
      ? `${"".padStart(width)}  (${line.left} more)`
      : `${timeText(line.at).padStart(width)}  ${line.words}`,
  );
}
