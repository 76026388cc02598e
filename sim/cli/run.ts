import { basename, dirname } from "node:path";
import { Command } from "commander";
import { junitFrom } from "../report/junit.ts";
import type { TestCase } from "../report/test-case.ts";
import {
  countsOf,
  failureFrom,
  PLAIN,
  rowFrom,
  summaryFrom,
  tableFrom,
} from "../report/terminal.ts";
import { NotDeterministic } from "../run/not-deterministic.ts";
import { assertSameAgain } from "../run/repeat.ts";
import { isGood, type RunReport } from "../run/run-report.ts";
import { simulate, type SimulateOptions } from "../run/simulate.ts";
import { vacuousInAll } from "../run/vacuity.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import { artifactNames } from "./artifact-names.ts";
import {
  type FormatFlags,
  formatOption,
  isText,
  lineOf,
  printCases,
  withFormat,
} from "./format.ts";
import { type InterruptingSignal, listenForInterruption } from "./interruption.ts";
import { columnsOf, EXIT, paintOf, print, printJson, WrongInput, wholeNumber } from "./output.ts";
import { OWN_FOLDER } from "./own-folder.ts";
import { createProgress } from "./progress.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { replayLine, runLine } from "./rerun-line.ts";
import { RunPages } from "./run-pages.ts";
import { runStory } from "./run-story.ts";
import { readScenarios, type ScenarioFile } from "./scenario-files.ts";
import { listed, printVacuous, STRICT_OPTION, type StrictFlag, strictExit } from "./strict.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface RunFlags extends StrictFlag, FormatFlags {
  readonly seed: number;
  readonly seeds: number;
  readonly artifacts: string;
  readonly report?: string;
  readonly junit?: string;
  readonly story?: boolean;
}

const HELP = `
Artifacts are written when their runs end. Ctrl-C and SIGTERM end with a report of the runs made so
far; a second Ctrl-C ends at once.

Exit codes: 0 all held, 1 a promise was broken, 2 the input is wrong or a file cannot be written,
3 the kit itself failed; 130 (Ctrl-C) or 143 (SIGTERM) interrupted, and all held until then`;

/** `faultlane run [files or folders]` */
export function createRunCommand(setExit: (code: number) => void): Command {
  return new Command("run")
    .description("run scenarios, each twice to prove it deterministic, and check every promise")
    .argument("[paths...]", "scenario files, or folders of them", ["scenarios"])
    .option("--seed <n>", "the first seed", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER), 1)
    .option("--seeds <n>", "how many seeds of each scenario", wholeNumber("--seeds", 1, 1e9), 1)
    .option("--artifacts <folder>", "where artifacts of broken runs are written", OWN_FOLDER)
    .option("--report <folder>", "where a page of each run is written, and an index of them")
    .option("--junit <file>", "where each run is written as a test, in JUnit XML")
    .option("--story", "also tell what happened in each run, a line for each event that matters")
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addOption(formatOption())
    .addHelpText("after", HELP)
    .action(async (paths: string[], flags: RunFlags) => {
      setExit(await runScenarios(await readScenarios(paths), withFormat(flags)));
    });
}

async function runScenarios(files: readonly ScenarioFile[], flags: RunFlags): Promise<number> {
  const { seed, seeds, json } = flags;
  if (seed + seeds - 1 > Number.MAX_SAFE_INTEGER)
    throw new WrongInput("The last seed is too large");
  using interruption = listenForInterruption();
  await watchSubjects(files, seed);
  const folder = new ArtifactFolder(flags.artifacts);
  const pages = flags.report === undefined ? undefined : new RunPages(flags.report);
  const runs = await makeRuns(files, flags, { folder, pages, signal: interruption.signal });
  const index = pages?.writeIndex();
  const { rows, broken, drifted, problem } = runs;
  const cases = casesFrom(runs, files);
  const junit = writtenJunit(cases, flags);
  const isReported = problem === undefined || rows.length > 0;
  const vacuous = rows.map((reports, at) => ({
    where: files[at]?.path ?? "",
    vacuous: vacuousInAll(reports),
  }));
  if (json === true) {
    // What is printed about a run that differs is one document, too.
    if (isReported && !(problem instanceof NotDeterministic)) {
      printJson({
        ...documentFrom(runs, interruption.by),
        index,
        vacuous: vacuous.flatMap(listed),
      });
    }
  } else if (isReported) {
    if (isText(flags)) printReport(runs, files.length * seeds, interruption.by);
    printCases(cases, flags);
  }
  if (isText(flags)) printVacuous(vacuous, json);
  if (isText(flags) && index !== undefined) print(`report of all runs: ${index}`);
  if (problem !== undefined) throw problem;
  folder.assertWritten();
  pages?.assertWritten();
  junit?.assertWritten();
  if (drifted.length > 0) return EXIT.kitFailed;
  if (broken.length > 0) return strictExit(EXIT.broken, vacuous, flags);
  return interruption.exitCode(strictExit(EXIT.held, vacuous, flags));
}

/** Writes the file of `--junit`; undefined where none is asked for. */
function writtenJunit(cases: readonly TestCase[], { junit }: RunFlags): ArtifactFolder | undefined {
  if (junit === undefined) return undefined;
  const folder = new ArtifactFolder(dirname(junit));
  folder.write(basename(junit), () => `${junitFrom(cases)}\n`);
  return folder;
}

/** A run, and what happened in it. */
interface ToldRun {
  readonly report: RunReport;
  readonly story: readonly string[];
}

/** What the runs of several scenarios came to. */
interface Runs {
  /** The reports of each scenario. */
  readonly rows: readonly (readonly RunReport[])[];
  /** What happened in each run; empty unless that is asked for. */
  readonly stories: readonly ToldRun[];
  readonly broken: readonly BrokenRun[];
  readonly drifted: readonly string[];
  /** What a run has thrown, after which no more were made. */
  readonly problem: Error | undefined;
}

/** Where runs are written, and what ends them. */
interface RunOutputs {
  readonly folder: ArtifactFolder;
  /** Undefined where no page of each run is asked for. */
  readonly pages: RunPages | undefined;
  readonly signal: AbortSignal;
}

async function makeRuns(
  files: readonly ScenarioFile[],
  { seed, seeds, story }: RunFlags,
  { folder, pages, signal }: RunOutputs,
): Promise<Runs> {
  const progress = createProgress(files.length * seeds, "runs");
  const names = artifactNames(files);
  const rows: RunReport[][] = [];
  const broken: BrokenRun[] = [];
  const drifted: string[] = [];
  const stories: ToldRun[] = [];
  const makeRun = async (nth: number, seedOfRun: number): Promise<RunReport> => {
    const file = files[nth] as ScenarioFile;
    const { path, scenario, parts } = file;
    const report = await simulate(scenario, { ...parts, seed: seedOfRun, trace: false });
    const isShown = pages !== undefined || story === true || !isGood(report.verdict);
    const again = await repeated(file, report, isShown);
    if (again.digest !== report.digest) drifted.push(`${path}, seed ${seedOfRun}`);
    const shown = { ...again, trace: [], choices: [] };
    if (story === true) stories.push({ report: shown, story: runStory(again) });
    const rerun = runLine(path, report.seed);
    const indexed = await pages?.add(names[nth] ?? "", { report: again, rerun });
    if (!isGood(report.verdict)) {
      const name = { stem: names[nth] ?? "", run: `seed-${seedOfRun}` };
      const artifact = folder.writeArtifact(name, { scenario, file: path, report: again });
      const page = indexed ?? (await folder.writePage(artifact, { report: again, rerun }));
      broken.push({ report: shown, path, artifact, page });
    }
    return shown;
  };
  let problem: Error | undefined;
  try {
    for (const [nth, { scenario }] of files.entries()) {
      const reports: RunReport[] = [];
      for (let at = 0; at < seeds && !signal.aborted; at += 1) {
        const report = await makeRun(nth, seed + at);
        if (reports.push(report) === 1) rows.push(reports);
        progress.advance(scenario.name);
      }
    }
  } catch (error) {
    problem = error instanceof Error ? error : new Error(String(error));
  }
  progress.stop();
  return { rows, stories, broken, drifted, problem };
}

/** @throws {NotDeterministic} when the run of code under test differs from its first one */
async function repeated(
  file: ScenarioFile,
  report: RunReport,
  isShown: boolean,
): Promise<RunReport> {
  const { seed } = report;
  const make = (options: SimulateOptions): Promise<RunReport> =>
    simulate(file.scenario, { seed, ...options });
  const run = repeatableFrom(file, seed, make);
  if (run !== undefined) return await assertSameAgain(run, report);
  return await make({ ...file.parts, trace: isShown });
}

type BrokenRun = {
  readonly report: RunReport;
  readonly path: string;
  /** Undefined where it could not be written. */
  readonly artifact: string | undefined;
  /** Undefined where it could not be written. */
  readonly page: string | undefined;
};

function printReport(
  { rows, stories, broken, drifted }: Runs,
  planned: number,
  interruptedBy: InterruptingSignal | undefined,
): void {
  const paint = paintOf(process.stdout);
  print(tableFrom(rows.map(rowFrom), paint, columnsOf(process.stdout)));
  for (const { report, story } of stories) {
    print(`\n${paint.bold("STORY")}  ${report.scenario}, seed ${report.seed}`);
    for (const line of story) print(`  ${line}`);
  }
  for (const run of broken.slice(0, STORIES_MAX)) {
    print(`\n${failureFrom(run.report, runLine(run.path, run.report.seed), paint)}`);
    if (run.artifact !== undefined) print(`  replay: ${replayLine(run.artifact)}`);
    if (run.page !== undefined) print(`  report: ${run.page}`);
  }
  if (broken.length > STORIES_MAX) print(`\n(${broken.length - STORIES_MAX} more broken runs)`);
  for (const where of drifted) print(`\nNOT DETERMINISTIC: two runs of ${where} differ`);
  const runs = rows.flat();
  const summary = summaryFrom(countsOf(runs));
  const repeated =
    drifted.length === 0
      ? "each gave the same digest twice"
      : `${drifted.length} not deterministic`;
  print(`\n${summary}; ${repeated}`);
  if (interruptedBy === undefined) return;
  print(
    `Interrupted by ${interruptedBy}: ${planned - runs.length} of ${planned} runs were not made`,
  );
}

/** Returns each run as a test. */
function casesFrom({ rows, broken, drifted }: Runs, files: readonly ScenarioFile[]): TestCase[] {
  return rows.flatMap((reports, nth) => {
    const file = files[nth]?.path ?? "";
    const line = lineOf(file);
    return reports.map(({ scenario, seed }): TestCase => {
      const name = `${scenario}, seed ${seed}`;
      const found = broken.find(({ report, path }) => path === file && report.seed === seed);
      if (found !== undefined) return { file, line, name, failure: failureOf(found) };
      if (!drifted.includes(`${file}, seed ${seed}`)) return { file, line, name };
      const message = "two runs differ";
      return { file, line, name, failure: { type: "not deterministic", message, text: "" } };
    });
  });
}

function failureOf({ report, path, artifact, page }: BrokenRun): TestCase["failure"] {
  const [first] = report.violations;
  const isBroken = report.verdict === "broken" && first !== undefined;
  const more = [
    ...(artifact === undefined ? [] : [`  replay: ${replayLine(artifact)}`]),
    ...(page === undefined ? [] : [`  report: ${page}`]),
  ];
  return {
    type: isBroken ? first.checker : "unexpected success",
    message: isBroken ? `${first.promise}: ${first.detail}` : "a promise held that was to break",
    text: [failureFrom(report, runLine(path, report.seed), PLAIN), ...more].join("\n"),
  };
}

/** How many broken runs are shown in full. */
const STORIES_MAX = 5;

function documentFrom(
  { rows, stories, broken, drifted, problem }: Runs,
  interrupted: InterruptingSignal | undefined,
): object {
  return {
    runs: rows.flat().map((report) => {
      const { scenario, seed, digest, verdict, violations, vacuous, orphans, stats } = report;
      const story = stories.find((told) => told.report === report)?.story;
      return { scenario, seed, digest, verdict, stats, violations, vacuous, orphans, story };
    }),
    broken: broken.map((run) => ({
      scenario: run.report.scenario,
      seed: run.report.seed,
      rerun: runLine(run.path, run.report.seed),
      artifact: run.artifact,
      report: run.page,
    })),
    notDeterministic: drifted,
    interrupted,
    problem: problem?.message,
  };
}
