import type { Batch } from "./campaign.ts";
import { type Job, type JobResult, runJob } from "./job.ts";
import type { Subject } from "./subject.ts";

/** A run that did not come to its end; `cause` says why. */
export class UnfinishedRun extends Error {
  override readonly name = "UnfinishedRun";
}

/** Where runs are made here and now, one after the other. */
export class LocalExecutor {
  readonly #subjects: readonly Subject[];
  readonly #known: readonly Set<number>[];
  readonly #now: () => number;

  /** `now` is a clock for the accounts; the default stands still. */
  constructor(subjects: readonly Subject[], now: () => number = () => 0) {
    this.#subjects = subjects;
    this.#known = subjects.map(() => new Set());
    this.#now = now;
  }

  /** `onResult` is told of each run as it ends. */
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
        const which = `"${subject.name}" by ${job.strategy}, seed ${job.seed}`;
        throw new UnfinishedRun(`Cannot finish the run of ${which}`, { cause });
      });
      results.push(result);
      onResult(job, result);
    }
    return results;
  }
}
