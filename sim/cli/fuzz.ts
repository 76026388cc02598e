import { availableParallelism } from "node:os";
import { Command, Option } from "commander";
import { NotDeterministic } from "../run/not-deterministic.ts";
import { Campaign } from "../search/campaign.ts";
import { UnfinishedRun } from "../search/execute.ts";
import { SEARCHES, type SearchName } from "../search/strategy/portfolio.ts";
import { listedPartsOf, vacuityOf } from "../run/vacuity.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { Ending } from "./ending.ts";
import { FuzzCorpus, type FuzzFolders, type KeptRun } from "./fuzz-corpus.ts";
import { FuzzFindings } from "./fuzz-findings.ts";
import { FuzzRare } from "./fuzz-rare.ts";
import { type FormatFlags, formatOption, isText, printCases, withFormat } from "./format.ts";
import {
  casesFrom,
  documentFrom,
  type FuzzFailure,
  type FuzzReport,
  textFrom,
} from "./fuzz-report.ts";
import { search } from "./fuzz-search.ts";
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
import { OWN_FOLDER } from "./own-folder.ts";
import { createSearchProgress, type SearchProgress } from "./search-progress.ts";
import { readScenarios, type ScenarioFile } from "./scenario-files.ts";
import { STRICT_OPTION, type StrictFlag, strictExit, type VacuousIn } from "./strict.ts";
import { watchSubjects } from "./watch-subjects.ts";
import { isWrongInput } from "./wrong-input.ts";

interface FuzzFlags extends StrictFlag, FormatFlags {
  readonly runs?: number;
  readonly minutes?: number;
  readonly strategy: SearchName;
  readonly seed: number;
  readonly workers: number;
  readonly corpus?: string;
  readonly artifacts?: string;
}

const RUNS = 500;
const WORKERS_MAX = 64;
/** How long after its end a search may begin to repeat what it found just before. */
const CONFIRM_MS_MAX = 5_000;

const HELP = `
Each finding is confirmed by a second run and written as an artifact for "faultlane replay", as soon
as it is found. The same scenarios, seed and number of runs give the same findings on any number of
workers. Findings with the same promise and symptom that look the same, but for numbers and names,
are one kind. With --corpus the next search of the same scenarios, strategy and seed goes on where
this one stopped. Ctrl-C and SIGTERM end it with its report; a second Ctrl-C ends it at once.

The strategies: portfolio (all of them, swarm configurations over each; the default), random, swarm,
urw (uniform random walk), pos (partial order sampling), pct (priorities; hosts may stall).

Examples:
  $ npx faultlane fuzz scenarios/hostile-client.yaml
  $ npx faultlane fuzz scenarios --minutes 10 --corpus .faultlane/corpus
  $ npx faultlane fuzz my.yaml --strategy pct --runs 5000 --seed 7

Exit codes: 0 nothing found, 1 a promise was broken, 2 the input is wrong or a file cannot be
written, 3 the kit itself failed; 130 (Ctrl-C) or 143 (SIGTERM) interrupted, and nothing found yet`;

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
      positiveNumber("--minutes", 1e5),
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
    .option(
      "--artifacts <folder>",
      `where artifacts of broken runs are written (default: "${OWN_FOLDER}", or in the corpus)`,
    )
    .option(...STRICT_OPTION)
    .option("--json", "one JSON document on standard output")
    .addOption(formatOption())
    .addHelpText("after", HELP)
    .action(async (paths: string[], flags: FuzzFlags) => {
      setExit(await fuzz(await readScenarios(paths), withFormat(flags)));
    });
}

async function fuzz(files: readonly ScenarioFile[], flags: FuzzFlags): Promise<number> {
  const startedAt = performance.now();
  using interruption = listenForInterruption();
  using ending = new Ending(interruption, flags.minutes);
  await watchSubjects(files, flags.seed);
  const corpus = new FuzzCorpus(foldersFrom(flags), files);
  for (const line of corpus.ignored) complain(line);
  const run = new FuzzRun(files, flags, corpus, ending);
  await run.replayCorpus();
  await run.search();
  const report = run.report((performance.now() - startedAt) / 1_000, interruption);
  const isJudged = !(flags.json === true && ending.problem instanceof NotDeterministic);
  if (run.hasRuns && isJudged) {
    if (flags.json === true) printJson(documentFrom(report));
    else if (isText(flags)) print(textFrom(report, paintOf(process.stdout)));
    printCases(casesFrom(report, files), flags);
  }
  if (ending.problem !== undefined) tellWhichRun(ending.problem);
  if (report.findings.some(({ isSame }) => !isSame)) return EXIT.kitFailed;
  if (report.findings.length > 0) return strictExit(EXIT.broken, report.vacuous, flags);
  return interruption.exitCode(strictExit(EXIT.held, report.vacuous, flags));
}

function foldersFrom({ corpus, artifacts }: FuzzFlags): FuzzFolders {
  return { corpus, artifacts: artifacts ?? (corpus === undefined ? OWN_FOLDER : undefined) };
}

/** A run that did not end is wrong input or our bug, depending on its cause. */
function tellWhichRun(error: unknown): never {
  if (!(error instanceof UnfinishedRun)) throw error;
  if (!isWrongInput(error.cause)) complain(error.message);
  throw error.cause;
}

/** One search: the campaign, and what is kept of it. */
class FuzzRun {
  readonly #files: readonly ScenarioFile[];
  readonly #flags: FuzzFlags;
  readonly #corpus: FuzzCorpus;
  readonly #ending: Ending;
  readonly #campaign: Campaign;
  readonly #progress: SearchProgress;
  readonly #findings: FuzzFindings;
  readonly #rare: FuzzRare;
  readonly #replayed: KeptRun[] = [];
  readonly #firstSeed: number;

  constructor(
    files: readonly ScenarioFile[],
    flags: FuzzFlags,
    corpus: FuzzCorpus,
    ending: Ending,
  ) {
    const { strategy, seed, minutes } = flags;
    const made = files.map(({ scenario }) => corpus.positions?.made(scenario, flags) ?? 0);
    const last = Number.MAX_SAFE_INTEGER - seed - Math.max(...made);
    const runs = minutes === undefined ? Math.min(last, flags.runs ?? RUNS) : last;
    this.#files = files;
    this.#flags = flags;
    this.#corpus = corpus;
    this.#ending = ending;
    this.#firstSeed = seed + Math.min(...made);
    this.#campaign = new Campaign({ subjects: files.length, search: strategy, seed, runs, made });
    this.#progress = createSearchProgress(this.#campaign, minutes, runs * files.length);
    this.#findings = new FuzzFindings({
      files,
      corpus,
      onKept: ({ checker, symptom }, artifact) =>
        this.#progress.note(`found ${checker} (${symptom}): ${artifact}`),
      onProblem: ending.fail,
    });
    this.#rare = new FuzzRare(this.#campaign, files.length, corpus, this.#findings);
  }

  /** Whether there is anything to report. */
  get hasRuns(): boolean {
    return (
      this.#campaign.runs > 0 || this.#replayed.length > 0 || this.#ending.problem === undefined
    );
  }

  async replayCorpus(): Promise<void> {
    try {
      for await (const kept of this.#corpus.replay(this.#ending.signal)) {
        const { subject, report, features } = kept;
        this.#replayed.push({ ...kept, report: report && { ...report, trace: [], choices: [] } });
        this.#campaign.know(subject, features);
        this.#findings.addKept(kept);
        this.#rare.know(kept);
      }
    } catch (error) {
      this.#ending.fail(error);
    }
  }

  async search(): Promise<void> {
    try {
      await search(this.#campaign, this.#files, {
        workers: this.#flags.workers,
        signal: this.#ending.signal,
        onRun: (result) => this.#progress.onRun(result, this.#findings.count),
        onFinding: (finding) => this.#findings.add(finding),
        afterBatch: async () => {
          this.#rare.keep();
          this.#savePosition();
          await this.#findings.drain();
        },
      });
    } catch (error) {
      this.#ending.fail(error);
    } finally {
      if (!this.#ending.signal.aborted) this.#rare.keep();
      this.#savePosition();
      await this.#findings.drainWithin(CONFIRM_MS_MAX);
      this.#progress.stop();
    }
  }

  report(seconds: number, { by }: Interruption): FuzzReport {
    const campaign = this.#campaign;
    const reached = new Set([...campaign.marks.values()].map(({ mark }) => mark));
    const marks = new Set(this.#files.flatMap(({ scenario }) => worldKindOf(scenario).marks));
    const replayed = this.#replayed;
    return {
      scenarios: this.#files.map(({ scenario }) => scenario.name),
      strategy: this.#flags.strategy,
      seed: this.#firstSeed,
      seconds,
      interrupted: by,
      failure: failureOf(this.#ending.problem),
      runs: campaign.runs,
      behaviours: campaign.behaviours,
      faults: campaign.faults,
      findings: this.#findings.report(),
      unconfirmed: this.#findings.unconfirmed,
      accounts: [...campaign.accounts.values()],
      neverReached: [...marks].filter((mark) => !reached.has(mark)),
      vacuous: this.#vacuous(),
      corpus: {
        replayed: replayed.length,
        failing: replayed.filter(({ report }) => report?.verdict === "broken").length,
        drifted: replayed.filter(({ report }) => report === undefined).map(({ path }) => path),
        kept: this.#rare.paths,
        ignored: this.#corpus.ignored,
      },
    };
  }

  /** What came to nothing in every run of a scenario; of none, if there was no run. */
  #vacuous(): readonly VacuousIn[] {
    const campaign = this.#campaign;
    if (campaign.runs < this.#files.length) return [];
    return this.#files.map(({ path: where, scenario }, subject) => {
      const effects = campaign.effectsIn(subject);
      const struck = new Set(
        listedPartsOf(scenario).flatMap(({ part }, place) => (effects.has(place) ? [part] : [])),
      );
      const marks = [...campaign.marks.values()].filter((one) => one.subject === subject);
      const vacuous = vacuityOf(scenario, {
        effectsOf: (part) => (struck.has(part) ? 1 : 0),
        marksReached: new Set(marks.map(({ mark }) => mark)),
        isSearch: true,
      });
      return { where, vacuous };
    });
  }

  /** Queued behind the findings of the runs that it counts. */
  #savePosition(): void {
    const { positions } = this.#corpus;
    if (positions === undefined) return;
    const made = this.#files.map(
      ({ scenario }, subject) => [scenario, this.#campaign.made(subject)] as const,
    );
    this.#findings.later(() => positions.save(this.#flags, made));
  }
}

function failureOf(problem: unknown): FuzzFailure | undefined {
  if (!(problem instanceof UnfinishedRun)) return undefined;
  const { scenario, strategy, seed, cause } = problem;
  return {
    scenario,
    strategy,
    seed,
    error: cause instanceof Error ? cause.message : String(cause),
  };
}
