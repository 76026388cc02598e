import { textFromJobId } from "../../jobs/job-id.ts";
import type { JobRequest } from "../../jobs/job.ts";
import { JobConflict, JobRejected } from "../../jobs/job-errors.ts";
import type { JobSystem } from "../../jobs/job-system.ts";
import type { Trace } from "../../trace/trace.ts";

/** The jobs that the system accepted from one task, by their ids and keys. */
export class OwnJobs {
  readonly #ids = new Set<string>();
  readonly #keys: string[] = [];
  readonly #live = new Set<number>();

  constructor(trace: Trace, owner: string) {
    trace.listen((event) => {
      if (event.kind === "job-finished" || event.kind === "job-cancelled") {
        this.#live.delete(event.job);
      }
      if (event.kind !== "job-accepted" || event.task !== owner) return;
      this.#live.add(event.job);
      if (event.id !== "") this.#ids.add(event.id);
      this.#keys.push(event.key);
    });
  }

  /** How many jobs there were. */
  get count(): number {
    return this.#keys.length;
  }

  /** How many of them are not over. */
  get live(): number {
    return this.#live.size;
  }

  /** The idempotency keys and chosen ids, newest first; empty where a job had none. */
  keys(): readonly string[] {
    return this.#keys.toReversed();
  }

  /** Writes a result as text in which it does not matter which of the jobs made it. */
  textFrom(result: unknown): string {
    const text = JSON.stringify(result, (_key, value: unknown) => {
      const word = typeof value === "bigint" ? String(value) : value;
      return this.#ids.has(textFromJobId(word)) ? "the job's id" : word;
    });
    return text ?? String(result);
  }
}

/** Other users of the same system. */
export class OtherSubmitters {
  readonly #system: JobSystem;
  readonly #jobs: OwnJobs;
  #count = 0;

  constructor(system: JobSystem, jobs: OwnJobs) {
    this.#system = system;
    this.#jobs = jobs;
  }

  /** Submits a job; where names are free again, under a name that the task had. */
  submit(): void {
    this.#count += 1;
    const owner = `other/${this.#count}`;
    const isNamed = this.#system.knobs.idKind === "object";
    const names = isNamed ? [...this.#jobs.keys(), owner] : [owner];
    for (const clientId of names) {
      try {
        this.#system.submit({ owner, jobType: "batch", tag: owner, clientId });
        return;
      } catch (error) {
        if (!(error instanceof JobConflict)) return;
      }
    }
  }

  /** Submits what another run of the task submits. The system may refuse some: that run has failed. */
  submitAgain(orders: readonly JobRequest[]): void {
    for (const order of orders) {
      try {
        this.#system.submit(order);
      } catch (error) {
        if (!(error instanceof JobConflict || error instanceof JobRejected)) throw error;
      }
    }
  }
}
