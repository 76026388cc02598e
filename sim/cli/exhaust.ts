import { Command } from "commander";
import type { RunReport } from "../run/run-report.ts";
import { assertSameAgain } from "../run/repeat.ts";
import { simulate } from "../run/simulate.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { failureFrom } from "../report/terminal.ts";
import {
  type ExhaustedScenario,
  exhaustScenario,
  type FaultsStruck,
  SCENARIO_BOUNDS,
  type ScenarioBounds,
} from "../search/exhaustive/exhaustive-scenario.ts";
import { ArtifactFolder, NOT_WRITTEN } from "./artifact-folder.ts";
import { type InterruptingSignal, listenForInterruption } from "./interruption.ts";
import { complain, EXIT, paintOf, print, printJson, wholeNumber, WrongInput } from "./output.ts";
import { OWN_FOLDER } from "./own-folder.ts";
import { createProgress } from "./progress.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { replayLine } from "./rerun-line.ts";
import { readScenarios, type ScenarioFile } from "./scenario-files.ts";
import { printVacuous, STRICT_OPTION, type StrictFlag, strictExit } from "./strict.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface ExhaustFlags extends StrictFlag {
  readonly bound: readonly string[];
  readonly runs: number;
  readonly artifacts: string;
  readonly json?: boolean;
}

const RUNS_MAX = 100_000;
const NAMES = Object.keys(SCENARIO_BOUNDS) as (keyof ScenarioBounds)[];

const HELP = `
A bound limits how often a run may deviate from the calm choice: faults with a rate, preemptions
(another host goes first), delays, data, workload. The bounds hosts, operations and seconds cut
the scenario itself. The certificate is the same on every machine; it says how many faults
struck. The artifact of the first broken run is written when that run ends. Ctrl-C and SIGTERM
end with a report of the runs made so far, a second Ctrl-C at once.

Example:
  $ npx faultlane exhaust my.yaml --bound seconds=3 faults=1 preemptions=2

Exit codes: 0 every run held, 1 a promise was broken, 2 the input is wrong or too large, or a file
cannot be written, 3 the kit itself failed; 130 (Ctrl-C) or 143 (SIGTERM) interrupted, and every run
held until then`;

/** `faultlane exhaust <scenario> --bound faults=1 preemptions=2` */
export function createExhaustCommand(setExit: (code: number) => void): Command {
  const usual = NAMES.map((name) => `${name}=${SCENARIO_BOUNDS[name]}`).join(" ");
  return new Command("exhaust")
    .description("explore every run of a scenario within bounds, and certify it")
    .argument("<scenario>", "a scenario file")
    .option("--bound <name=n...>", `the bounds of the exploration; default: ${usual}`, [])
    .option("--runs <n>", "give up after this many runs", wholeNumber("--runs", 1, 1e9), RUNS_MAX)
    .option("--artifacts <folder>", "where the artifact of a broken run is written", OWN_FOLDER)
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async (path: string, flags: ExhaustFlags) => {
      setExit(await exhaust(path, flags));
    });
}

async function exhaust(path: string, flags: ExhaustFlags): Promise<number> {
  const files = await readScenarios([path]);
  const [file, another] = files;
  if (file === undefined || another !== undefined) {
    throw new WrongInput(`Cannot explore "${path}": it is a folder`);
  }
  using interruption = listenForInterruption();
  await watchSubjects(files, 1);
  const folder = new ArtifactFolder(flags.artifacts);
  let artifact: string | undefined;
  let isFirst = true;
  const progress = createProgress(flags.runs, "runs at most");
  const walked = await exhaustScenario(file.scenario, {
    bounds: boundsFrom(flags.bound),
    runsMax: flags.runs,
    parts: file.parts,
    signal: interruption.signal,
    onBroken: (report, scenario) => {
      const name = { stem: scenario.name, run: "exhaust" };
      if (isFirst) artifact = folder.writeArtifact(name, { scenario, file: file.path, report });
      isFirst = false;
    },
    onRun: (_, states) => progress.advance(`${states} states`),
  });
  progress.stop();
  const { by } = interruption;
  const first = await firstBroken(walked, file);
  const page =
    first === undefined || artifact === undefined
      ? undefined
      : await folder.writePage(artifact, { report: first, rerun: replayLine(artifact) });
  if (flags.json === true) printJson(documentOf(walked, { artifact, page }, by));
  else printExplored(walked, first, { artifact, page }, by);
  const vacuous = [{ where: file.path, vacuous: walked.vacuous }];
  printVacuous(vacuous, flags.json);
  folder.assertWritten();
  if (walked.broken.length > 0) return strictExit(EXIT.broken, vacuous, flags);
  if (walked.certificate.isComplete) return strictExit(EXIT.held, vacuous, flags);
  if (by !== undefined) return interruption.exitCode(EXIT.held);
  complain(`Gave up after ${flags.runs} runs: take tighter bounds, or more --runs`);
  return EXIT.wrongInput;
}

function boundsFrom(texts: readonly string[]): Partial<ScenarioBounds> {
  const bounds: Partial<Record<keyof ScenarioBounds, number>> = {};
  for (const text of texts.flatMap((one) => one.split(","))) {
    const [name = "", number = ""] = text.split("=");
    const known = NAMES.find((one) => one === name);
    if (known === undefined) {
      throw new WrongInput(`Cannot use --bound "${text}": there are ${NAMES.join(", ")}`);
    }
    bounds[known] = wholeNumber(`--bound ${name}`, 0, 1e6)(number);
  }
  if (bounds.hosts === 0 || bounds.seconds === 0) {
    throw new WrongInput("Cannot explore a world without hosts or time");
  }
  return bounds;
}

/** What was written of the first broken run; undefined where it could not be. */
interface Written {
  readonly artifact: string | undefined;
  readonly page: string | undefined;
}

function documentOf(
  walked: ExhaustedScenario,
  { artifact, page }: Written,
  interrupted: InterruptingSignal | undefined,
): unknown {
  const { scenario, certificate, narrowed, faults, vacuous, broken } = walked;
  const promises = [...new Set(broken.flatMap((run) => run.violations.map((one) => one.checker)))];
  return {
    scenario: scenario.name,
    ...certificate,
    narrowed,
    faults,
    vacuous,
    broken: promises,
    artifact: artifact ?? "",
    report: page,
    interrupted,
  };
}

/**
 * The first broken run once more, with its trace: an exploration keeps none.
 *
 * @throws {NotDeterministic} when that run of code under test differs from the first one
 */
async function firstBroken(
  { scenario, broken }: ExhaustedScenario,
  file: ScenarioFile,
): Promise<RunReport | undefined> {
  const [first] = broken;
  if (first === undefined) return undefined;
  const make = (parts: WorldParts): Promise<RunReport> =>
    simulate(scenario, { ...parts, replay: first.choices });
  const run = repeatableFrom({ ...file, scenario }, first.seed, make);
  return run === undefined ? await make(file.parts) : await assertSameAgain(run, first);
}

function printExplored(
  walked: ExhaustedScenario,
  first: RunReport | undefined,
  { artifact, page }: Written,
  interrupted: InterruptingSignal | undefined,
): void {
  const { scenario, certificate, narrowed, faults, broken } = walked;
  const { bounds, runs, states, depth, digest, isComplete } = certificate;
  if (first !== undefined) {
    const replay = artifact && replayLine(artifact);
    print(failureFrom(first, replay ?? NOT_WRITTEN, paintOf(process.stdout)));
    if (page !== undefined) print(`  report: ${page}`);
    print(artifact === undefined ? "" : `  smaller: npx faultlane shrink ${artifact}\n`);
  }
  const rows = [
    ["scenario", scenario.name],
    ["bounds", NAMES.map((name) => `${name} ${bounds[name]}`).join(", ")],
    ["runs", String(runs)],
    ["states", String(states)],
    ["depth", `${depth} decisions`],
    ["digest", digest],
    ["faults", faultsText(faults)],
    ...faults.listed.map(({ path, what, runs: struckIn }) => [
      "",
      `${path} (${what}): struck in ${counted(struckIn)}`,
    ]),
  ];
  for (const [name = "", value = ""] of rows) print(`${name.padEnd(10)}${value}`);
  if (narrowed > 0)
    print(`${narrowed} choices with many options were tried at the first and last option only`);
  if (interrupted !== undefined) print(`interrupted by ${interrupted}: not every run was made`);
  if (!isComplete) return;
  if (broken.length > 0) print("complete, and broken");
  else if (faults.listed.length > 0 && faults.struck === 0) {
    print(
      paintOf(process.stdout).warn("COMPLETE, BUT NO FAULT EVER STRUCK: this certifies calm runs"),
    );
  } else print("complete: every run within the bounds held");
}

function faultsText({ struck, runs, listed }: FaultsStruck): string {
  if (listed.length === 0) return "none is listed";
  if (struck === 0) return `none of ${listed.length} struck in any run`;
  const times = struck === 1 ? "once" : `${struck} times`;
  return `${listed.length} listed, struck ${times}, in ${counted(runs)}`;
}

function counted(runs: number): string {
  return runs === 1 ? "1 run" : `${runs} runs`;
}
