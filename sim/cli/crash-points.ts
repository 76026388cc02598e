import { join } from "node:path";
import { Command } from "commander";
import { crashTableFrom } from "../report/crash-table.ts";
import { failureFrom } from "../report/terminal.ts";
import { type CrashPointReport, exploreCrashPoints } from "../search/crash-points.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import { artifactNames } from "./artifact-names.ts";
import { listenForInterruption } from "./interruption.ts";
import { columnsOf, EXIT, paintOf, print, printJson, wholeNumber } from "./output.ts";
import { OWN_FOLDER } from "./own-folder.ts";
import { createProgress } from "./progress.ts";
import { readScenarios } from "./scenario-files.ts";
import { listed, printVacuous, STRICT_OPTION, type StrictFlag, strictExit } from "./strict.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface CrashPointFlags extends StrictFlag {
  readonly seed: number;
  readonly pairs: number;
  readonly json?: boolean;
}

const PAIRS_DEFAULT = 100;

const HELP = `
Ctrl-C and SIGTERM end with a report of what was tried so far; a second Ctrl-C ends at once.

Exit codes: 0 all held, 1 a promise was broken, 2 the input is wrong, 3 the kit itself failed; 130
(Ctrl-C) or 143 (SIGTERM) interrupted, and all held until then`;

/** `faultlane crash-points <scenario>` */
export function createCrashPointsCommand(setExit: (code: number) => void): Command {
  return new Command("crash-points")
    .description(
      "crash a scenario at every effect boundary in three ways, then at pairs of boundaries",
    )
    .argument("<paths...>", "scenario files, or folders of them; faults they list are ignored")
    .option("--seed <n>", "the seed", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER), 1)
    .option("--pairs <n>", "how many pairs", wholeNumber("--pairs", 0, 1e6), PAIRS_DEFAULT)
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async (paths: string[], flags: CrashPointFlags) => {
      setExit(await crashEverywhere(paths, flags));
    });
}

async function crashEverywhere(paths: readonly string[], flags: CrashPointFlags): Promise<number> {
  const { seed, pairs, json } = flags;
  const reports: CrashPointReport[] = [];
  const files = await readScenarios(paths);
  using interruption = listenForInterruption();
  const { signal } = interruption;
  await watchSubjects(files, seed);
  const names = artifactNames(files);
  const folder = new ArtifactFolder(OWN_FOLDER);
  const pages: (string | undefined)[] = [];
  for (const { path, scenario, parts } of files) {
    if (signal.aborted) break;
    let progress: ReturnType<typeof createProgress> | undefined;
    const onRun = (_done: number, all: number): void => {
      progress ??= createProgress(all, "runs");
      progress.advance(scenario.name);
    };
    const report = await exploreCrashPoints(scenario, { ...parts, seed, pairs, onRun, signal });
    progress?.stop();
    const shown = report.brokenCalm ?? report.firstBroken;
    const place = join(OWN_FOLDER, `${names[reports.length]}.crash-points.seed-${seed}`);
    const rerun = rerunOf(path, seed);
    pages.push(shown && (await folder.writePage(place, { report: shown, rerun })));
    reports.push(report);
  }
  const { by } = interruption;
  const vacuous = reports.map((report, at) => ({
    where: files[at]?.path ?? "",
    vacuous: report.vacuous,
  }));
  if (json === true) {
    const scenarios = reports.map((report, at) => documentFrom(report, pages[at]));
    printJson({ scenarios, vacuous: vacuous.flatMap(listed), interrupted: by });
  } else {
    const texts = reports.map((report, at) => textOf(report, files[at]?.path ?? "", pages[at]));
    print(texts.join("\n\n"));
    if (by !== undefined) {
      const scenarios = `${reports.length} of ${files.length} scenarios were begun`;
      print(`\nInterrupted by ${by}: ${scenarios}, and not all was tried`);
    }
  }
  printVacuous(vacuous, json);
  folder.assertWritten();
  if (!reports.every(isWhole)) return strictExit(EXIT.broken, vacuous, flags);
  return interruption.exitCode(strictExit(EXIT.held, vacuous, flags));
}

/** The table; or, where the scenario breaks without any fault, that failure. */
function textOf(report: CrashPointReport, path: string, page: string | undefined): string {
  const [paint, columns] = [paintOf(process.stdout), columnsOf(process.stdout)];
  const { brokenCalm, seed } = report;
  if (brokenCalm === undefined) {
    const shown = page === undefined ? [] : [`report of the first that broke: ${page}`];
    return [crashTableFrom(report, paint, columns), ...leftOutLines(report), ...shown].join("\n");
  }
  return [
    failureFrom(brokenCalm, rerunOf(path, seed), paint),
    ...(page === undefined ? [] : [`  report: ${page}`]),
    "No crash was tried: the scenario breaks a promise without any fault",
  ].join("\n");
}

function rerunOf(path: string, seed: number): string {
  return `npx faultlane crash-points ${path} --seed ${seed}`;
}

function leftOutLines({ leftOut: { faults, storm } }: CrashPointReport): readonly string[] {
  const parts = [
    ...(faults === 0 ? [] : [`its ${faults === 1 ? "fault" : `${faults} faults`}`]),
    ...(storm ? ["its storm"] : []),
  ];
  return parts.length === 0 ? [] : [`left out of the scenario: ${parts.join(" and ")}`];
}

function isWhole({ trials, pairs, brokenCalm }: CrashPointReport): boolean {
  if (brokenCalm !== undefined) return false;
  return [...trials, ...pairs].every(({ broken }) => broken.length === 0);
}

/** Boundaries, outcomes tried, coverage, what broke: nothing that differs between machines. */
function documentFrom(report: CrashPointReport, page: string | undefined): unknown {
  const { trials, pairs, coverage, brokenCalm, firstBroken: _, vacuous: __, ...rest } = report;
  const { planned, struck } = coverage;
  return {
    ...rest,
    brokenWithoutFaults: brokenCalm?.violations ?? [],
    coverage: { planned, struck, percent: planned === 0 ? 100 : (struck * 100) / planned },
    trials,
    pairs: { tried: pairs.length, struck: pairs.filter((pair) => pair.struck).length },
    broken: [...trials, ...pairs].filter((trial) => trial.broken.length > 0),
    report: page,
  };
}
