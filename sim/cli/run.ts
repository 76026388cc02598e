import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { failureFrom, isGood, rowFrom, summaryFrom, tableFrom } from "../report/terminal.ts";
import { artifactFrom } from "../run/artifact.ts";
import { assertSameAgain } from "../run/repeat.ts";
import type { RunReport, RunVerdict } from "../run/run-report.ts";
import { simulate, type SimulateOptions } from "../run/simulate.ts";
import { columnsOf, EXIT, paintOf, print, printJson, WrongInput, wholeNumber } from "./output.ts";
import { createProgress } from "./progress.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { readScenarios, type ScenarioFile } from "./scenario-files.ts";
import { movedTo } from "./subject-module.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface RunFlags {
  readonly seed: number;
  readonly seeds: number;
  readonly json?: boolean;
  readonly artifacts: string;
}

/** Where the artifact of a broken run is written. */
const ARTIFACTS_FOLDER = ".faultlane";

/** `faultlane run [files or folders]` */
export function createRunCommand(setExit: (code: number) => void): Command {
  return new Command("run")
    .description("run scenarios, each twice to prove it deterministic, and check every promise")
    .argument("[paths...]", "scenario files, or folders of them", ["scenarios"])
    .option("--seed <n>", "the first seed", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER), 1)
    .option("--seeds <n>", "how many seeds of each scenario", wholeNumber("--seeds", 1, 1e9), 1)
    .option("--artifacts <folder>", "where artifacts of broken runs are written", ARTIFACTS_FOLDER)
    .option("--json", "one JSON document on standard output")
    .action(async (paths: string[], flags: RunFlags) => {
      setExit(await runScenarios(await readScenarios(paths), flags));
    });
}

async function runScenarios(files: readonly ScenarioFile[], flags: RunFlags): Promise<number> {
  const { seed, seeds, json } = flags;
  if (seed + seeds - 1 > Number.MAX_SAFE_INTEGER)
    throw new WrongInput("The last seed is too large");
  using _watch = await watchSubjects(files, seed);
  const progress = createProgress(files.length * seeds, "runs");
  const rows: RunReport[][] = [];
  const broken: { readonly report: RunReport; readonly path: string; readonly artifact: string }[] =
    [];
  const drifted: string[] = [];
  for (const file of files) {
    const { path, scenario, parts } = file;
    const reports: RunReport[] = [];
    for (let at = 0; at < seeds; at += 1) {
      const report = await simulate(scenario, { ...parts, seed: seed + at, trace: false });
      const again = await repeated(file, report);
      if (again.digest !== report.digest) drifted.push(`${path}, seed ${seed + at}`);
      if (!isGood(report.verdict)) {
        const artifact = writeArtifact(flags.artifacts, { path, scenario, parts }, again);
        broken.push({ report: again, path, artifact });
      }
      reports.push({ ...again, trace: [], choices: [] });
      progress.advance(scenario.name);
    }
    rows.push(reports);
  }
  progress.stop();
  if (json === true) printJson(documentFrom(rows, broken, drifted));
  else printReport(rows, broken, drifted);
  if (drifted.length > 0) return EXIT.kitFailed;
  return broken.length > 0 ? EXIT.broken : EXIT.held;
}

/** @throws {NotDeterministic} when the run of code under test differs from its first one */
async function repeated(file: ScenarioFile, report: RunReport): Promise<RunReport> {
  const { seed, verdict } = report;
  const make = (options: SimulateOptions): Promise<RunReport> =>
    simulate(file.scenario, { seed, ...options });
  const run = repeatableFrom(file, seed, make);
  if (run !== undefined) return await assertSameAgain(run, report);
  return await make({ ...file.parts, trace: !isGood(verdict) });
}

function writeArtifact(folder: string, file: ScenarioFile, report: RunReport): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${report.scenario}.seed-${report.seed}.json`);
  writeFileSync(path, artifactFrom(movedTo(file.scenario, file.path, path), report));
  return path;
}

type BrokenRun = {
  readonly report: RunReport;
  readonly path: string;
  readonly artifact: string;
};

function rerunLine({ path, report }: BrokenRun): string {
  return `npx faultlane run ${path} --seed ${report.seed}`;
}

function printReport(
  rows: readonly (readonly RunReport[])[],
  broken: readonly BrokenRun[],
  drifted: readonly string[],
): void {
  const paint = paintOf(process.stdout);
  print(tableFrom(rows.map(rowFrom), paint, columnsOf(process.stdout)));
  for (const run of broken.slice(0, STORIES_MAX)) {
    print(`\n${failureFrom(run.report, rerunLine(run), paint)}`);
    print(`  replay: npx faultlane replay ${run.artifact}`);
  }
  if (broken.length > STORIES_MAX) print(`\n(${broken.length - STORIES_MAX} more broken runs)`);
  for (const where of drifted) print(`\nNOT DETERMINISTIC: two runs of ${where} differ`);
  const runs = rows.flat();
  const countOf = (verdict: RunVerdict): number =>
    runs.filter((report) => report.verdict === verdict).length;
  const summary = summaryFrom({
    held: countOf("held"),
    "expected-failure": countOf("expected-failure"),
    broken: countOf("broken"),
    "unexpected-success": countOf("unexpected-success"),
  });
  const repeated =
    drifted.length === 0
      ? "each gave the same digest twice"
      : `${drifted.length} not deterministic`;
  print(`\n${summary}; ${repeated}`);
}

/** How many broken runs are shown in full. */
const STORIES_MAX = 5;

function documentFrom(
  rows: readonly (readonly RunReport[])[],
  broken: readonly BrokenRun[],
  drifted: readonly string[],
): unknown {
  const artifacts = new Map(broken.map((run) => [`${run.path} ${run.report.seed}`, run.artifact]));
  return {
    runs: rows.flat().map(({ scenario, seed, digest, verdict, violations, stats }) => ({
      scenario,
      seed,
      digest,
      verdict,
      stats,
      violations,
    })),
    broken: broken.map((run) => ({
      scenario: run.report.scenario,
      seed: run.report.seed,
      rerun: rerunLine(run),
      artifact: artifacts.get(`${run.path} ${run.report.seed}`),
    })),
    notDeterministic: drifted,
  };
}
