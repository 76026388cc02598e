import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { type Choice, ReplayDrift } from "../choices/choices.ts";
import { assertRepeats } from "../run/repeat.ts";
import { simulate } from "../run/simulate.ts";
import { writeScenario } from "../scenario/write.ts";
import {
  NothingToShrink,
  RunsDiffer,
  shrinkScenario,
  type ShrunkScenario,
} from "../search/shrink/shrink-scenario.ts";
import { complain, EXIT, print, printJson, wholeNumber, WrongInput } from "./output.ts";
import { createProgress } from "./progress.ts";
import { readArtifact } from "./read-artifact.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { readScenarios, type ScenarioFile } from "./scenario-files.ts";
import { movedTo, subjectPartsOf } from "./subject-module.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface ShrinkFlags {
  readonly seed?: number;
  readonly promise?: string;
  readonly out?: string;
  readonly reruns: number;
  readonly json?: boolean;
}

/** The longest runs, those of a hostile client, need about this many, in five seconds. */
const RERUNS_MAX = 2_000;
const FOLDER = ".faultlane";

const HELP = `
Removes faults, operations, hosts, subscribers and choices, and simplifies the rest,
for as long as the same promise breaks in the same way. Writes what is left as a
scenario, with its story above.

Examples:
  $ npx faultlane shrink .faultlane/aborted.seed-1.json
  $ npx faultlane shrink my.yaml --seed 7 --promise I5 --out small.yaml

Exit codes: 0 nothing to shrink, 1 the small scenario breaks the promise, 2 the input is wrong, 3
the run does not fail again, or its choices no longer fit the code`;

/** `faultlane shrink <artifact | scenario.yaml --seed N>` */
export function createShrinkCommand(setExit: (code: number) => void): Command {
  return new Command("shrink")
    .description("reduce a failing run to a minimal scenario that fails in the same way")
    .argument("<file>", "the artifact of a broken run, or a scenario with --seed")
    .option("--seed <n>", "of a scenario", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER))
    .option("--promise <id>", "the broken promise to preserve; default: the first")
    .option("--out <file>", `where the scenario is written; default: in ${FOLDER}`)
    .option(
      "--reruns <n>",
      "how many reruns it may take",
      wholeNumber("--reruns", 1, 1e6),
      RERUNS_MAX,
    )
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async (path: string, flags: ShrinkFlags) => {
      setExit(await shrinkFile(path, flags));
    });
}

interface FailingRun extends ScenarioFile {
  readonly seed: number;
  readonly replay?: readonly Choice[];
}

async function failingRun(path: string, { seed }: ShrinkFlags): Promise<FailingRun> {
  if (!path.endsWith(".json")) {
    const [file, another] = await readScenarios([path]);
    if (file === undefined || another !== undefined) {
      throw new WrongInput(`Cannot shrink "${path}": it is a folder`);
    }
    return { ...file, seed: seed ?? 1 };
  }
  if (seed !== undefined) throw new WrongInput("Cannot use --seed: an artifact has its own");
  const { scenario, seed: recorded, choices } = readArtifact(path);
  const parts = await subjectPartsOf(scenario, path);
  return { path, scenario, parts, seed: recorded, replay: choices };
}

async function shrinkFile(path: string, flags: ShrinkFlags): Promise<number> {
  const run = await failingRun(path, flags);
  using _watch = await watchSubjects([run], run.seed);
  const progress = createProgress(flags.reruns, "reruns at most");
  try {
    const shrunk = await shrinkScenario(run.scenario, {
      ...run,
      rerunsMax: flags.reruns,
      ...(flags.promise === undefined ? {} : { checker: flags.promise }),
      onProgress: ({ pass, taken }) => progress.advance(`${pass}, ${taken} times smaller`),
    });
    progress.stop();
    printShrunk(shrunk, write(shrunk, run, flags), flags.json === true);
    return EXIT.broken;
  } catch (error) {
    progress.stop();
    if (error instanceof NothingToShrink) return nothing(error, flags.json === true);
    if (!(error instanceof ReplayDrift) && !(error instanceof RunsDiffer)) throw error;
    await assertSubjectRepeats(run);
    complain(error.message);
    return EXIT.kitFailed;
  }
}

/** @throws {NotDeterministic} when the runs differ because of the code under test */
async function assertSubjectRepeats(file: FailingRun): Promise<void> {
  const { scenario, seed, replay } = file;
  const run = repeatableFrom(file, seed, (parts) =>
    simulate(scenario, { ...parts, seed, ...(replay !== undefined && { replay }) }),
  );
  if (run !== undefined) await assertRepeats(run);
}

function nothing({ message }: NothingToShrink, json: boolean): number {
  if (json) printJson({ shrunk: false, why: message });
  else print(message);
  return EXIT.held;
}

interface Written {
  readonly path: string;
  readonly text: string;
}

function write(shrunk: ShrunkScenario, run: FailingRun, flags: ShrinkFlags): Written {
  const path = flags.out ?? join(FOLDER, `${run.scenario.name}.seed-${run.seed}.shrunk.yaml`);
  const text = writeScenario(movedTo(shrunk.scenario, run.path, path), shrunk.remarks);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { path, text };
}

function printShrunk(shrunk: ShrunkScenario, { path, text }: Written, json: boolean): void {
  const { failure, reruns, isMinimal, report } = shrunk;
  if (json) {
    const { digest } = report;
    printJson({ shrunk: true, file: path, failure, digest, reruns, isMinimal, scenario: text });
    return;
  }
  print(text);
  const end = isMinimal
    ? "no part can be removed"
    : `the limit: it may get smaller with --reruns ${reruns * 2}`;
  print(`${reruns} reruns, ${end}. Run it: npx faultlane run ${path}`);
}
