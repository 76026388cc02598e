import { Command } from "commander";
import { crashTableFrom } from "../report/crash-table.ts";
import { type CrashPointReport, exploreCrashPoints } from "../search/crash-points.ts";
import { listenForInterruption } from "./interruption.ts";
import { columnsOf, EXIT, paintOf, print, printJson, wholeNumber } from "./output.ts";
import { createProgress } from "./progress.ts";
import { readScenarios } from "./scenario-files.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface CrashPointFlags {
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
  using _watch = await watchSubjects(files, seed);
  for (const { scenario, parts } of files) {
    if (signal.aborted) break;
    let progress: ReturnType<typeof createProgress> | undefined;
    const onRun = (_done: number, all: number): void => {
      progress ??= createProgress(all, "runs");
      progress.advance(scenario.name);
    };
    reports.push(await exploreCrashPoints(scenario, { ...parts, seed, pairs, onRun, signal }));
    progress?.stop();
  }
  const { by } = interruption;
  if (json === true) printJson({ scenarios: reports.map(documentFrom), interrupted: by });
  else {
    const [paint, columns] = [paintOf(process.stdout), columnsOf(process.stdout)];
    print(reports.map((report) => crashTableFrom(report, paint, columns)).join("\n\n"));
    if (by !== undefined) {
      const scenarios = `${reports.length} of ${files.length} scenarios were begun`;
      print(`\nInterrupted by ${by}: ${scenarios}, and not all was tried`);
    }
  }
  return reports.every(isWhole) ? interruption.exitCode(EXIT.held) : EXIT.broken;
}

function isWhole({ trials, pairs }: CrashPointReport): boolean {
  return [...trials, ...pairs].every(({ broken }) => broken.length === 0);
}

/** Boundaries, outcomes tried, coverage, what broke: nothing that differs between machines. */
function documentFrom(report: CrashPointReport): unknown {
  const { trials, pairs, coverage, ...rest } = report;
  const { planned, struck } = coverage;
  return {
    ...rest,
    coverage: { planned, struck, percent: planned === 0 ? 100 : (struck * 100) / planned },
    trials,
    pairs: { tried: pairs.length, struck: pairs.filter((pair) => pair.struck).length },
    broken: [...trials, ...pairs].filter((trial) => trial.broken.length > 0),
  };
}
