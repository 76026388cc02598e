import { type Clock, sleep } from "../../src/time/mod.ts";
import type { Life } from "../hosts/life.ts";
import type { JobDescription, JobRequest, JobResult } from "./job.ts";
import type { JobId } from "./job-id.ts";
import type { JobAsker, JobQuery } from "./job-query.ts";
import type { JobSystem } from "./job-system.ts";

/** A job that an operator submits; its owner is the client's task. */
export type JobOrder = Omit<JobRequest, "owner">;

/**
 * The client of a job system in one process.
 *
 * Holds: each method is one call at its site. It rejects with a job error (`JobNotFound`,
 * `JobConflict`, `JobRejected`, ...) when the system refuses, and with another error when the call
 * itself fails.
 *
 * @example A job on the client that `checkResumableJob` passes to its factory
 * ```ts
 * import type { JobClient, JobId } from "faultlane/check";
 *
 * class NightlyBatch {
 *   readonly #client: JobClient;
 *   readonly #run: string;
 *
 *   constructor(client: JobClient, run: string) {
 *     this.#client = client;
 *     this.#run = run;
 *   }
 *
 *   submitJob(): Promise<JobId> {
 *     return this.#client.submit({ jobType: "batch", idempotencyKey: this.#run });
 *   }
 * }
 * console.log(NightlyBatch.name); // => NightlyBatch
 * ```
 */
export class JobClient {
  readonly #life: Life;
  readonly #system: JobSystem;
  readonly #task: string;
  readonly #attempt: number;

  /**
   * `task` is the logical task key that jobs are submitted for. `attempt` is the attempt that calls,
   * 0 if it is none; the replies that reach an attempt are traced.
   */
  constructor(life: Life, system: JobSystem, task: string, attempt = 0) {
    this.#life = life;
    this.#system = system;
    this.#task = task;
    this.#attempt = attempt;
  }

  /** The clock of the process. */
  get clock(): Clock {
    return this.#life.clock;
  }

  /**
   * Submits a job, and resolves with its id; null where the system has no ids.
   *
   * @throws {JobRejected} when the system does not accept it
   * @throws {JobConflict} when the chosen id or name is taken
   */
  submit(order: JobOrder): Promise<JobId> {
    const request = { ...order, owner: this.#task };
    const { submitLatencyMs } = this.#system.knobs;
    return this.#traced("submit", wordOfId, async () => {
      const id = await this.#call("job.submit", (system, _lies, isCopy) =>
        system.submit(request, this.#attempt, isCopy),
      );
      if (submitLatencyMs > 0) await sleep(this.#life.clock, submitLatencyMs);
      return id;
    });
  }

  /**
   * Resolves with the status, in the system's own words.
   *
   * @throws {JobMismatch} when the system answers about another job
   * @throws {JobNotFound} when the system does not know the job
   */
  status(id: unknown): Promise<string> {
    return this.#traced(
      "status",
      (word) => word,
      () => this.#call("job.status", (system, lies) => system.status(id, this.#asker(lies))),
    );
  }

  /**
   * Resolves with the status and the other properties of a job. That the answer is about the job
   * that was asked for is for its caller to see, by the id.
   *
   * @throws {JobNotFound} when the system does not know the job
   */
  describe(id: unknown): Promise<JobDescription<JobId>> {
    return this.#traced(
      "status",
      ({ status }) => status,
      () => this.#call("job.status", (system, lies) => system.describe(id, this.#asker(lies))),
    );
  }

  /** Resolves with the jobs that the system knows and that match the query, oldest first. */
  find(query: JobQuery): Promise<readonly JobDescription<JobId>[]> {
    return this.#traced(
      "status",
      (found) => found.at(-1)?.status ?? "",
      () => this.#call("job.status", (system) => system.find(query)),
    );
  }

  /**
   * Resolves with the result of a job that has succeeded.
   *
   * @throws {JobNotFound} when the system does not know the job
   * @throws {NoJobResult} when the job has no result, or none yet
   * @throws {JobResultGone} when the result is not kept any more
   */
  result(id: unknown): Promise<JobResult> {
    return this.#call("job.result", (system) => system.result(id, this.#task, this.#attempt));
  }

  /**
   * Requests the cancellation of a job; resolves when the request was accepted.
   *
   * @throws {JobNotFound} when the system does not know the job
   * @throws {JobCancelFailed} when the system refuses
   */
  cancel(id: unknown): Promise<void> {
    return this.#traced("cancel", noWord, () =>
      this.#call("job.cancel", (system) => system.cancel(id, this.#task, this.#attempt)),
    );
  }

  #call<T>(
    site: JobSite,
    effect: (system: JobSystem, lies: boolean, isLateCopy: boolean) => T,
  ): Promise<T> {
    const system = this.#system;
    return this.#life.call(site, system.name, (...how) => effect(system, ...how));
  }

  #asker(isLiedTo: boolean): JobAsker {
    return { by: this.#task, attempt: this.#attempt, isLiedTo };
  }

  /** Traces the reply of a call before the attempt goes on with it. */
  async #traced<T>(call: JobCall, wordOf: (reply: T) => string, ask: () => Promise<T>): Promise<T> {
    if (this.#attempt === 0) return ask();
    try {
      const reply = await ask();
      this.#traceReply(call, wordOf(reply), "");
      return reply;
    } catch (error) {
      this.#traceReply(call, "", error instanceof Error ? error.name : typeof error);
      throw error;
    }
  }

  #traceReply(call: JobCall, word: string, error: string): void {
    this.#life.trace({ kind: "job-reply", attempt: this.#attempt, call, word, error });
  }
}

type JobSite = "job.submit" | "job.status" | "job.result" | "job.cancel";
type JobCall = "submit" | "status" | "cancel";

function wordOfId(id: JobId): string {
  return id === null ? "no id" : "";
}

function noWord(): string {
  return "";
}
