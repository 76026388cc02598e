import type { RunReport } from "../scenario/run-report.ts";
import { timeText } from "./story.ts";

/** How text is coloured: as the terminal allows, or not at all in a pipe. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

export const PLAIN: Paint = {
  bold: (text) => text,
  dim: (text) => text,
  good: (text) => text,
  bad: (text) => text,
};

/** One scenario's line in the table: one seed, or several added up. */
export interface TableRow {
  readonly scenario: string;
  readonly seeds: string;
  readonly virtualMs: number;
  readonly events: number;
  readonly faults: number;
  readonly verdict: string;
  readonly isGood: boolean;
}

/** Puts the runs of one scenario into one row. */
export function rowFrom(reports: readonly RunReport[]): TableRow {
  const first = reports[0] as RunReport;
  const last = reports.at(-1) as RunReport;
  const bad = reports.filter(({ verdict }) => !isGood(verdict));
  const worst = bad[0] ?? reports.find(({ verdict }) => verdict === "broken-as-told") ?? first;
  const broken = [...new Set(worst.violations.map(({ checker }) => checker))].join(", ");
  return {
    scenario: first.scenario,
    seeds: reports.length === 1 ? String(first.seed) : `${first.seed} to ${last.seed}`,
    virtualMs: sum(reports, ({ stats }) => stats.virtualMs),
    events: sum(reports, ({ stats }) => stats.events),
    faults: sum(reports, ({ stats }) => stats.faults.reduce((all, [, times]) => all + times, 0)),
    verdict: verdictText(worst, broken, bad.length, reports.length),
    isGood: bad.length === 0,
  };
}

export function isGood(verdict: RunReport["verdict"]): boolean {
  return verdict === "held" || verdict === "broken-as-told";
}

function verdictText(report: RunReport, broken: string, bad: number, all: number): string {
  const share = all > 1 && bad > 0 ? ` (${bad} of ${all} seeds)` : "";
  switch (report.verdict) {
    case "held":
      return "held";
    case "broken":
      return `BROKEN ${broken}${share}`;
    case "broken-as-told":
      return `shows ${broken}, as told`;
    case "not-broken":
      return `HELD, but was to break${share}`;
    default:
      return report.verdict satisfies never;
  }
}

function sum(reports: readonly RunReport[], of: (report: RunReport) => number): number {
  return reports.reduce((all, report) => all + of(report), 0);
}

const HEADERS = ["scenario", "seed", "virtual time", "events", "faults", "verdict"] as const;

/** The table of a run, a line a scenario. */
export function tableFrom(rows: readonly TableRow[], paint: Paint): string {
  const cells = rows.map((row) => [
    row.scenario,
    row.seeds,
    timeText(row.virtualMs),
    String(row.events),
    String(row.faults),
    row.verdict,
  ]);
  const widths = HEADERS.map((header, at) =>
    Math.max(header.length, ...cells.map((line) => (line[at] ?? "").length)),
  );
  const lineOf = (line: readonly string[]): string =>
    line
      .map((cell, at) => padded(cell, widths[at] ?? 0, at))
      .join("  ")
      .trimEnd();
  const lines = [paint.bold(lineOf(HEADERS))];
  cells.forEach((line, at) => {
    const text = lineOf(line);
    const row = rows[at] as TableRow;
    const head = text.slice(0, text.length - row.verdict.length);
    lines.push(head + (row.isGood ? paint.good(row.verdict) : paint.bad(row.verdict)));
  });
  return lines.join("\n");
}

/** Words to the left, numbers to the right. */
function padded(cell: string, width: number, at: number): string {
  return at === 0 || at === 5 ? cell.padEnd(width) : cell.padStart(width);
}

/** A broken run told: the promise, what was seen, the story, and the line that reruns it. */
export function breachFrom(report: RunReport, rerun: string, paint: Paint): string {
  if (report.verdict === "not-broken") {
    return `${paint.bad("NOT BROKEN")}  ${report.scenario}, seed ${report.seed}: the promises under expect.broken held\n  rerun: ${rerun}`;
  }
  const violation = report.violations[0];
  if (violation === undefined) return "";
  const lines = [
    `${paint.bad("BROKEN")}  ${report.scenario}, seed ${report.seed}, at ${timeText(violation.at)} on ${violation.host}`,
    `  promise ${violation.checker}: ${violation.promise}`,
    `  seen: ${violation.detail}`,
  ];
  if (violation.story.length > 0)
    lines.push("  story:", ...violation.story.map((line) => `  ${line}`));
  lines.push(`  rerun: ${paint.bold(rerun)}`);
  return lines.join("\n");
}
