import type { Batch } from "./campaign.ts";
import { type Job, type JobResult, runJob } from "./job.ts";
import type { Subject } from "./subject.ts";

/** A run that threw before its end; `cause` is what it threw. */
export class UnfinishedRun extends Error {
  override readonly name = "UnfinishedRun";
  readonly scenario: string;
  readonly strategy: Job["strategy"];
  readonly seed: number;

  constructor(scenario: string, { strategy, seed }: Job, cause: unknown) {
    super(`Cannot finish the run of "${scenario}" by ${strategy}, seed ${seed}`, { cause });
    this.scenario = scenario;
    this.strategy = strategy;
    this.seed = seed;
  }
}

/** Makes runs on this thread, one after the other. */
export class LocalExecutor {
  readonly #subjects: readonly Subject[];
  readonly #known: readonly Set<number>[];
  readonly #now: () => number;

  /** `now` is a clock for the time per run; the default always returns 0. */
  constructor(subjects: readonly Subject[], now: () => number = () => 0) {
    this.#subjects = subjects;
    this.#known = subjects.map(() => new Set());
    this.#now = now;
  }

  /** `onResult` is called after each run. */
  async execute(
    { jobs, news }: Batch,
    onResult: (job: Job, result: JobResult) => void = () => undefined,
  ): Promise<readonly JobResult[]> {
    for (const [subject, features] of news) {
      for (const feature of features) this.#known[subject]?.add(feature);
    }
    const results: JobResult[] = [];
    for (const job of jobs) {
      const subject = this.#subjects[job.subject] as Subject;
      const known = this.#known[job.subject] as Set<number>;
      const result = await runJob(subject, job, known, this.#now).catch((cause: unknown) => {
        throw new UnfinishedRun(subject.name, job, cause);
      });
      results.push(result);
      onResult(job, result);
    }
    return results;
  }
}
