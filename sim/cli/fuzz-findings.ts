import type { Violation } from "../checkers/mod.ts";
import { explained } from "../run/repeat.ts";
import type { RunReport } from "../run/run-report.ts";
import type { CampaignFinding } from "../search/campaign.ts";
import { UnfinishedRun } from "../search/execute.ts";
import { type Failure, failureFrom, failureName } from "../search/failure.ts";
import type { Job } from "../search/job.ts";
import { type Rerun, rerun } from "../search/rerun.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import type { FuzzCorpus, KeptRun } from "./fuzz-corpus.ts";
import type { FuzzFinding } from "./fuzz-groups.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { replayLine } from "./rerun-line.ts";
import { pagePathOf, writePage } from "./report-page.ts";
import type { ScenarioFile } from "./scenario-files.ts";
import { CannotWrite } from "./write-file.ts";

/** A finding of the campaign, repeated and written. */
interface Confirmed {
  readonly finding: CampaignFinding;
  readonly ran: Rerun;
  /** Empty where it could not be written. */
  readonly artifact: string;
  /** The report of the run as a page; empty where it could not be written. */
  readonly page: string;
}

/** What a run from the corpus breaks. */
interface Again extends Pick<KeptRun, "subject" | "path" | "artifact"> {
  readonly failure: Failure;
  readonly report: RunReport;
}

/** What the keeper of a campaign's findings needs. */
export interface FindingsOptions {
  readonly files: readonly ScenarioFile[];
  readonly corpus: FuzzCorpus;
  /** Called with each finding after it was written. */
  readonly onKept: (failure: Failure, artifact: string) => void;
  /** Called when a finding cannot be repeated or written: the campaign cannot go on. */
  readonly onProblem: (problem: unknown) => void;
}

/**
 * Repeats the first run of each finding as soon as it is known, and writes its artifact.
 *
 * Holds: what is queued is done in order, so that what is written later (how far the campaign has
 * come) never counts a run whose finding is not on disk.
 */
export class FuzzFindings {
  readonly #options: FindingsOptions;
  readonly #again: Again[] = [];
  /** By subject and name: those known from the corpus, and the campaign's finding of the same. */
  readonly #known = new Map<string, CampaignFinding | undefined>();
  readonly #confirmed: Confirmed[] = [];
  #queue: Promise<void> = Promise.resolve();
  #queued = 0;
  #isOver = false;
  #latest: { readonly job: Job; readonly ran: Rerun } | undefined;

  constructor(options: FindingsOptions) {
    this.#options = options;
  }

  /** How many findings were confirmed, those repeated from the corpus included. */
  get count(): number {
    return this.#again.length + this.#confirmed.length;
  }

  /** How many findings of the campaign were not repeated, because it ended before. */
  get unconfirmed(): number {
    return this.#queued - this.#confirmed.length;
  }

  /** Adds what a run from the corpus breaks; the campaign need not confirm that again. */
  addKept({ path, subject, artifact, report }: KeptRun): void {
    if (report?.verdict !== "broken") return;
    for (const violation of report.violations) {
      const failure = failureFrom(violation);
      const name = nameIn(subject, failure);
      if (this.#known.has(name)) continue;
      this.#known.set(name, undefined);
      this.#again.push({ subject, failure, path, artifact, report: only(report, failure) });
    }
  }

  /** Queues a finding of the campaign to be repeated and written. */
  add(finding: CampaignFinding): void {
    const name = nameIn(finding.subject, finding.failure);
    if (this.#known.has(name)) {
      this.#known.set(name, finding);
      return;
    }
    this.#queued += 1;
    this.later(async () => {
      const ran = await this.repeat(finding.subject, finding.first);
      await this.#assertSame(finding, ran);
      await this.#keep(finding, ran);
    });
  }

  /** Queues work after all that is queued; nothing is done any more after a problem. */
  later(work: () => Promise<void> | void): void {
    this.#queue = this.#queue.then(async () => {
      if (this.#isOver) return;
      try {
        await work();
      } catch (error) {
        this.#isOver = true;
        this.#options.onProblem(error);
      }
    });
  }

  /** Waits until all that is queued is done. */
  async drain(): Promise<void> {
    await this.#queue;
  }

  /** Waits for what is queued, but begins nothing more after `ms`. */
  async drainWithin(ms: number): Promise<void> {
    const timer = setTimeout(() => {
      this.#isOver = true;
    }, ms);
    await this.#queue;
    clearTimeout(timer);
  }

  /** Repeats the run of a job; the latest is remembered, because a run may have several findings. */
  async repeat(subject: number, job: Job): Promise<Rerun> {
    if (this.#latest?.job === job) return this.#latest.ran;
    const { scenario, parts } = this.#options.files[subject] as ScenarioFile;
    try {
      this.#latest = { job, ran: await rerun(scenario, job, parts) };
      return this.#latest.ran;
    } catch (cause) {
      throw new UnfinishedRun(scenario.name, job, cause);
    }
  }

  /** Returns all findings, those from the corpus first. */
  report(): readonly FuzzFinding[] {
    return [
      ...this.#again.map((one) => this.#reportedAgain(one)),
      ...this.#confirmed.map((one) => this.#reported(one)),
    ];
  }

  /**
   * A run of the kit's own code that differs is reported as such.
   *
   * @throws {NotDeterministic} when the run of code under test differs from its repetition
   */
  async #assertSame({ subject, first, digest }: CampaignFinding, ran: Rerun): Promise<void> {
    if (ran.report.digest === digest) return;
    const file = this.#options.files[subject] as ScenarioFile;
    const make = async (parts: WorldParts): Promise<RunReport> =>
      (await rerun(file.scenario, first, parts)).report;
    const run = repeatableFrom(file, first.seed, make);
    const searched = { ...ran.report, digest, trace: [], choices: [] };
    if (run === undefined) return;
    throw await explained(run, searched, { second: ran.report, isFirstEver: false });
  }

  async #keep(finding: CampaignFinding, ran: Rerun): Promise<void> {
    const { subject, failure, first } = finding;
    const name = `fuzz-${first.strategy}-${first.seed}`;
    try {
      const { corpus, onKept } = this.#options;
      const artifact = corpus.keepFailing(subject, ran.scenario, ran.report, name);
      const page = pagePathOf(artifact);
      const rerun = replayLine(artifact);
      this.#confirmed.push({ finding, ran: withoutTrace(ran), artifact, page });
      onKept(failure, artifact);
      await writePage(page, { run: { report: ran.report, rerun } });
    } catch (error) {
      const isKept = this.#confirmed.some((one) => one.finding === finding);
      if (error instanceof CannotWrite && !isKept) {
        this.#confirmed.push({ finding, ran, artifact: "", page: "" });
      }
      throw error;
    }
  }

  #reportedAgain({ subject, failure, path, artifact, report }: Again): FuzzFinding {
    const { runs = 0 } = this.#known.get(nameIn(subject, failure)) ?? {};
    return {
      scenario: artifact.scenario.name,
      ...failure,
      runs: 1 + runs,
      strategy: "replay",
      seed: artifact.seed,
      changes: [],
      artifact: path,
      page: "",
      report,
      isSame: true,
      alwaysWith: [],
    };
  }

  #reported({ finding, ran, artifact, page }: Confirmed): FuzzFinding {
    const { failure, first, digest, runs, alwaysWith } = finding;
    const { scenario, report, changes } = ran;
    return {
      scenario: scenario.name,
      ...failure,
      runs,
      strategy: first.strategy,
      seed: first.seed,
      changes,
      artifact,
      page,
      report: only(report, failure),
      isSame: report.digest === digest,
      alwaysWith: [...alwaysWith].map((one) => failureName(one.failure)),
    };
  }
}

function nameIn(subject: number, failure: Failure): string {
  return `${subject} ${failureName(failure)}`;
}

function withoutTrace({ report, ...ran }: Rerun): Rerun {
  return { ...ran, report: { ...report, trace: [], choices: [] } };
}

/** Returns the report with the violations of one failure alone. */
function only(report: RunReport, failure: Failure): RunReport {
  const isOf = (violation: Violation): boolean =>
    failureName(failureFrom(violation)) === failureName(failure);
  return { ...report, violations: report.violations.filter(isOf) };
}
