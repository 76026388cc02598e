import type { Reply, Request, Result, WorkerSetup } from "./messages.ts";

/** What a caller wants to know meanwhile. */
interface Listeners {
  readonly onProgress?: (words: string) => void;
  readonly onFound?: (found: Extract<Reply, { kind: "found" }>["found"]) => void;
}

/** Thrown by `ask` when the work was stopped. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** A worker with the simulator, which does one thing at a time. */
export class Simulator {
  readonly #url: string;
  readonly #setup: WorkerSetup;
  #worker: Worker;
  #stop: (() => void) | undefined;

  constructor(script: string, setup: WorkerSetup) {
    this.#url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#setup = setup;
    this.#worker = this.#start();
  }

  /**
   * @throws {Stopped} when `stop` was called
   * @throws {Error} with what the worker says
   */
  ask(request: Request, { onProgress, onFound }: Listeners = {}): Promise<Result> {
    this.stop();
    return new Promise((resolve, reject) => {
      const listening = new AbortController();
      const { signal } = listening;
      const finish = (settle: () => void): void => {
        listening.abort();
        this.#stop = undefined;
        settle();
      };
      this.#stop = () => finish(() => reject(new Stopped("Stopped")));
      const onMessage = ({ data }: MessageEvent<Reply>): void => {
        if (data.kind === "progress") onProgress?.(data.words);
        else if (data.kind === "found") onFound?.(data.found);
        else if (data.kind === "done") finish(() => resolve(data.result));
        else finish(() => reject(new Error(data.words)));
      };
      const onError = (event: ErrorEvent): void => {
        event.preventDefault();
        finish(() => reject(new Error(event.message)));
      };
      this.#worker.addEventListener("message", onMessage, { signal });
      this.#worker.addEventListener("error", onError, { signal });
      this.#worker.postMessage(request, []);
    });
  }

  /** Ends what is being done, also a loop that never ends: a new worker takes its place. */
  stop(): void {
    if (this.#stop === undefined) return;
    this.#worker.terminate();
    this.#worker = this.#start();
    this.#stop();
  }

  #start(): Worker {
    const worker = new Worker(this.#url);
    worker.postMessage(this.#setup, []);
    return worker;
  }
}
