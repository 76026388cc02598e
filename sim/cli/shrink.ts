import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Command } from "commander";
import { ReplayDrift } from "../choices/choices.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { writeScenario } from "../scenario/write.ts";
import type { FailureIdentity } from "../search/shrink/shrink-identity.ts";
import {
  NothingToShrink,
  RunsDiffer,
  shrinkScenario,
  type ShrunkScenario,
} from "../search/shrink/shrink-scenario.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import { assertFailingRunRepeats, type FailingRun, readFailingRun } from "./failing-run.ts";
import { type Interruption, listenForInterruption } from "./interruption.ts";
import { complain, EXIT, print, printJson, wholeNumber, WrongInput } from "./output.ts";
import { OWN_FOLDER } from "./own-folder.ts";
import { createProgress } from "./progress.ts";
import { runLine } from "./rerun-line.ts";
import { readScenario } from "./scenario-files.ts";
import { printVacuous, STRICT_OPTION, type StrictFlag, strictExit } from "./strict.ts";
import { movedTo } from "./subject-module.ts";
import { watchSubjects } from "./watch-subjects.ts";
import { CannotWrite, writeWhole } from "./write-file.ts";

interface ShrinkFlags extends StrictFlag {
  readonly seed?: number;
  readonly promise?: string;
  readonly out?: string;
  readonly reruns: number;
  readonly json?: boolean;
}

/** The longest runs, those of a hostile client, need about this many, in five seconds. */
const RERUNS_MAX = 2_000;

const HELP = `
Removes faults, operations, hosts, subscribers and choices, and simplifies the rest,
for as long as the same promise breaks in the same way. Writes what is left as a
scenario, with its story above. The smallest so far is always on disk; Ctrl-C and SIGTERM end with
it and its report, a second Ctrl-C ends at once.

Examples:
  $ npx faultlane shrink .faultlane/aborted.seed-1.json
  $ npx faultlane shrink my.yaml --seed 7 --promise I5 --out small.yaml

Exit codes: 0 nothing to shrink, 1 the small scenario breaks the promise, 2 the input is wrong or
the file cannot be written, 3 the run does not fail again, or its choices no longer fit the code`;

/** `faultlane shrink <artifact | scenario.yaml --seed N>` */
export function createShrinkCommand(setExit: (code: number) => void): Command {
  return new Command("shrink")
    .description("reduce a failing run to a minimal scenario that fails in the same way")
    .argument("<file>", "the artifact of a broken run, or a scenario with --seed")
    .option("--seed <n>", "of a scenario", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER))
    .option("--promise <id>", "the broken promise to preserve; default: the first")
    .option("--out <file>", `where the scenario is written; default: in ${OWN_FOLDER}`)
    .option(
      "--reruns <n>",
      "how many reruns it may take",
      wholeNumber("--reruns", 1, 1e6),
      RERUNS_MAX,
    )
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async (path: string, flags: ShrinkFlags) => {
      setExit(await shrinkFile(path, flags));
    });
}

async function shrinkFile(path: string, flags: ShrinkFlags): Promise<number> {
  using interruption = listenForInterruption();
  const run = await readFailingRun(path, flags, "shrink");
  await watchSubjects([run], run.seed);
  const file = new ShrunkFile(run, flags.out);
  const progress = createProgress(flags.reruns, "reruns at most");
  try {
    const shrunk = await shrinkScenario(run.scenario, {
      ...run,
      rerunsMax: flags.reruns,
      ...(flags.promise === undefined ? {} : { checker: flags.promise }),
      signal: interruption.signal,
      onSmaller: (scenario, failure) => file.writeSoFar(scenario, failure),
      onProgress: ({ pass, taken }) => progress.advance(`${pass}, ${taken} times smaller`),
    });
    progress.stop();
    file.write(shrunk);
    const folder = new ArtifactFolder(OWN_FOLDER);
    const rerun = runLine(file.path ?? "", shrunk.report.seed);
    const page = await folder.writePage(file.path, { report: shrunk.report, rerun });
    printShrunk(shrunk, { file, page, interruption, json: flags.json === true });
    file.assertWritten();
    folder.assertWritten();
    return EXIT.broken;
  } catch (error) {
    progress.stop();
    if (error instanceof NothingToShrink) return nothing(error, path, flags);
    if (!(error instanceof ReplayDrift) && !(error instanceof RunsDiffer)) throw error;
    await assertFailingRunRepeats(run);
    complain(error.message);
    return EXIT.kitFailed;
  }
}

/** The file that holds the smallest scenario so far, whole at any time. */
class ShrunkFile {
  text = "";
  readonly #run: FailingRun;
  #path: string | undefined;
  #problem: CannotWrite | undefined;
  /** What an earlier shrinking has left there is not replaced by anything larger. */
  #lengthMax: number | undefined;

  constructor(run: FailingRun, out: string | undefined) {
    this.#run = run;
    this.#path = out;
  }

  /** Undefined where it could not be written. */
  get path(): string | undefined {
    return this.#problem === undefined ? this.#path : undefined;
  }

  /** Writes the smallest scenario so far; until the end it has no story. */
  writeSoFar(scenario: Scenario, failure: FailureIdentity): void {
    const { checker, symptom } = failure;
    const path = this.#placeFor(checker);
    this.#lengthMax ??= breaks(path, checker) ? statSync(path).size : Number.POSITIVE_INFINITY;
    const text = this.#textOf(scenario, [`${checker} (${symptom}), not shrunk to the end`]);
    if (text.length < this.#lengthMax) this.#write(text);
  }

  /** Writes the result. */
  write({ scenario, failure, remarks }: ShrunkScenario): void {
    this.#placeFor(failure.checker);
    this.text = this.#textOf(scenario, remarks);
    this.#write(this.text);
  }

  /** @throws {CannotWrite} when the file could not be written */
  assertWritten(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }

  #placeFor(checker: string): string {
    this.#path ??= placeOf(this.#run, checker);
    return this.#path;
  }

  #textOf(scenario: Scenario, remarks: readonly string[]): string {
    return writeScenario(movedTo(scenario, this.#run.path, this.#path ?? ""), remarks);
  }

  #write(text: string): void {
    if (this.#problem !== undefined) return;
    try {
      writeWhole(this.#path ?? "", text);
    } catch (error) {
      if (!(error instanceof CannotWrite)) throw error;
      this.#problem = error;
    }
  }
}

/** What the names of artifacts end in. */
const ENDINGS = /(\.(json|ya?ml|exhaust|seed-\d+|fuzz-[a-z]+-\d+))+$/;
/** What the name of a shrunk scenario ends in, with a promise or without. */
const SHRUNK = /\.seed-\d+(\.[^.]+)?\.shrunk\.ya?ml$/;

/**
 * Returns where a shrunk scenario is written: under the name of what it was shrunk from, once. What
 * was shrunk to another promise is not overwritten.
 */
function placeOf({ path, seed }: FailingRun, checker: string): string {
  const name = basename(path).replace(SHRUNK, "").replace(ENDINGS, "");
  const [, ofSeed = seed] = /\.seed-(\d+)(?:\.[^./]+)*\.ya?ml$/.exec(path) ?? [];
  const place = join(OWN_FOLDER, `${name}.seed-${ofSeed}.shrunk.yaml`);
  const isTaken = existsSync(place) && !breaks(place, checker);
  return isTaken ? join(OWN_FOLDER, `${name}.seed-${ofSeed}.${checker}.shrunk.yaml`) : place;
}

/** Whether a file is a scenario that was shrunk to this promise. */
function breaks(path: string, checker: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    const { checkers } = readScenario(path).expect;
    return checkers.length === 1 && checkers[0] === checker;
  } catch (error) {
    if (error instanceof WrongInput) return false;
    throw error;
  }
}

function nothing({ message, vacuous }: NothingToShrink, where: string, flags: ShrinkFlags): number {
  if (flags.json === true) printJson({ shrunk: false, why: message, vacuous });
  else print(message);
  printVacuous([{ where, vacuous }], flags.json);
  return strictExit(EXIT.held, [{ where, vacuous }], flags);
}

function printShrunk(
  shrunk: ShrunkScenario,
  {
    file: { path, text },
    page,
    interruption: { by },
    json,
  }: {
    readonly file: ShrunkFile;
    readonly page: string | undefined;
    readonly interruption: Interruption;
    readonly json: boolean;
  },
): void {
  const { failure, reruns, isMinimal, report } = shrunk;
  if (json) {
    const { digest, vacuous } = report;
    const shown = {
      file: path,
      failure,
      digest,
      reruns,
      isMinimal,
      vacuous,
      interrupted: by,
      report: page,
    };
    printJson({ shrunk: true, ...shown, scenario: text });
    return;
  }
  print(text);
  const end = isMinimal ? "no part can be removed" : whyNotMinimal(reruns, by);
  const play = path === undefined ? "" : `. Run it: npx faultlane run ${path}`;
  print(`${reruns} reruns, ${end}${play}`);
  if (page !== undefined) print(`report: ${page}`);
  printVacuous([{ where: path ?? report.scenario, vacuous: report.vacuous }], json);
}

function whyNotMinimal(reruns: number, by: Interruption["by"]): string {
  if (by !== undefined) return `interrupted by ${by}: it may get smaller`;
  return `the limit: it may get smaller with --reruns ${reruns * 2}`;
}
