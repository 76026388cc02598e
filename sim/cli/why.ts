import { Command, Option } from "commander";
import { type Choice, ReplayDrift } from "../choices/choices.ts";
import { type WhyDocument, whyDocumentFrom } from "../report/why-document.ts";
import { whySectionFrom } from "../report/why-section.ts";
import { whyTextFrom } from "../report/why-text.ts";
import type { RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import {
  explainFailure,
  NothingToExplain,
  ReplayDiffers,
  type WhyProgress,
} from "../search/why/why.ts";
import { Ending } from "./ending.ts";
import { assertFailingRunRepeats, type FailingRun, readFailingRun } from "./failing-run.ts";
import { type Interruption, listenForInterruption } from "./interruption.ts";
import {
  complain,
  EXIT,
  paintOf,
  positiveNumber,
  print,
  printJson,
  wholeNumber,
} from "./output.ts";
import { createProgress } from "./progress.ts";
import { pageOfRun, writePage } from "./report-page.ts";
import { rerunLine } from "./rerun-line.ts";
import {
  listed,
  printVacuous,
  STRICT_OPTION,
  type StrictFlag,
  strictExit,
  type VacuousIn,
} from "./strict.ts";
import { watchSubjects } from "./watch-subjects.ts";

interface WhyFlags extends StrictFlag {
  readonly seed?: number;
  readonly promise?: string;
  readonly runs?: number;
  readonly minutes?: number;
  readonly drawSeed: number;
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * What one core does in less than a minute in every world: in steps of the simulation, each run
 * counted as 1,000 steps more.
 */
const COST_MAX = 3_000_000;

const HELP = `
Takes the first choices of the failing run again, draws all later ones anew, many times, and
measures in how many of these runs the same promise breaks: the curve over the number of choices
taken, with intervals, refined where it rises. The choices of the steepest rises are named. Then
each fault and act of the run is left out alone, calm instead: without a needed one the promise
holds. An act that is not needed may still be one of two of which the run needs one. The answer is
also a panel of the run's report, which is written as "faultlane report" does.

A third of the budget is for a coarse curve, a third for what is left out, and the rest for a finer
curve. What it was not enough for is said at the end.

By default it makes as many runs as take ${COST_MAX / 1e6} million steps of the simulation, in less
than a minute. The same run, --draw-seed and --runs give the same answer on every machine; with
--minutes the answer depends on how many runs the machine makes. Ctrl-C and SIGTERM end it with what
is known by then, a second Ctrl-C ends it at once.

Examples:
  $ npx faultlane why .faultlane/aborted.seed-1.json
  $ npx faultlane why my.yaml --seed 7 --promise I5 --runs 10000

Exit codes: 0 the run holds its promises, 1 the broken promise is explained, or --strict and a part
of the run came to nothing, 2 the input is wrong,
3 the run does not fail again, or its choices no longer fit the code`;

/** `faultlane why <artifact | scenario.yaml --seed N>` */
export function createWhyCommand(setExit: (code: number) => void): Command {
  return new Command("why")
    .description("find the moment from which a run was bound to fail, and what it needed for that")
    .argument("<file>", "the artifact of a broken run, or a scenario with --seed")
    .option("--seed <n>", "of a scenario", wholeNumber("--seed", 0, Number.MAX_SAFE_INTEGER))
    .option("--promise <id>", "the broken promise to explain; default: the first")
    .addOption(
      new Option("--runs <n>", "how many runs it may take; default: by their steps")
        .argParser(wholeNumber("--runs", 1, 1e9))
        .conflicts("minutes"),
    )
    .option(
      "--minutes <m>",
      "take as many runs as these minutes allow instead",
      positiveNumber("--minutes", 1e4),
    )
    .option(
      "--draw-seed <n>",
      "where the choices come from that are drawn anew",
      wholeNumber("--draw-seed", 0, 2 ** 52),
      1,
    )
    .option("--out <file>", "where the run's page is written; default: beside the artifact")
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async (path: string, flags: WhyFlags) => {
      setExit(await why(path, flags));
    });
}

async function why(path: string, flags: WhyFlags): Promise<number> {
  using interruption = listenForInterruption();
  using ending = new Ending(interruption, flags.minutes);
  const run = await readFailingRun(path, flags, "explain");
  await watchSubjects([run], run.seed);
  const { runs, minutes } = flags;
  const costMax = runs === undefined && minutes === undefined ? COST_MAX : undefined;
  const progress = createWhyProgress(minutes);
  let vacuous: readonly VacuousIn[] = [];
  try {
    const { report, replay, digest } = await recordedRun(run);
    vacuous = [{ where: path, vacuous: report.vacuous }];
    const explained = await explainFailure(run.scenario, {
      replay,
      digest,
      seed: run.seed,
      parts: run.parts,
      checker: flags.promise,
      drawSeed: flags.drawSeed,
      runsMax: runs,
      costMax,
      signal: ending.signal,
      onProgress: progress.onRun,
    });
    progress.stop();
    const document = whyDocumentFrom(explained);
    const page = flags.out ?? pageOfRun(path, run);
    printWhy(document, { run, page, vacuous }, flags, interruption);
    const rerun = rerunLine(path, run.seed);
    await writePage(page, { run: { report, rerun }, sections: [whySectionFrom(document)] });
    return strictExit(EXIT.broken, vacuous, flags);
  } catch (error) {
    progress.stop();
    if (error instanceof NothingToExplain) return nothing(error, vacuous, flags);
    if (!(error instanceof ReplayDrift) && !(error instanceof ReplayDiffers)) throw error;
    await assertFailingRunRepeats(run);
    complain(error.message);
    return EXIT.kitFailed;
  }
}

interface WhyRuns {
  readonly onRun: (progress: WhyProgress) => void;
  stop(): void;
}

/** Shows how much of the budget is spent: minutes, or the percentage of runs or steps. */
function createWhyProgress(minutes: number | undefined): WhyRuns {
  const startedAt = performance.now();
  const progress =
    minutes === undefined
      ? createProgress(100, "% of the budget")
      : createProgress(Math.ceil(minutes * 60), "s");
  return {
    onRun({ doing, runs, percent }) {
      const seconds = Math.floor((performance.now() - startedAt) / 1_000);
      progress.reach(minutes === undefined ? percent : seconds, `${runs} runs, ${doing}`);
    },
    stop: () => progress.stop(),
  };
}

/** A run made again, with its trace, and what it was made of. */
interface RecordedRun {
  readonly report: RunReport;
  readonly replay: readonly Choice[];
  readonly digest: string;
}

/** Makes a run again: that of an artifact from its choices, that of a scenario from its seed. */
async function recordedRun(run: FailingRun): Promise<RecordedRun> {
  const { scenario, parts, seed, replay, digest } = run;
  const report = await simulate(scenario, { ...parts, seed, ...(replay && { replay }) });
  return { report, replay: replay ?? report.choices, digest: digest ?? report.digest };
}

function nothing(
  { message }: NothingToExplain,
  vacuous: readonly VacuousIn[],
  flags: WhyFlags,
): number {
  const { json } = flags;
  if (json === true) {
    printJson({ explained: false, why: message, vacuous: vacuous.flatMap(listed) });
  } else print(message);
  printVacuous(vacuous, json);
  return strictExit(EXIT.held, vacuous, flags);
}

interface Printed {
  readonly run: FailingRun;
  readonly page: string;
  readonly vacuous: readonly VacuousIn[];
}

function printWhy(
  document: WhyDocument,
  { run, page, vacuous }: Printed,
  { json, drawSeed }: WhyFlags,
  { by }: Interruption,
): void {
  const { scenario, seed } = run;
  const { name } = scenario;
  if (json === true) {
    const drawn = { scenario: name, seed, drawSeed, interrupted: by, page };
    const parts = { vacuous: vacuous.flatMap(listed) };
    printJson({ explained: true, ...drawn, ...document, ...parts });
    return;
  }
  print(whyTextFrom(document, { scenario: name, seed }, paintOf(process.stdout)));
  const { runs, isComplete } = document;
  const end =
    by === undefined ? `the limit: --runs above ${runs} would say more` : `interrupted by ${by}`;
  print(`\n${runs} runs drawn from seed ${drawSeed}${isComplete ? "" : `, ${end}`}`);
  print(`report: ${page}`);
  printVacuous(vacuous, json);
}
