import type { JobFact } from "./job-fact.ts";

const NO_KEYS: ReadonlySet<string> = new Set();

/** Which jobs' ids are in the store, and under which keys. */
export class StoredIds {
  readonly #keys = new Map<JobFact, Set<string>>();
  readonly #last = new Map<string, JobFact>();

  /** The keys under which the id of a job is in the store. */
  keysOf(job: JobFact): ReadonlySet<string> {
    return this.#keys.get(job) ?? NO_KEYS;
  }

  /** Of the jobs for one use of the mixin, the one that was stored last, while its id is stored. */
  lastOf(task: string, use: string): JobFact | undefined {
    const job = this.#last.get(JSON.stringify([task, use]));
    return job?.isRecorded === true ? job : undefined;
  }

  /** Notes that a key of a task holds the id of a job. */
  add({ task, key }: { readonly task: string; readonly key: string }, job: JobFact): void {
    const keys = this.#keys.get(job) ?? new Set<string>();
    this.#keys.set(job, keys.add(key));
    this.#last.set(JSON.stringify([task, job.use]), job);
    job.wasRecorded = true;
    job.isRecorded = true;
  }

  /** Takes the key of these jobs out of the store; undefined: every key. */
  remove(key: string | undefined, jobs: readonly JobFact[]): void {
    for (const job of jobs) {
      const keys = this.#keys.get(job);
      if (key === undefined) keys?.clear();
      else keys?.delete(key);
      job.isRecorded = keys !== undefined && keys.size > 0;
    }
  }
}
