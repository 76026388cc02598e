import { availableParallelism } from "node:os";
import { Command, Option } from "commander";
import type { Violation } from "../checkers/mod.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { Campaign, type Executor } from "../search/campaign.ts";
import { LocalExecutor, UnfinishedRun } from "../search/execute.ts";
import type { Job, JobResult } from "../search/job.ts";
import { SEARCHES, type SearchName } from "../search/strategy/portfolio.ts";
import { rerun } from "../search/rerun.ts";
import {
  type FailureIdentity,
  identityOf,
  isSameFailure,
} from "../search/shrink/shrink-identity.ts";
import { choiceStringFrom } from "../search/strategy/strategy.ts";
import { subjectFrom } from "../search/subject.ts";
import { FuzzCorpus, type KeptRun } from "./fuzz-corpus.ts";
import { documentFrom, type FuzzFinding, type FuzzReport, textFrom } from "./fuzz-report.ts";
import { FuzzWorkers } from "./fuzz-workers.ts";
import { complain, EXIT, paintOf, print, printJson, wholeNumber } from "./output.ts";
import { createProgress, type Progress } from "./progress.ts";
import { readScenarios, type ScenarioFile } from "./scenario-files.ts";
import { watchSubjects } from "./watch-subjects.ts";
import { isWrongInput } from "./wrong-input.ts";

interface FuzzFlags {
  readonly runs?: number;
  readonly minutes?: number;
  readonly strategy: SearchName;
  readonly seed: number;
  readonly workers: number;
  readonly corpus?: string;
  readonly json?: boolean;
}

const RUNS = 500;
const WORKERS_MAX = 64;
const MS_PER_MINUTE = 60_000;
/** A mark reached by at most one run in this many is rare; the run that reached it is kept. */
const RARE_ONE_IN = 100;
const RARE_KEPT_MAX = 20;

const HELP = `
Each finding is confirmed by a second run and written as an artifact for "faultlane replay". The
same scenarios, seed and number of runs give the same findings on any number of workers.

The strategies: portfolio (all of them, swarm configurations over each; the default), random, swarm,
urw (uniform random walk), pos (partial order sampling), pct (priorities; hosts may stall), guided
(by the coverage of earlier runs).

Examples:
  $ npx faultlane fuzz scenarios/hostile-client.yaml
  $ npx faultlane fuzz scenarios --minutes 10 --corpus .faultlane/corpus
  $ npx faultlane fuzz my.yaml --strategy pct --runs 5000 --seed 7

Exit codes: 0 nothing found, 1 a promise was broken, 2 the input is wrong, 3 the kit itself failed`;

/** `faultlane fuzz <files or folders>` */
export function createFuzzCommand(setExit: (code: number) => void): Command {
  return new Command("fuzz")
    .description("search for rare runs in which a promise breaks")
    .argument("<paths...>", "scenario files, or folders of them")
    .addOption(
      new Option("--runs <n>", `how many runs of each scenario (default: ${RUNS})`)
        .argParser(wholeNumber("--runs", 1, 1e9))
        .conflicts("minutes"),
    )
    .option(
      "--minutes <m>",
      "search for this many minutes instead",
      wholeNumber("--minutes", 1, 1e5),
    )
    .addOption(
      new Option("--strategy <name>", "how to search").choices(SEARCHES).default("portfolio"),
    )
    .option("--seed <n>", "the first seed", wholeNumber("--seed", 0, 2 ** 52), 1)
    .option(
      "--workers <n>",
      "how many threads",
      wholeNumber("--workers", 1, WORKERS_MAX),
      Math.min(8, availableParallelism()),
    )
    .option("--corpus <folder>", "artifacts to repeat first, and where new ones are kept")
    .option("--json", "one JSON document on standard output")
    .addHelpText("after", HELP)
    .action(async (paths: string[], flags: FuzzFlags) => {
      setExit(await fuzz(await readScenarios(paths), flags));
    });
}

async function fuzz(files: readonly ScenarioFile[], flags: FuzzFlags): Promise<number> {
  const { strategy, seed, minutes } = flags;
  const runs = minutes === undefined ? (flags.runs ?? RUNS) : Number.MAX_SAFE_INTEGER - seed;
  using _watch = await watchSubjects(files, seed);
  const corpus = new FuzzCorpus(flags.corpus);
  const campaign = new Campaign({ subjects: files.length, search: strategy, seed, runs });
  const names = files.map(({ scenario }) => scenario.name);
  const kept = await corpus.replay(files);
  for (const { artifact, report } of kept) {
    const { scenario, choices } = artifact;
    campaign.plant(names.indexOf(scenario.name), choiceStringFrom(report?.choices ?? choices));
  }
  const startedAt = performance.now();
  await search(campaign, files, flags, runs).catch(tellWhichRun);
  const seconds = (performance.now() - startedAt) / 1_000;
  const report = await reportFrom(campaign, files, { corpus, kept, strategy, seed, seconds });
  if (flags.json === true) printJson(documentFrom(report));
  else print(textFrom(report, paintOf(process.stdout)));
  if (report.findings.some(({ isSame }) => !isSame)) return EXIT.kitFailed;
  return report.findings.length > 0 ? EXIT.broken : EXIT.held;
}

/** A run that did not end is wrong input or our bug, depending on its cause. */
function tellWhichRun(error: unknown): never {
  if (!(error instanceof UnfinishedRun)) throw error;
  if (!isWrongInput(error.cause)) complain(error.message);
  throw error.cause;
}

async function search(
  campaign: Campaign,
  files: readonly ScenarioFile[],
  { workers: count, minutes }: FuzzFlags,
  runs: number,
): Promise<void> {
  const workers = count > 1 ? new FuzzWorkers(files, count) : undefined;
  const progress = searchProgress(campaign, minutes, runs * files.length);
  const local = new LocalExecutor(
    files.map(({ scenario, parts }) => subjectFrom(scenario, parts)),
    () => performance.now(),
  );
  const execute: Executor = (batch) => (workers ?? local).execute(batch, progress.onResult);
  const until = performance.now() + (minutes ?? 0) * MS_PER_MINUTE;
  const isOver = (): boolean => minutes !== undefined && performance.now() >= until;
  try {
    while (!isOver()) {
      const batch = campaign.nextBatch();
      if (batch === undefined) break;
      campaign.learn(batch, await execute(batch));
    }
  } finally {
    progress.stop();
    await workers?.close();
  }
}

/** Shows the progress of a search after each run. */
function searchProgress(
  campaign: Campaign,
  minutes: number | undefined,
  total: number,
): { readonly onResult: (job: Job, result: JobResult) => void; readonly stop: () => void } {
  const startedAt = performance.now();
  const progress: Progress =
    minutes === undefined ? createProgress(total, "runs") : createProgress(minutes * 60, "s");
  let runs = 0;
  let faults = 0;
  return {
    onResult(_, result) {
      runs += 1;
      faults += result.faults;
      const seconds = (performance.now() - startedAt) / 1_000;
      const what = [
        `${Math.round(runs / seconds)} runs/s`,
        `${campaign.behaviours} behaviours`,
        `${faults} faults`,
        `${campaign.findings.length} findings`,
        rarestOf(campaign),
      ];
      progress.reach(minutes === undefined ? runs : Math.floor(seconds), what.join(", "));
    },
    stop: () => progress.stop(),
  };
}

function rarestOf(campaign: Campaign): string {
  const [rarest] = [...campaign.marks.values()].toSorted((one, other) => one.runs - other.runs);
  return rarest === undefined ? "no mark yet" : `rarest mark: ${rarest.mark} (${rarest.runs})`;
}

interface Circumstances {
  readonly corpus: FuzzCorpus;
  readonly kept: readonly KeptRun[];
  readonly strategy: SearchName;
  readonly seed: number;
  readonly seconds: number;
}

async function reportFrom(
  campaign: Campaign,
  files: readonly ScenarioFile[],
  { corpus, kept, strategy, seed, seconds }: Circumstances,
): Promise<FuzzReport> {
  const again = kept.flatMap(findingsAgain);
  const findings = [
    ...again,
    ...(await confirmed(campaign, files, corpus)).filter(
      (one) => !again.some((other) => one.scenario === other.scenario && isSameFailure(one, other)),
    ),
  ];
  const reached = new Set([...campaign.marks.values()].map(({ mark }) => mark));
  const marks = new Set(files.flatMap(({ scenario }) => worldKindOf(scenario).marks));
  return {
    scenarios: files.map(({ scenario }) => scenario.name),
    strategy,
    seed,
    seconds,
    runs: campaign.runs,
    behaviours: campaign.behaviours,
    faults: campaign.faults,
    findings,
    accounts: [...campaign.accounts.values()],
    neverReached: [...marks].filter((mark) => !reached.has(mark)),
    corpus: {
      replayed: kept.length,
      failing: kept.filter(({ report }) => report?.verdict === "broken").length,
      drifted: kept.filter(({ report }) => report === undefined).map(({ path }) => path),
      kept: await keepRare(campaign, files, corpus),
    },
  };
}

/** Returns the finding of a run in the corpus that still fails. */
function findingsAgain({ path, artifact, report }: KeptRun): readonly FuzzFinding[] {
  const [violation] = report?.violations ?? [];
  if (report?.verdict !== "broken" || violation === undefined) return [];
  return [
    {
      scenario: artifact.scenario.name,
      ...identityOf(violation),
      runs: 1,
      strategy: "replay",
      seed: artifact.seed,
      changes: [],
      artifact: path,
      report,
      isSame: true,
    },
  ];
}

/** Repeats the first run of each finding, writes its artifact, and returns what is reported. */
async function confirmed(
  campaign: Campaign,
  files: readonly ScenarioFile[],
  corpus: FuzzCorpus,
): Promise<readonly FuzzFinding[]> {
  const findings: FuzzFinding[] = [];
  for (const { subject, identity, first, digest, runs } of campaign.findings) {
    const file = fileAt(files, subject);
    const { scenario, report, changes } = await rerun(file.scenario, first, file.parts);
    const { seed, strategy } = first;
    const kept = { ...file, scenario };
    const artifact = corpus.keepFailing(kept, report, `fuzz-${strategy}-${seed}`);
    const isSame = report.digest === digest;
    const reported = { ...report, violations: report.violations.filter(isOf(identity)) };
    const { name } = scenario;
    findings.push({
      scenario: name,
      ...identity,
      runs,
      strategy,
      seed,
      changes,
      artifact,
      report: reported,
      isSame,
    });
  }
  return findings;
}

function isOf(identity: FailureIdentity): (violation: Violation) => boolean {
  return (violation) => isSameFailure(identityOf(violation), identity);
}

async function keepRare(
  campaign: Campaign,
  files: readonly ScenarioFile[],
  corpus: FuzzCorpus,
): Promise<readonly string[]> {
  const rare = [...campaign.marks.values()]
    .filter(({ runs }) => runs * RARE_ONE_IN <= campaign.runs / files.length)
    .toSorted((one, other) => one.runs - other.runs);
  const paths = new Set<string>();
  for (const { subject, first } of rare.slice(0, RARE_KEPT_MAX)) {
    const file = fileAt(files, subject);
    const { scenario, report } = await rerun(file.scenario, first, file.parts);
    const kept = { ...file, scenario };
    const path = corpus.keepRare(kept, report, `fuzz-${first.strategy}-${first.seed}`);
    if (path !== undefined) paths.add(path);
  }
  return [...paths];
}

function fileAt(files: readonly ScenarioFile[], at: number): ScenarioFile {
  return files[at] as ScenarioFile;
}
