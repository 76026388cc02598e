import { type Clock, sleep } from "../../src/time/mod.ts";
import type { Life } from "../hosts/host.ts";
import type { JobDescription, JobRequest, JobResult } from "./job.ts";
import type { JobId } from "./job-id.ts";
import type { JobQuery, JobSystem } from "./job-system.ts";

/** What an operator asks for; whom it is for is known from the client. */
export type JobOrder = Omit<JobRequest, "owner">;

/**
 * A job system as one process talks to it.
 *
 * Holds: each method is one call at its site; what the system refuses is one of the errors of
 * `job-errors.ts`, what befalls the call on its way is not.
 */
export class JobClient {
  readonly #life: Life;
  readonly #system: JobSystem;
  readonly #task: string;
  readonly #attempt: number | undefined;

  /**
   * `task` is the logical task key that the accounts are kept under; `attempt`, if given, is traced
   * before whatever the system tells of a call.
   */
  constructor(life: Life, system: JobSystem, task: string, attempt?: number) {
    this.#life = life;
    this.#system = system;
    this.#task = task;
    this.#attempt = attempt;
  }

  /** The clock of the process that it talks for. */
  get clock(): Clock {
    return this.#life.clock;
  }

  async submit(order: JobOrder): Promise<JobId> {
    const request = { ...order, owner: this.#task };
    const id = await this.#call("job.submit", (system) => system.submit(request));
    const { submitLatencyMs } = this.#system.knobs;
    if (submitLatencyMs > 0) await sleep(this.#life.clock, submitLatencyMs);
    return id;
  }

  status(id: unknown): Promise<string> {
    return this.#call("job.status", (system) => system.status(id, this.#task));
  }

  /** The status, and whose job it is. */
  describe(id: unknown): Promise<JobDescription<JobId>> {
    return this.#call("job.status", (system) => system.describe(id, this.#task));
  }

  /** What the system remembers, oldest first. */
  find(query: JobQuery): Promise<readonly JobDescription<JobId>[]> {
    return this.#call("job.status", (system) => system.find(query));
  }

  result(id: unknown): Promise<JobResult> {
    return this.#call("job.result", (system) => system.result(id, this.#task));
  }

  cancel(id: unknown): Promise<void> {
    return this.#call("job.cancel", (system) => system.cancel(id, this.#task));
  }

  #call<T>(site: JobSite, effect: (system: JobSystem) => T): Promise<T> {
    const system = this.#system;
    return this.#life.call(site, system.name, () => {
      if (this.#attempt !== undefined) {
        this.#life.trace({ kind: "job-call", attempt: this.#attempt });
      }
      return effect(system);
    });
  }
}

type JobSite = "job.submit" | "job.status" | "job.result" | "job.cancel";
