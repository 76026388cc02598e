import type { Violation } from "../checkers/mod.ts";
import { isGood, type RunReport, type RunVerdict } from "../run/run-report.ts";
import { timeText } from "../story/story.ts";

/** Colours text on a terminal; leaves it plain in a pipe. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

export const PLAIN: Paint = {
  bold: (text) => text,
  dim: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  warn: (text) => text,
};

/** One scenario's row in the table: one seed, or the sum over several. */
export interface TableRow {
  readonly scenario: string;
  readonly seeds: string;
  readonly virtualMs: number;
  readonly events: number;
  readonly faults: number;
  readonly verdict: string;
  readonly isGood: boolean;
}

/** Returns the row for the runs of one scenario; `reports` has at least one. */
export function rowFrom(reports: readonly RunReport[]): TableRow {
  const first = reports[0] as RunReport;
  const last = reports.at(-1) as RunReport;
  const bad = reports.filter(({ verdict }) => !isGood(verdict));
  const worst = bad[0] ?? reports.find(({ verdict }) => verdict === "expected-failure") ?? first;
  return {
    scenario: first.scenario,
    seeds: reports.length === 1 ? String(first.seed) : `${first.seed} to ${last.seed}`,
    virtualMs: sum(reports, ({ stats }) => stats.virtualMs),
    events: sum(reports, ({ stats }) => stats.events),
    faults: sum(reports, ({ stats }) => stats.faults.reduce((all, [, times]) => all + times, 0)),
    verdict: verdictText(worst, bad.length, reports.length),
    isGood: bad.length === 0,
  };
}

function verdictText(report: RunReport, bad: number, all: number): string {
  const broken = [...new Set(report.violations.map(({ checker }) => checker))].join(", ");
  const share = all > 1 && bad > 0 ? ` (${bad} of ${all} seeds)` : "";
  switch (report.verdict) {
    case "held":
      return "held";
    case "broken":
      return `BROKEN ${broken}${share}`;
    case "expected-failure":
      return `expected failure: ${broken}`;
    case "unexpected-success":
      return `UNEXPECTED SUCCESS${share}`;
    default:
      return report.verdict satisfies never;
  }
}

function sum(reports: readonly RunReport[], of: (report: RunReport) => number): number {
  return reports.reduce((all, report) => all + of(report), 0);
}

interface Column {
  readonly header: string;
  readonly isNumber: boolean;
  readonly cell: (row: TableRow) => string;
}

const SCENARIO: Column = { header: "scenario", isNumber: false, cell: (row) => row.scenario };
const SEED: Column = { header: "seed", isNumber: true, cell: (row) => row.seeds };
const VERDICT: Column = { header: "verdict", isNumber: false, cell: (row) => row.verdict };
const ALL_COLUMNS: readonly Column[] = [
  SCENARIO,
  SEED,
  { header: "virtual time", isNumber: true, cell: (row) => timeText(row.virtualMs) },
  { header: "events", isNumber: true, cell: (row) => String(row.events) },
  { header: "faults", isNumber: true, cell: (row) => String(row.faults) },
  VERDICT,
];
const NARROW_COLUMNS: readonly Column[] = [SCENARIO, SEED, VERDICT];
const GAP = "  ";
/** A scenario's name is cut no shorter than this. */
const NAME_MIN = 12;

/**
 * Returns the table of a run, one line per scenario.
 *
 * Where `columns` (the width of a terminal) is too narrow for everything, the counts are left out
 * and long names are cut, so that no line wraps.
 */
export function tableFrom(
  rows: readonly TableRow[],
  paint: Paint,
  columns: number = Number.POSITIVE_INFINITY,
): string {
  const all = widthsOf(ALL_COLUMNS, rows);
  const isWide = totalOf(all) <= columns;
  const shown = isWide ? ALL_COLUMNS : NARROW_COLUMNS;
  const widths = [...(isWide ? all : widthsOf(NARROW_COLUMNS, rows))];
  const excess = totalOf(widths) - columns;
  if (excess > 0) widths[0] = Math.max(NAME_MIN, (widths[0] ?? 0) - excess);
  const lineOf = (cells: readonly string[]): string =>
    cells.map((cell, at) => fitted(cell, widths[at] ?? 0, shown[at]?.isNumber === true)).join(GAP);
  const lines = [paint.bold(lineOf(shown.map(({ header }) => header)).trimEnd())];
  for (const row of rows) {
    const before = lineOf(shown.slice(0, -1).map(({ cell }) => cell(row)));
    lines.push(before + GAP + (row.isGood ? paint.good(row.verdict) : paint.bad(row.verdict)));
  }
  return lines.join("\n");
}

function widthsOf(shown: readonly Column[], rows: readonly TableRow[]): readonly number[] {
  return shown.map(({ header, cell }) =>
    Math.max(header.length, ...rows.map((row) => cell(row).length)),
  );
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width, GAP.length * (widths.length - 1));
}

/** Words are aligned to the left and cut where they are too long, numbers to the right. */
function fitted(cell: string, width: number, isNumber: boolean): string {
  if (isNumber) return cell.padStart(width);
  return cell.length > width ? `${cell.slice(0, width - 1)}\u2026` : cell.padEnd(width);
}

/** How many runs ended with each verdict. */
export type VerdictCounts = Readonly<Record<RunVerdict, number>>;

/** Returns how many runs ended with each verdict. */
export function countsOf(runs: readonly Pick<RunReport, "verdict">[]): VerdictCounts {
  const countOf = (wanted: RunVerdict): number =>
    runs.filter(({ verdict }) => verdict === wanted).length;
  return {
    held: countOf("held"),
    "expected-failure": countOf("expected-failure"),
    broken: countOf("broken"),
    "unexpected-success": countOf("unexpected-success"),
  };
}

/** Returns the last line of a run: how many runs there were, and how they ended. */
export function summaryFrom(counts: VerdictCounts): string {
  const runs = Object.values(counts).reduce((all, count) => all + count, 0);
  const ends = [
    [counts.held, "held"],
    [counts["expected-failure"], "failed as expected"],
    [counts.broken, "broke a promise"],
    [counts["unexpected-success"], "held though a failure is expected"],
  ] as const;
  const told = ends.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return `${runs} ${runs === 1 ? "run" : "runs"}: ${told.join(", ")}`;
}

/**
 * Returns a failed run in words: the promise that broke first, what was seen, the events that led
 * there, the other promises that broke, and the command that runs it again.
 */
export function failureFrom(report: RunReport, rerun: string, paint: Paint): string {
  const { scenario, seed, verdict, violations } = report;
  if (verdict === "unexpected-success") {
    const what = "a promise listed under expect.broken held";
    return `${paint.bad("UNEXPECTED SUCCESS")}  ${scenario}, seed ${seed}: ${what}\n  rerun: ${rerun}`;
  }
  const [first] = violations;
  if (first === undefined) return "";
  const lines = [
    `${paint.bad("BROKEN")}  ${scenario}, seed ${seed}, ${placeOf(first)}`,
    `  promise ${first.checker}: ${first.promise}`,
    `  seen: ${first.detail}`,
  ];
  if (first.story.length > 0) lines.push("  story:", ...first.story.map((line) => `    ${line}`));
  const named = new Set([first.checker]);
  for (const violation of violations) {
    if (named.has(violation.checker)) continue;
    named.add(violation.checker);
    lines.push(
      `  also broken, ${placeOf(violation)}`,
      `  promise ${violation.checker}: ${violation.promise}`,
      `  seen: ${violation.detail}`,
    );
  }
  lines.push(`  rerun: ${paint.bold(rerun)}`);
  return lines.join("\n");
}

function placeOf({ at, host }: Violation): string {
  return `at ${timeText(at)} on ${host}`;
}
