import { Worker } from "node:worker_threads";
import type { Scenario } from "../scenario/scenario.ts";
import type { Batch } from "../search/campaign.ts";
import { UnfinishedRun } from "../search/execute.ts";
import type { Job, JobResult } from "../search/job.ts";

/** What a worker is asked: its share of a batch, and what everybody has learnt. */
export type ToWorker = Batch;

export type FromWorker =
  | { readonly kind: "result"; readonly result: JobResult }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly error: WorkerError };

/** Why a run did not come to its end; an error itself does not cross threads whole. */
export interface WorkerError {
  readonly where: string;
  readonly name: string;
  readonly text: string;
}

/** Unbuilt this is a .ts file, built a .js file, and so is the worker beside it. */
const WORKER_FILE = import.meta.url.replace(/fuzz-workers(\.[jt]s)$/, "fuzz-worker$1");

/**
 * Threads that share the runs of each batch.
 *
 * Holds: the results come back in the order of the jobs, whoever made which.
 */
export class FuzzWorkers {
  readonly #workers: readonly Worker[];

  constructor(scenarios: readonly Scenario[], count: number) {
    this.#workers = Array.from({ length: count }, () => {
      return new Worker(new URL(WORKER_FILE), { workerData: { scenarios } });
    });
  }

  async execute(
    { jobs, news }: Batch,
    onResult: (job: Job, result: JobResult) => void,
  ): Promise<readonly JobResult[]> {
    const results: JobResult[] = [];
    const shares = this.#workers.map(async (worker, first) => {
      const places = [...jobs.keys()].filter((at) => at % this.#workers.length === first);
      const share = places.map((at) => jobs[at] as Job);
      let done = 0;
      await ask(worker, { jobs: share, news }, (result) => {
        const at = places[done] as number;
        done += 1;
        results[at] = result;
        onResult(jobs[at] as Job, result);
      });
    });
    await Promise.all(shares);
    return results;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function ask(
  worker: Worker,
  message: ToWorker,
  onResult: (result: JobResult) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const hear = (answer: FromWorker): void => {
      if (answer.kind === "result") {
        onResult(answer.result);
        return;
      }
      worker.off("message", hear);
      worker.off("error", reject);
      if (answer.kind === "done") resolve();
      else reject(errorFrom(answer.error));
    };
    worker.on("message", hear);
    worker.on("error", reject);
    worker.postMessage(message, []);
  });
}

/** A wrong scenario is wrong input, whichever thread found out. */
function errorFrom({ where, name, text }: WorkerError): Error {
  const cause = name === "RangeError" ? new RangeError(text) : new Error(text);
  return new UnfinishedRun(where, { cause });
}
