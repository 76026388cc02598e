import type { Choice } from "../choices/choices.ts";
import { castFrom } from "../story/cast.ts";
import { eventWords } from "../story/event-words.ts";
import type { TraceEvent } from "../trace/trace.ts";
import { indexOfDifference, type Outcome } from "./likely-source.ts";
import type { Difference } from "./not-deterministic.ts";
import type { RunReport } from "./run-report.ts";

/** How many events of each run are shown, before the difference and from it on. */
const SHOWN_MAX = 3;

/** Whether two runs are equal: by their digests, or, without these, by counts and violations. */
export function areEqual(one: RunReport, other: RunReport): boolean {
  if (one.digest !== "" && other.digest !== "") return one.digest === other.digest;
  return summaryOf(one) === summaryOf(other);
}

/** Whether no two of the runs differ. */
export function areAllEqual([first, ...others]: readonly RunReport[]): boolean {
  return others.every((other) => first !== undefined && areEqual(first, other));
}

/** Returns the first two runs that differ, with traces if there are two such. */
export function clearestPair(runs: readonly RunReport[]): readonly [RunReport, RunReport] {
  const [first, second] = runs as readonly [RunReport, RunReport];
  const traced = runs.filter(({ trace }) => trace.length > 0);
  const other = traced.find((run) => !areEqual(run, traced[0] as RunReport));
  return other === undefined ? [first, second] : [traced[0] as RunReport, other];
}

/** All of a run that is known without its trace and digest. */
function summaryOf({ stats, violations }: RunReport): string {
  const { virtualMs, steps, events, faults, marks } = stats;
  const broken = violations.map(({ checker, at, detail }) => [checker, at, detail]);
  return JSON.stringify([virtualMs, steps, events, faults, marks, broken]);
}

/** What the likely source is read from. */
export function outcomesOf(runs: readonly RunReport[]): readonly Outcome[] {
  const haveDigests = runs.every(({ digest }) => digest !== "");
  return runs.map((run) => ({
    identity: haveDigests ? run.digest : summaryOf(run),
    lines: run.trace.length > 0 ? linesOf(run) : undefined,
  }));
}

function linesOf({ trace }: RunReport): readonly string[] {
  return trace.map((event) => JSON.stringify(event));
}

/** Returns where two runs begin to differ; undefined if they have the same events. */
export function differenceBetween(first: RunReport, second: RunReport): Difference | undefined {
  if (first.trace.length === 0 || second.trace.length === 0) return byViolations(first, second);
  const at = indexOfDifference(linesOf(first), linesOf(second));
  if (at === undefined) return undefined;
  const atMs = Math.min(first.trace[at]?.at ?? Infinity, second.trace[at]?.at ?? Infinity);
  const [one, other] = differingWords(linesFrom(first, at), linesFrom(second, at));
  return {
    atMs,
    place: placeOf(atMs),
    before: linesFrom(first, Math.max(0, at - SHOWN_MAX), at).map(({ words }) => words),
    first: one,
    second: other,
    choices: differingChoices(first.choices, second.choices),
  };
}

/** Compares two runs of which one has no trace any more: by what broke in them. */
function byViolations(first: RunReport, second: RunReport): Difference | undefined {
  if (areEqual(first, second)) return undefined;
  const [one, other] = [first, second].map(lastWordsOf) as [Line, Line];
  const atMs = Math.min(one.at, other.at);
  const [words, otherWords] =
    one.words === other.words
      ? [`${one.words} at ${msText(one.at)} ms`, `${other.words} at ${msText(other.at)} ms`]
      : [one.words, other.words];
  const isEqualInWords = words === otherWords;
  return {
    atMs,
    place: isEqualInWords ? "in their digests alone" : placeOf(atMs),
    before: [],
    first: [isEqualInWords ? `digest ${first.digest}` : words],
    second: [isEqualInWords ? `digest ${second.digest}` : otherWords],
  };
}

function lastWordsOf({ violations, stats }: RunReport): Line {
  const [violation] = violations;
  const words =
    violation === undefined
      ? `holds, in ${stats.events} events`
      : `breaks ${violation.checker}: ${violation.detail}`;
  return { words, at: violation?.at ?? stats.virtualMs };
}

interface Line {
  readonly at: number;
  readonly words: string;
  readonly event?: TraceEvent;
}

function linesFrom({ trace }: RunReport, from: number, until = from + SHOWN_MAX): readonly Line[] {
  const cast = castFrom(trace, undefined);
  return trace
    .slice(from, until)
    .map((event) => ({ at: event.at, words: eventWords(event, cast), event }));
}

/** Where two events have the same words, shows their times, or all of their members. */
function differingWords(
  one: readonly Line[],
  other: readonly Line[],
): readonly [readonly string[], readonly string[]] {
  const [first, second] = [one[0], other[0]];
  if (first === undefined || second === undefined || first.words !== second.words) {
    return [one.map(({ words }) => words), other.map(({ words }) => words)];
  }
  const wordsOf =
    first.at === second.at
      ? ({ event }: Line): string => JSON.stringify(event)
      : ({ at, words }: Line): string => `${words} at ${msText(at)} ms`;
  return [one.map(wordsOf), other.map(wordsOf)];
}

function differingChoices(
  first: readonly Choice[],
  second: readonly Choice[],
): readonly [string, string] | undefined {
  const length = Math.max(first.length, second.length);
  for (let at = 0; at < length; at += 1) {
    const [one, other] = [choiceWords(first[at]), choiceWords(second[at])];
    if (one !== other) return [one, other];
  }
  return undefined;
}

function choiceWords(choice: Choice | undefined): string {
  if (choice === undefined) return "none";
  const { kind, part, label, value, n } = choice;
  return `${kind}, ${part}: ${label}, ${value} of ${n}`;
}

function placeOf(atMs: number): string {
  return `at ${msText(atMs)} ms`;
}

/** "1,204": grouped by hand, because a locale differs from machine to machine. */
function msText(ms: number): string {
  return String(ms).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
