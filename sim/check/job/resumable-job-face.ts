import type { ResumableJob } from "../../../src/resumable/mod.ts";
import type { Life } from "../../hosts/life.ts";
import type { JobDescription, JobResult } from "../../jobs/job.ts";
import { JobClient, type JobOrder } from "../../jobs/job-client.ts";
import type { JobId } from "../../jobs/job-id.ts";
import type { JobQuery, JobSystem } from "../../jobs/job-system.ts";
import type { JobWitness } from "./resumable-job-witness.ts";

/** The client that the user's job is given, with each of its calls heard. */
export class HeardJobClient extends JobClient {
  readonly #witness: JobWitness;

  constructor(life: Life, system: JobSystem, task: string, witness: JobWitness) {
    super(life, system, task);
    this.#witness = witness;
  }

  override async submit(order: JobOrder): Promise<JobId> {
    this.#witness.calls();
    const id = await super.submit(order);
    this.#witness.answered();
    return id;
  }

  override status(id: unknown): Promise<string> {
    return this.#look(
      () => super.status(id),
      (word) => word,
    );
  }

  override describe(id: unknown): Promise<JobDescription<JobId>> {
    return this.#look(
      () => super.describe(id),
      ({ status }) => status,
    );
  }

  override find(query: JobQuery): Promise<readonly JobDescription<JobId>[]> {
    return this.#look(
      () => super.find(query),
      (found) => found.at(-1)?.status,
    );
  }

  override result(id: unknown): Promise<JobResult> {
    this.#witness.calls();
    return super.result(id);
  }

  override async cancel(id: unknown): Promise<void> {
    this.#witness.calls();
    try {
      await super.cancel(id);
    } catch (error) {
      this.#witness.cancelFailed();
      throw error;
    }
  }

  async #look<T>(ask: () => Promise<T>, wordOf: (answer: T) => string | undefined): Promise<T> {
    this.#witness.calls();
    try {
      const answer = await ask();
      const word = wordOf(answer);
      this.#witness.lookEnded(word === undefined ? {} : { word });
      return answer;
    } catch (error) {
      const name = error instanceof Error ? error.name : String(error);
      this.#witness.lookEnded({ error: name });
      throw error;
    }
  }
}

/** The user's job as the mixin calls it, with what it says heard; what it lacks stays away. */
export function heardJob(
  job: ResumableJob<unknown, unknown>,
  witness: JobWitness,
): ResumableJob<unknown, unknown> {
  const heard: ResumableJob<unknown, unknown> = {
    submitJob: (ctx) => job.submitJob(ctx),
    async getJobStatus(id, ctx) {
      witness.lookBegins();
      const status = await job.getJobStatus(id, ctx);
      witness.told(status);
      return status;
    },
    async isJobActive(status) {
      const isActive = await job.isJobActive(status);
      if (isActive) witness.believes(status);
      return isActive;
    },
    async isJobSucceeded(status) {
      const isSucceeded = await job.isJobSucceeded(status);
      if (isSucceeded) witness.believes(status);
      return isSucceeded;
    },
    async pollUntilComplete(id, ctx) {
      witness.pollBegins();
      await job.pollUntilComplete(id, ctx);
      witness.polled();
    },
    getJobResult: (id, ctx) => job.getJobResult(id, ctx),
  };
  const given = job as unknown as Readonly<Record<string, unknown>>;
  const entries = Object.entries(heard).filter(([name]) => typeof given[name] === "function");
  return Object.fromEntries(entries) as unknown as ResumableJob<unknown, unknown>;
}
