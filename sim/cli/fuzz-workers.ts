import { Worker } from "node:worker_threads";
import type { Batch } from "../search/campaign.ts";
import { UnfinishedRun } from "../search/execute.ts";
import type { Job, JobResult } from "../search/job.ts";
import { WrongInput } from "./output.ts";
import type { ScenarioFile } from "./scenario-files.ts";

/** What a worker is started with. */
export interface FuzzWorkerData {
  readonly files: readonly Omit<ScenarioFile, "parts">[];
}

/** What a worker receives: its share of a batch, and the features discovered so far. */
export type ToWorker = Batch;

export type FromWorker =
  | { readonly kind: "result"; readonly result: JobResult }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly error: WorkerError };

/** The error of a run as plain data, because an Error loses its class between threads. */
export interface WorkerError {
  readonly where: string;
  readonly isWrongInput: boolean;
  readonly text: string;
}

/** The worker's file has the extension of this one: .ts unbuilt, .js built. */
const WORKER_FILE = import.meta.url.replace(/fuzz-workers(\.[jt]s)$/, "fuzz-worker$1");

/**
 * Worker threads that share the runs of each batch.
 *
 * Holds: the results are in the order of the jobs, independent of which worker made them.
 */
export class FuzzWorkers {
  readonly #workers: readonly Worker[];

  constructor(files: readonly ScenarioFile[], count: number) {
    // The code under test cannot be sent: each worker loads its own.
    const workerData: FuzzWorkerData = {
      files: files.map(({ path, scenario }) => ({ path, scenario })),
    };
    this.#workers = Array.from({ length: count }, () => {
      return new Worker(new URL(WORKER_FILE), { workerData });
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
      await runOn(worker, { jobs: share, news }, (result) => {
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

function runOn(
  worker: Worker,
  message: ToWorker,
  onResult: (result: JobResult) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onMessage = (received: FromWorker): void => {
      if (received.kind === "result") {
        onResult(received.result);
        return;
      }
      worker.off("message", onMessage);
      worker.off("error", reject);
      if (received.kind === "done") resolve();
      else reject(errorFrom(received.error));
    };
    worker.on("message", onMessage);
    worker.on("error", reject);
    worker.postMessage(message, []);
  });
}

/** Restores the error of a worker; wrong input stays wrong input. */
function errorFrom({ where, isWrongInput, text }: WorkerError): Error {
  const cause = isWrongInput ? new WrongInput(text) : new Error(text);
  return new UnfinishedRun(where, { cause });
}
