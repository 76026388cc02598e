import { checkResumableJob, type ResumableJobReport } from "../check/check-resumable-job.ts";
import { counted, PropertyViolation } from "../check/property-violation.ts";
import { JOB_SYSTEM_NAMES, type JobSystemName } from "../jobs/presets.ts";
import { failureFrom } from "../report/terminal.ts";
import { NotDeterministic } from "../run/not-deterministic.ts";
import { NotVirtual } from "../realm/not-virtual.ts";
import { simulate } from "../run/simulate.ts";
import { createJobFrom } from "../worlds/operator/operator-subject.ts";
import type { CreateJob } from "../worlds/operator/operator-under-test.ts";
import { BrokenCheck, playLine } from "./broken-check.ts";
import { watchForHang } from "./hang-watch.ts";
import { type FormatFlags, isText } from "./format.ts";
import { listenForInterruption } from "./interruption.ts";
import { EXIT, paintOf, WrongInput } from "./output.ts";
import { brokenWords, printBroken, printHeld } from "./print-check.ts";
import { createProgress } from "./progress.ts";
import { reportNotDeterministic, reportNotVirtual } from "./repeat-subject.ts";
import type { ScenarioFile } from "./scenario-files.ts";
import { loadModule, takeFrom } from "./subject-module.ts";
import { printVacuous, type StrictFlag, strictExit, vacuousIn } from "./strict.ts";
import { watchSubjects } from "./watch-subjects.ts";

export interface CheckOperatorFlags extends StrictFlag, FormatFlags {
  readonly system: string;
  readonly runs: number;
  readonly seed: number;
  readonly artifacts: string;
}

/** Checks the operator of a module on a job system, and returns the exit code. */
export async function checkOperator(path: string, flags: CheckOperatorFlags): Promise<number> {
  const { runs: numRuns, seed, json } = flags;
  const system = systemFrom(flags.system);
  const load = async (anew: boolean): Promise<CreateJob> => {
    const module = await loadModule(path, { anew });
    return takeFrom(path, () => createJobFrom(module));
  };
  const createJob = await load(false);
  const loadAnew = (): Promise<CreateJob> => load(true);
  const progress = createProgress(numRuns, "runs");
  const broken = new BrokenCheck({ ...flags, noun: "operator", module: path, json: json === true });
  const onRun = (): void => {
    broken.count();
    progress.advance(system);
  };
  using interruption = listenForInterruption();
  broken.endOn(interruption);
  try {
    watchForHang(EXIT.wrongInput, path);
    const onBroken = broken.keepFirst;
    const check = { system, numRuns, seed, onRun, loadAnew, onBroken };
    const report = await checkResumableJob(createJob, check);
    progress.stop();
    printHeld({ path, on: system, words: wordsFrom(report), document: { ...report } }, flags);
    const vacuous = vacuousIn(path, report);
    if (isText(flags)) printVacuous(vacuous, json);
    return strictExit(EXIT.held, vacuous, flags);
  } catch (error) {
    progress.stop();
    if (error instanceof NotDeterministic || error instanceof NotVirtual) broken.discard();
    if (error instanceof NotVirtual) return reportNotVirtual(error, json === true);
    if (error instanceof NotDeterministic) return reportNotDeterministic(error, json === true);
    if (!(error instanceof PropertyViolation)) throw error;
    const scenario = broken.keep(error);
    const rerun = `npx faultlane check ${path} --system ${system} --seed ${error.seed} --runs 1`;
    const play = scenario === undefined ? undefined : playLine(scenario);
    const message = error.message.replace(error.rerun, rerun);
    const page = await broken.writePage(scenario);
    const words = brokenWords(message, play, page);
    const document = { ...documentFrom(error), rerun, scenario, play, report: page };
    printBroken({ path, on: system, words, violation: error, document }, flags);
    broken.assertWritten();
    return EXIT.broken;
  }
}

/** Plays the one run of an operator's scenario file, and returns the exit code. */
export async function playOperator(
  file: ScenarioFile,
  flags: Pick<CheckOperatorFlags, "json" | "format" | "strict">,
): Promise<number> {
  const { json } = flags;
  const { scenario, path, parts } = file;
  await watchSubjects([file], 1);
  const report = await simulate(scenario, { ...parts, repeat: true });
  const [violation] = report.violations;
  const held = violation === undefined;
  const { vacuous } = report;
  const on = "its scenario";
  if (violation === undefined) {
    const words = "All promises held in this run";
    printHeld({ path, on, words, document: { vacuous } }, flags);
  } else {
    const words = failureFrom(report, playLine(path), paintOf(process.stdout));
    const document = { ...violation, vacuous };
    const { checker: guarantee } = violation;
    printBroken({ path, on, words, violation: { ...violation, guarantee }, document }, flags);
  }
  const all = [{ where: path, vacuous }];
  if (isText(flags)) printVacuous(all, json);
  return strictExit(held ? EXIT.held : EXIT.broken, all, flags);
}

function systemFrom(name: string): JobSystemName {
  const system = JOB_SYSTEM_NAMES.find((one) => one === name);
  if (system !== undefined) return system;
  throw new WrongInput(
    `Cannot use "${name}" as --system: expected one of ${JOB_SYSTEM_NAMES.join(", ")}`,
  );
}

function documentFrom(violation: PropertyViolation): Readonly<Record<string, unknown>> {
  const { guarantee, promise, detail, story, size, seed, runs } = violation;
  return { guarantee, promise, detail, story, size, seed, runs };
}

function wordsFrom({ runs, seed, attempts, virtualMs, faults }: ResumableJobReport): string {
  const hours = (virtualMs / 3_600_000).toFixed(1);
  return [
    `All promises held in ${counted(runs, "run")} from seed ${seed}:`,
    `  ${counted(attempts, "attempt")}, in ${hours} hours of virtual time`,
    "  faults:",
    ...faults.map(([what, times]) => `  ${String(times).padStart(TIMES_WIDTH)}  ${what}`),
  ].join("\n");
}

const TIMES_WIDTH = 8;
