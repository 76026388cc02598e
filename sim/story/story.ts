import type { Violation } from "../checkers/mod.ts";
import type { TraceEvent } from "../trace/trace.ts";
import { castFrom } from "./cast.ts";
import { eventWords } from "./event-words.ts";

/** How many lines a story has; one may say how many were left out. */
const LINES_MAX = 14;
/** How many of the first lines stay when the middle is left out. */
const LINES_AT_START = 4;

/**
 * Says how much an event matters to a story: 0 to 4; undefined where it has no part in it.
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

/** Returns the selected events that led to a violation, a line each, at most 14. */
export function storyOf(
  trace: readonly TraceEvent[],
  { at: end, ref }: Pick<Violation, "at" | "ref">,
  select: Selection,
): readonly string[] {
  const cast = castFrom(trace, ref);
  const lines: Line[] = [];
  for (const event of trace) {
    if (event.at > end) break;
    const weight = select(event);
    if (weight === undefined) continue;
    const words = eventWords(event, cast);
    const last = lines.at(-1);
    if (last?.at !== event.at || last.words !== words) lines.push({ at: event.at, words, weight });
  }
  return shortened(lines);
}

function shortened(lines: readonly Line[]): readonly string[] {
  let left = lines;
  for (let weight = 0; left.length > LINES_MAX && weight < WEIGHT_MAX; weight += 1) {
    let surplus = left.length - LINES_MAX;
    left = left.filter((line) => line.weight !== weight || surplus-- <= 0);
  }
  const last = left.at(-1);
  const width = last === undefined ? 0 : timeText(last.at).length;
  const texts = left.map(({ at, words }) => `${timeText(at).padStart(width)}  ${words}`);
  if (texts.length <= LINES_MAX) return texts;
  const kept = LINES_MAX - 1;
  const gap = `${"".padStart(width)}  (${texts.length - kept} more)`;
  return [...texts.slice(0, LINES_AT_START), gap, ...texts.slice(LINES_AT_START - kept)];
}
