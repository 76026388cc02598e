import { isMainThread, Worker } from "node:worker_threads";

const BEAT_EVERY_MS = 200;
/** The worker's file has the extension of this one: .ts unbuilt, .js built. */
const WORKER_FILE = import.meta.url.replace(/hang-watch(\.[jt]s)$/, "hang-watcher$1");

/** What the watching thread receives. */
export interface HangWatch {
  /** One number, which this thread increments for as long as it is responsive. */
  readonly beats: SharedArrayBuffer;
  /** Whether the watched thread is the main thread, the only one that a debugger can reach. */
  readonly isMainThread: boolean;
  /** The exit code of a process that hangs. */
  readonly exitCode: number;
}

/**
 * Watches this thread from another one, which can end the process when code under test blocks this
 * thread in an endless loop.
 */
export function watchForHang(exitCode: number): Disposable {
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(beats);
  const workerData: HangWatch = { beats, isMainThread, exitCode };
  const worker = new Worker(new URL(WORKER_FILE), { workerData });
  worker.unref();
  const beat = setInterval(() => Atomics.add(count, 0, 1), BEAT_EVERY_MS);
  beat.unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(beat);
      void worker.terminate();
    },
  };
}
