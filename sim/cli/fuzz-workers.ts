import { Worker } from "node:worker_threads";
import type { Batch } from "../search/campaign.ts";
import { UnfinishedRun } from "../search/execute.ts";
import type { JobResult } from "../search/job.ts";
import { WrongInput } from "./output.ts";
import type { ScenarioFile } from "./scenario-files.ts";

/** What a worker is started with. */
export interface FuzzWorkerData {
  readonly files: readonly Omit<ScenarioFile, "parts">[];
}

/** What a worker receives: runs of a batch, and the features that it does not know yet. */
export type ToWorker = Batch;

export type FromWorker =
  | { readonly kind: "result"; readonly result: JobResult }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly error: WorkerError };

/** The error of a run as plain data, because an Error loses its class between threads. */
export interface WorkerError {
  /** Whether a run threw it, not the start of the worker. */
  readonly isOfRun: boolean;
  readonly isWrongInput: boolean;
  readonly text: string;
}

/** The worker's file has the extension of this one: .ts unbuilt, .js built. */
const WORKER_FILE = import.meta.url.replace(/fuzz-workers(\.[jt]s)$/, "fuzz-worker$1");

/**
 * Worker threads that share the runs of each batch: each takes the next one when it is free.
 */
export class FuzzWorkers {
  readonly #workers: readonly Worker[];
  readonly #names: readonly string[];
  /** Why a thread has ended, which can happen between two batches, too. */
  readonly #ends = new Map<Worker, RunThrew>();

  constructor(files: readonly ScenarioFile[], count: number) {
    // The code under test cannot be sent: each worker loads its own.
    const workerData: FuzzWorkerData = {
      files: files.map(({ path, scenario }) => ({ path, scenario })),
    };
    this.#names = files.map(({ scenario }) => scenario.name);
    this.#workers = Array.from({ length: count }, () => {
      return this.#watched(new Worker(new URL(WORKER_FILE), { workerData }));
    });
  }

  /**
   * Makes the runs of a batch; `onResult` is called after each with the place of its job.
   *
   * @throws {UnfinishedRun} when a run throws, or its worker ends
   */
  async execute(
    { jobs, news }: Batch,
    onResult: (at: number, result: JobResult) => void,
  ): Promise<void> {
    let next = 0;
    const shares = this.#workers.map(async (worker) => {
      await this.#runOn(worker, { jobs: [], news }, () => undefined);
      // One after the other: runs of different scenarios differ in length.
      while (next < jobs.length) {
        const at = next;
        next += 1;
        const message = { jobs: jobs.slice(at, at + 1), news: [] };
        await this.#runOn(worker, message, (result) => onResult(at, result));
      }
    });
    await Promise.all(shares);
  }

  async #runOn(
    worker: Worker,
    message: ToWorker,
    onResult: (result: JobResult) => void,
  ): Promise<void> {
    const [job] = message.jobs;
    try {
      const end = this.#ends.get(worker);
      if (end !== undefined) throw end;
      await runOn(worker, message, onResult);
    } catch (error) {
      if (!(error instanceof RunThrew) || job === undefined) throw error;
      throw new UnfinishedRun(this.#names[job.subject] ?? "", job, error.cause);
    }
  }

  #watched(worker: Worker): Worker {
    worker.on("error", (cause) => this.#ends.set(worker, failureOf(cause)));
    worker.on("exit", (code) => {
      if (!this.#ends.has(worker)) this.#ends.set(worker, exitOf(code));
    });
    return worker;
  }

  /** Ends the workers at once, whatever they are at. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** The run that a worker was at did not end; `cause` says why. */
class RunThrew extends Error {
  override readonly name = "RunThrew";
}

function failureOf(cause: unknown): RunThrew {
  return new RunThrew("The thread failed", { cause });
}

function exitOf(code: number): RunThrew {
  const cause = new Error(`The thread of the run ended, with exit code ${code}`);
  return new RunThrew(cause.message, { cause });
}

function runOn(
  worker: Worker,
  message: ToWorker,
  onResult: (result: JobResult) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const listeners = {
      message(received: FromWorker): void {
        if (received.kind === "result") onResult(received.result);
        else if (received.kind === "done") end(resolve);
        else end(() => reject(errorFrom(received.error)));
      },
      error(cause: unknown): void {
        end(() => reject(failureOf(cause)));
      },
      exit(code: number): void {
        end(() => reject(exitOf(code)));
      },
    };
    const end = (settle: () => void): void => {
      for (const [name, listener] of Object.entries(listeners)) worker.off(name, listener);
      settle();
    };
    for (const [name, listener] of Object.entries(listeners)) worker.on(name, listener);
    worker.postMessage(message, []);
  });
}

/** Restores the error of a worker; wrong input stays wrong input. */
function errorFrom({ isOfRun, isWrongInput, text }: WorkerError): Error {
  const cause = isWrongInput ? new WrongInput(text) : new Error(text);
  return isOfRun ? new RunThrew(text, { cause }) : cause;
}
