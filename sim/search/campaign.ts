import { chanceOf } from "./strategy/chance.ts";
import { UNCALIBRATED } from "./strategy/calibration.ts";
import type { Job, JobResult } from "./job.ts";
import { type SearchName, turnOf } from "./strategy/portfolio.ts";
import { type FailureIdentity, isSameFailure } from "./shrink/shrink-identity.ts";
import type { Calibration, ChoiceString } from "./strategy/strategy.ts";

/** How many runs a batch has; all of them use what was learnt before the batch. */
const BATCH = 64;
/** How many interesting runs of a subject are kept for guided search to start from. */
const KEPT_MAX = 512;

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
  readonly identity: FailureIdentity;
  readonly first: Job;
  readonly digest: string;
  runs: number;
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
  readonly #kept: ChoiceString[][];
  readonly #calibrations: (Calibration | undefined)[];
  #news = new Map<number, number[]>();
  #next = 0;
  #runs = 0;
  #faults = 0;

  constructor(options: CampaignOptions) {
    this.#options = options;
    const each = { length: options.subjects };
    this.#known = Array.from(each, () => new Set<number>());
    this.#kept = Array.from(each, () => []);
    this.#calibrations = Array.from(each, () => undefined);
  }

  /** How many runs have been made. */
  get runs(): number {
    return this.#runs;
  }

  get faults(): number {
    return this.#faults;
  }

  /** How many different features were reached, over all subjects. */
  get behaviours(): number {
    return this.#known.reduce((all, { size }) => all + size, 0);
  }

  /** Adds a run recorded before this search, for guided search to start from. */
  plant(subject: number, choices: ChoiceString): void {
    this.#kept[subject]?.push(choices);
  }

  /** Returns the next runs; undefined once all requested runs have been made. */
  nextBatch(): Batch | undefined {
    const { subjects, runs = Number.MAX_SAFE_INTEGER } = this.#options;
    const isFirst = this.#next === 0;
    const jobs: Job[] = [];
    const size = isFirst ? subjects : BATCH;
    while (jobs.length < size && Math.floor(this.#next / subjects) < runs) {
      jobs.push(this.#job(this.#next % subjects, Math.floor(this.#next / subjects)));
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
    jobs.forEach((job, at) => this.#learn(job, results[at] as JobResult));
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
        parent: undefined,
      };
    }
    const { strategy, turn, isSwarm } = turnOf(search, run - 1);
    const parent = strategy === "guided" ? this.#parent(subject, seed) : undefined;
    return { subject, run, seed, strategy, turn, isSwarm, calibration, parent };
  }

  /** Draws two earlier runs and returns the later, so that recent discoveries are tried most. */
  #parent(subject: number, seed: number): ChoiceString | undefined {
    const kept = this.#kept[subject] ?? [];
    if (kept.length === 0) return undefined;
    const chance = chanceOf(seed, "parent");
    return kept[Math.max(chance(kept.length), chance(kept.length))];
  }

  #learn(job: Job, result: JobResult): void {
    this.#runs += 1;
    this.#faults += result.faults;
    this.#calibrations[job.subject] ??= result.calibration;
    const account = this.#accountOf(job.strategy);
    account.runs += 1;
    account.ms += result.ms;
    account.features += this.#learnFeatures(job, result);
    if (result.failures.length > 0) account.failing += 1;
    account.findings += this.#learnFailures(job, result);
    for (const [mark] of result.marks) this.#learnMark(job, result, mark);
  }

  #learnFeatures({ subject }: Job, { features, choices }: JobResult): number {
    const known = this.#known[subject] as Set<number>;
    const fresh = [...features].filter((feature) => !known.has(feature));
    if (fresh.length === 0) return 0;
    for (const feature of fresh) known.add(feature);
    const news = this.#news.get(subject) ?? [];
    news.push(...fresh);
    this.#news.set(subject, news);
    const kept = this.#kept[subject] as ChoiceString[];
    if (choices !== undefined) kept.push(choices);
    if (kept.length > KEPT_MAX) kept.shift();
    return fresh.length;
  }

  #learnFailures(job: Job, { failures, digest }: JobResult): number {
    let fresh = 0;
    const seen = new Set<string>();
    for (const identity of failures) {
      const name = `${identity.checker}: ${identity.symptom}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const known = this.findings.find(
        (finding) => finding.subject === job.subject && isSameFailure(finding.identity, identity),
      );
      if (known !== undefined) {
        known.runs += 1;
        continue;
      }
      fresh += 1;
      this.findings.push({ subject: job.subject, identity, first: job, digest, runs: 1 });
    }
    return fresh;
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
