import { failureFrom, type Paint, PLAIN } from "../report/terminal.ts";
import type { TestCase } from "../report/test-case.ts";
import type { StrategyAccount } from "../search/campaign.ts";
import { NOT_WRITTEN } from "./artifact-folder.ts";
import { type FindingGroup, type FuzzFinding, groupsOf } from "./fuzz-groups.ts";
import { listed, type VacuousIn, vacuousLines } from "./strict.ts";
import type { InterruptingSignal } from "./interruption.ts";
import { lineOf } from "./format.ts";
import { replayLine } from "./rerun-line.ts";
import type { ScenarioFile } from "./scenario-files.ts";

/** The run that threw and ended the search. */
export interface FuzzFailure {
  readonly scenario: string;
  readonly strategy: string;
  readonly seed: number;
  readonly error: string;
}

/** The result of a search. */
export interface FuzzReport {
  readonly scenarios: readonly string[];
  readonly strategy: string;
  /** Of the first run; later than requested where an earlier campaign of the corpus is continued. */
  readonly seed: number;
  readonly seconds: number;
  /** The signal that ended the search early. */
  readonly interrupted?: InterruptingSignal | undefined;
  /** Why the search could not go on. */
  readonly failure?: FuzzFailure | undefined;
  readonly runs: number;
  readonly behaviours: number;
  readonly faults: number;
  readonly findings: readonly FuzzFinding[];
  /** How many findings were not repeated and written, because the search ended before. */
  readonly unconfirmed: number;
  readonly accounts: readonly StrategyAccount[];
  readonly neverReached: readonly string[];
  /** What came to nothing in every run. */
  readonly vacuous: readonly VacuousIn[];
  readonly corpus: {
    readonly replayed: number;
    readonly failing: number;
    readonly drifted: readonly string[];
    readonly kept: readonly string[];
    /** Sentences about files that cannot be used. */
    readonly ignored: readonly string[];
  };
}

/** How many groups of findings are shown in full. */
const STORIES_MAX = 5;

/** Returns the report as text, findings first. */
export function textFrom(report: FuzzReport, paint: Paint): string {
  const groups = groupsOf(report.findings);
  const own = groups.filter(({ alwaysWith }) => alwaysWith === undefined);
  const full = own.slice(0, STORIES_MAX);
  const brief = groups.filter((one) => !full.includes(one));
  const lines = full.map((one) => `${groupText(one, paint)}\n`);
  if (brief.length > 0) lines.push(...brief.map((one) => briefly(one, paint)), "");
  lines.push(...accountLines(report.accounts, paint), "");
  lines.push(...marksLines(report), ...corpusLines(report));
  lines.push(...vacuousLines(report.vacuous, paint));
  lines.push(...endLines(report), summaryOf(report, groups.length));
  return lines.join("\n");
}

function groupText(group: FindingGroup, paint: Paint): string {
  const { first, runs } = group;
  const { report, artifact, changes, strategy, isSame } = first;
  const lines = [
    failureFrom(report, replayOf(first) ?? NOT_WRITTEN, paint),
    ...(first.page === "" ? [] : [`  report: ${first.page}`]),
    ...(artifact === "" ? [] : [`  smaller: ${shrinkOf(first)}`]),
    `  found by ${strategy}, seed ${first.seed}, in ${runs} ${runs === 1 ? "run" : "runs"}`,
    ...othersLines(group),
  ];
  if (changes.length > 0) {
    lines.push("  in this run, unlike in the scenario:", ...changes.map((line) => `    ${line}`));
  }
  if (!isSame) lines.push(paint.bad("  NOT DETERMINISTIC: two runs of this one differ"));
  return lines.join("\n");
}

/** How many other artifacts of a group are named. */
const OTHERS_MAX = 3;

function othersLines({ others, scenarios }: FindingGroup): readonly string[] {
  if (others.length === 0) return [];
  const more = others.length > OTHERS_MAX ? [`and ${others.length - OTHERS_MAX} more`] : [];
  const where = scenarios.length > 1 ? `, in ${scenarios.length} scenarios` : "";
  return [
    `  the same${where}:`,
    ...[...others.slice(0, OTHERS_MAX), ...more].map((line) => `    ${line}`),
  ];
}

function briefly({ first, runs, others, alwaysWith }: FindingGroup, paint: Paint): string {
  const { scenario, checker, symptom, artifact, isSame } = first;
  const lines = [
    `${paint.bad("BROKEN")}  ${scenario}: ${checker}, ${symptom}, in ${runs === 1 ? "1 run" : `${runs} runs`}`,
    `  seen: ${first.report.violations[0]?.detail ?? ""}`,
    `  artifact: ${artifact}${others.length === 0 ? "" : `, and ${others.length} more`}`,
  ];
  if (alwaysWith !== undefined) {
    const [each, breaks] = runs === 1 ? ["this run", "breaks"] : ["each of these runs", "breaks"];
    lines.push(`  ${each} ${breaks} ${alwaysWith.checker} (${alwaysWith.symptom}), too`);
  }
  if (!isSame) lines.push(paint.bad("  NOT DETERMINISTIC: two runs of this one differ"));
  return lines.join("\n");
}

function replayOf({ artifact }: FuzzFinding): string | undefined {
  return artifact === "" ? undefined : replayLine(artifact);
}

function shrinkOf({ artifact, checker }: FuzzFinding): string | undefined {
  return artifact === "" ? undefined : `npx faultlane shrink ${artifact} --promise ${checker}`;
}

function endLines({ interrupted, failure, unconfirmed }: FuzzReport): readonly string[] {
  const lines: string[] = [];
  if (interrupted !== undefined) lines.push(`Interrupted by ${interrupted}`);
  if (failure !== undefined) {
    const { scenario, strategy, seed } = failure;
    lines.push(`Ended early: the run of "${scenario}" by ${strategy}, seed ${seed}, threw`);
  }
  if (unconfirmed > 0) {
    lines.push(
      `${unconfirmed} more failures were seen; the search ended before they were repeated`,
    );
  }
  return lines.length > 0 ? [...lines, ""] : [];
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
  corpus: { replayed, failing, drifted, kept, ignored },
}: FuzzReport): readonly string[] {
  const lines: string[] = [];
  if (replayed > 0) lines.push(`corpus: ${replayed} repeated, ${failing} of them fail`);
  for (const path of drifted) lines.push(`no longer fits the code: ${path}`);
  lines.push(...ignored);
  for (const path of kept) lines.push(`kept: ${path}`);
  return lines.length > 0 ? [...lines, ""] : [];
}

function summaryOf(
  { runs, seconds, behaviours, faults, findings, seed }: FuzzReport,
  groups: number,
): string {
  const rate = Math.round(runs / Math.max(seconds, 0.001));
  const found = findings.length === 1 ? "1 finding" : `${findings.length} findings`;
  const grouped =
    groups < findings.length ? ` of ${groups === 1 ? "1 kind" : `${groups} kinds`}` : "";
  return `${runs === 1 ? "1 run" : `${runs} runs`} from seed ${seed}, ${rate} a second: ${behaviours} behaviours, ${faults} faults, ${found}${grouped}`;
}

/** Returns a test for each finding, and one for each scenario in which nothing was found. */
export function casesFrom(report: FuzzReport, files: readonly ScenarioFile[]): readonly TestCase[] {
  const { findings, strategy, seed } = report;
  return files.flatMap(({ path: file, scenario: { name: scenario } }): readonly TestCase[] => {
    const line = lineOf(file);
    const found = findings.filter((one) => one.scenario === scenario);
    if (found.length > 0) return found.map((one) => ({ file, line, ...failedCase(one) }));
    return [{ file, line, name: `${scenario}, search by ${strategy} from seed ${seed}` }];
  });
}

function failedCase(finding: FuzzFinding): Pick<TestCase, "name" | "failure"> {
  const { scenario, checker, symptom, seed, report } = finding;
  const violation = report.violations.find((one) => one.symptom === symptom);
  return {
    name: `${scenario}, ${checker} (${symptom}), seed ${seed}`,
    failure: {
      type: checker,
      message: violation === undefined ? symptom : `${violation.promise}: ${violation.detail}`,
      text: groupsOf([finding])
        .map((group) => groupText(group, PLAIN))
        .join("\n"),
    },
  };
}

/** Returns the report as one document, without anything that differs between machines. */
export function documentFrom(report: FuzzReport): unknown {
  const { seconds: _, findings, accounts, ...others } = report;
  return {
    ...others,
    findings: findings.map((one) => {
      const { report, ...finding } = one;
      const { digest, violations } = report;
      const [violation] = violations;
      return { ...finding, digest, violation, replay: replayOf(one), shrink: shrinkOf(one) };
    }),
    vacuous: report.vacuous.flatMap(listed),
    groups: groupsOf(findings).map(({ first, alwaysWith, ...group }) => ({
      ...group,
      artifact: first.artifact,
      alwaysWith: alwaysWith && `${alwaysWith.checker}: ${alwaysWith.symptom}`,
    })),
    accounts: accounts.map(({ strategy, runs, failing, findings, features }) => ({
      strategy,
      runs,
      failing,
      findings,
      features,
    })),
  };
}
