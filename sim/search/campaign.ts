import { UNCALIBRATED } from "./strategy/calibration.ts";
import type { Job, JobResult } from "./job.ts";
import { type SearchName, turnOf } from "./strategy/portfolio.ts";
import type { Failure } from "./failure.ts";
import { isSameFailure } from "./shrink/shrink-identity.ts";
import type { Calibration } from "./strategy/strategy.ts";

/** How many runs a batch has. */
const BATCH = 64;
/** Failures with one promise and symptom have at most this many stories of their own. */
const STORIES_MAX = 8;

/** Runs that workers may make in any order. */
export interface Batch {
  readonly jobs: readonly Job[];
  /** The features of each subject that the previous batch discovered. */
  readonly news: readonly (readonly [subject: number, features: Uint32Array])[];
}

/** Makes the runs of a batch and returns their results in the order of its jobs. */
export type Executor = (batch: Batch) => Promise<readonly JobResult[]>;

/** A failure of one kind, and the first run with it. */
export interface CampaignFinding {
  readonly subject: number;
  readonly failure: Failure;
  readonly first: Job;
  readonly digest: string;
  runs: number;
  /** The findings of this subject that occurred in each of these runs, too. */
  alwaysWith: ReadonlySet<CampaignFinding>;
}

/** A mark of a subject: how many runs reached it, and which one first. */
export interface MarkFact {
  readonly subject: number;
  readonly mark: string;
  readonly first: Job;
  readonly digest: string;
  runs: number;
}

/** What the runs of one strategy have found so far. */
export interface StrategyAccount {
  readonly strategy: Job["strategy"];
  runs: number;
  failing: number;
  /** How many failures this strategy found first. */
  findings: number;
  /** How many features this strategy reached first. */
  features: number;
  ms: number;
}

/** What a campaign searches, and how. */
export interface CampaignOptions {
  readonly subjects: number;
  readonly search: SearchName;
  readonly seed: number;
  /** How many runs of each subject; default: no limit. */
  readonly runs?: number;
  /** How many runs of each subject were made by earlier campaigns like this one; default none. */
  readonly made?: readonly number[];
}

/**
 * A search over one or several subjects: plans the next runs and learns from their results.
 *
 * Holds: a campaign depends only on its options and the results of whole batches in the order of
 * their jobs, not on the number of workers.
 */
export class Campaign {
  readonly findings: CampaignFinding[] = [];
  readonly marks: Map<string, MarkFact> = new Map();
  readonly accounts: Map<Job["strategy"], StrategyAccount> = new Map();
  readonly #options: CampaignOptions;
  readonly #known: Set<number>[];
  readonly #calibrations: (Calibration | undefined)[];
  readonly #made: number[];
  readonly #effects: Set<number>[];
  #news = new Map<number, number[]>();
  #next = 0;
  #runs = 0;
  #faults = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
    const each = { length: options.subjects };
    this.#known = Array.from(each, () => new Set<number>());
    this.#effects = Array.from(each, () => new Set<number>());
    this.#calibrations = Array.from(each, () => undefined);
    this.#made = Array.from(each, (_, subject) => options.made?.[subject] ?? 0);
  }

  /** How many runs have been made. */
  get runs(): number {
    return this.#runs;
  }

  get faults(): number {
    return this.#faults;
  }

  /** Which of the parts that a subject lists took effect in any run, by their places. */
  effectsIn(subject: number): ReadonlySet<number> {
    return this.#effects[subject] ?? new Set();
  }

  /** How many different features were reached, over all subjects. */
  get behaviours(): number {
    return this.#known.reduce((all, { size }) => all + size, 0);
  }

  /**
   * Returns how many runs of a subject were made without a gap, earlier campaigns included: the
   * next campaign continues from here.
   */
  made(subject: number): number {
    return this.#made[subject] ?? 0;
  }

  /** Adds the features of a run that was recorded before this search. */
  know(subject: number, features: Iterable<number>): void {
    this.#discover(subject, features);
  }

  /** Returns the next runs; undefined once all requested runs have been made. */
  nextBatch(): Batch | undefined {
    const { subjects, runs = Number.MAX_SAFE_INTEGER } = this.#options;
    const isFirst = this.#next === 0;
    const jobs: Job[] = [];
    const size = isFirst ? subjects : BATCH;
    while (jobs.length < size && Math.floor(this.#next / subjects) < runs) {
      const subject = this.#next % subjects;
      const made = this.#options.made?.[subject] ?? 0;
      jobs.push(this.#job(subject, made + Math.floor(this.#next / subjects)));
      this.#next += 1;
    }
    if (jobs.length === 0) return undefined;
    const news = [...this.#news].map(([subject, features]) => {
      return [subject, Uint32Array.from(features)] as const;
    });
    this.#news = new Map();
    return { jobs, news };
  }

  /** Learns from the results of a batch, which are in the order of its jobs. */
  learn({ jobs }: Batch, results: readonly JobResult[]): void {
    jobs.forEach((job, at) => this.learnRun(job, results[at] as JobResult));
  }

  /**
   * Learns from the result of one run, and returns the findings that are new. The jobs of a batch
   * are learned in their order; those of the last batch may have gaps.
   */
  learnRun(job: Job, result: JobResult): readonly CampaignFinding[] {
    this.#runs += 1;
    this.#faults += result.faults;
    for (const place of result.effects ?? []) this.#effects[job.subject]?.add(place);
    this.#calibrations[job.subject] ??= result.calibration;
    if (this.#made[job.subject] === job.run) this.#made[job.subject] = job.run + 1;
    const account = this.#accountOf(job.strategy);
    account.runs += 1;
    account.ms += result.ms;
    account.features += this.#discover(job.subject, result.features);
    if (result.failures.length > 0) account.failing += 1;
    const fresh = this.#learnFailures(job, result);
    account.findings += fresh.length;
    for (const [mark] of result.marks) this.#learnMark(job, result, mark);
    return fresh;
  }

  #job(subject: number, run: number): Job {
    const { search, seed: firstSeed } = this.#options;
    const seed = firstSeed + run;
    const calibration = this.#calibrations[subject];
    if (calibration === undefined) {
      const strategy = "calibration";
      const calibration = UNCALIBRATED;
      return {
        subject,
        run,
        seed,
        strategy,
        turn: 0,
        isSwarm: false,
        calibration,
      };
    }
    const { strategy, turn, isSwarm } = turnOf(search, run - 1);
    return { subject, run, seed, strategy, turn, isSwarm, calibration };
  }

  /** Adds features of a subject, and returns how many of them were unknown. */
  #discover(subject: number, features: Iterable<number>): number {
    const known = this.#known[subject] as Set<number>;
    const fresh = [...features].filter((feature) => !known.has(feature));
    if (fresh.length === 0) return 0;
    for (const feature of fresh) known.add(feature);
    const news = this.#news.get(subject) ?? [];
    news.push(...fresh);
    this.#news.set(subject, news);
    return fresh.length;
  }

  #learnFailures(job: Job, { failures, digest }: JobResult): readonly CampaignFinding[] {
    const fresh: CampaignFinding[] = [];
    const inRun = new Set<CampaignFinding>();
    for (const failure of failures) {
      let finding = this.#findingOf(job.subject, failure);
      if (finding === undefined) {
        const alwaysWith = new Set<CampaignFinding>();
        finding = { subject: job.subject, failure, first: job, digest, runs: 0, alwaysWith };
        this.findings.push(finding);
        fresh.push(finding);
      }
      inRun.add(finding);
    }
    for (const finding of inRun) {
      finding.runs += 1;
      const before = finding.first === job ? inRun : finding.alwaysWith;
      const always = [...before].filter((one) => one !== finding && inRun.has(one));
      finding.alwaysWith = new Set(always);
    }
    return fresh;
  }

  /** Returns the known finding that a failure belongs to. */
  #findingOf(subject: number, failure: Failure): CampaignFinding | undefined {
    const alike = this.findings.filter(
      (one) => one.subject === subject && isSameFailure(one.failure, failure),
    );
    const known = alike.find((one) => one.failure.shape === failure.shape);
    return known ?? (alike.length < STORIES_MAX ? undefined : alike[0]);
  }

  #learnMark(job: Job, { digest }: JobResult, mark: string): void {
    const name = `${job.subject} ${mark}`;
    const known = this.marks.get(name);
    if (known !== undefined) known.runs += 1;
    else this.marks.set(name, { subject: job.subject, mark, first: job, digest, runs: 1 });
  }

  #accountOf(strategy: Job["strategy"]): StrategyAccount {
    const known = this.accounts.get(strategy);
    if (known !== undefined) return known;
    const account = { strategy, runs: 0, failing: 0, findings: 0, features: 0, ms: 0 };
    this.accounts.set(strategy, account);
    return account;
  }
}
