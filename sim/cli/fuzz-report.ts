import { failureFrom, type Paint } from "../report/terminal.ts";
import type { Symptom } from "../checkers/symptom.ts";
import type { RunReport } from "../run/run-report.ts";
import type { StrategyAccount } from "../search/campaign.ts";

/** A failure of one kind, with the first run that has it. */
export interface FuzzFinding {
  readonly scenario: string;
  readonly checker: string;
  readonly symptom: Symptom;
  /** How many runs have it. */
  readonly runs: number;
  readonly strategy: string;
  readonly seed: number;
  /** How the search made the run differ from the scenario as written, a sentence each. */
  readonly changes: readonly string[];
  readonly artifact: string;
  readonly report: RunReport;
  /** Whether the repeated run had the same digest. */
  readonly isSame: boolean;
}

/** The result of a search. */
export interface FuzzReport {
  readonly scenarios: readonly string[];
  readonly strategy: string;
  readonly seed: number;
  readonly seconds: number;
  readonly runs: number;
  readonly behaviours: number;
  readonly faults: number;
  readonly findings: readonly FuzzFinding[];
  readonly accounts: readonly StrategyAccount[];
  readonly neverReached: readonly string[];
  readonly corpus: {
    readonly replayed: number;
    readonly failing: number;
    readonly drifted: readonly string[];
    readonly kept: readonly string[];
  };
}

/** How many findings are shown in full. */
const STORIES_MAX = 5;

/** Returns the report as text, findings first. */
export function textFrom(report: FuzzReport, paint: Paint): string {
  const lines = report.findings.slice(0, STORIES_MAX).map((one) => `${findingText(one, paint)}\n`);
  const others = report.findings.slice(STORIES_MAX);
  if (others.length > 0) lines.push(...others.map((one) => briefly(one, paint)), "");
  lines.push(...accountLines(report.accounts, paint), "");
  lines.push(...marksLines(report), ...corpusLines(report), summaryOf(report));
  return lines.join("\n");
}

function findingText(finding: FuzzFinding, paint: Paint): string {
  const { report, artifact, changes, strategy, runs, isSame } = finding;
  const lines = [
    failureFrom(report, `npx faultlane replay ${artifact}`, paint),
    `  smaller: ${shrinkOf(finding)}`,
    `  found by ${strategy}, seed ${finding.seed}, in ${runs} ${runs === 1 ? "run" : "runs"}`,
  ];
  if (changes.length > 0) {
    lines.push("  in this run, unlike in the scenario:", ...changes.map((line) => `    ${line}`));
  }
  if (!isSame) lines.push(paint.bad("  NOT DETERMINISTIC: two runs of this one differ"));
  return lines.join("\n");
}

function briefly(finding: FuzzFinding, paint: Paint): string {
  const { scenario, checker, symptom, runs, artifact } = finding;
  const times = runs === 1 ? "1 run" : `${runs} runs`;
  return `${paint.bad("BROKEN")}  ${scenario}: ${checker}, ${symptom}, in ${times}, ${artifact}`;
}

function shrinkOf({ artifact, checker }: FuzzFinding): string {
  return `npx faultlane shrink ${artifact} --promise ${checker}`;
}

const COLUMNS = ["strategy", "runs", "failing", "first to find", "behaviours", "ms a run"] as const;

function accountLines(accounts: readonly StrategyAccount[], paint: Paint): readonly string[] {
  const rows = accounts.map(({ strategy, runs, failing, findings, features, ms }) => [
    strategy,
    ...[runs, failing, findings, features].map(String),
    (ms / Math.max(1, runs)).toFixed(1),
  ]);
  const widths = COLUMNS.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => (row[at] ?? "").length)),
  );
  const [head = "", ...rest] = [[...COLUMNS], ...rows].map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
  return [paint.bold(head), ...rest];
}

function marksLines({ neverReached }: FuzzReport): readonly string[] {
  if (neverReached.length === 0) return [];
  return ["Never reached:", ...neverReached.map((mark) => `  ${mark}`), ""];
}

function corpusLines({
  corpus: { replayed, failing, drifted, kept },
}: FuzzReport): readonly string[] {
  const lines: string[] = [];
  if (replayed > 0) lines.push(`corpus: ${replayed} repeated, ${failing} of them fail`);
  for (const path of drifted) lines.push(`no longer fits the code: ${path}`);
  for (const path of kept) lines.push(`kept: ${path}`);
  return lines.length > 0 ? [...lines, ""] : [];
}

function summaryOf({ runs, seconds, behaviours, faults, findings, seed }: FuzzReport): string {
  const rate = Math.round(runs / Math.max(seconds, 0.001));
  const found = findings.length === 1 ? "1 finding" : `${findings.length} findings`;
  return `${runs} runs from seed ${seed}, ${rate} a second: ${behaviours} behaviours, ${faults} faults, ${found}`;
}

/** Returns the report as one document, without anything that differs between machines. */
export function documentFrom(report: FuzzReport): unknown {
  const { seconds: _, findings, accounts, ...others } = report;
  return {
    ...others,
    findings: findings.map((one) => {
      const { report, ...finding } = one;
      const { digest, violations } = report;
      const replay = `npx faultlane replay ${finding.artifact}`;
      return { ...finding, digest, violation: violations[0], replay, shrink: shrinkOf(one) };
    }),
    accounts: accounts.map(({ strategy, runs, failing, findings, features }) => ({
      strategy,
      runs,
      failing,
      findings,
      features,
    })),
  };
}
