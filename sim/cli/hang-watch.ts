import { Worker } from "node:worker_threads";

const BEAT_EVERY_MS = 200;
/** Unbuilt this is a .ts file, built a .js file, and so is the worker beside it. */
const WORKER_FILE = import.meta.url.replace(/hang-watch(\.[jt]s)$/, "hang-watcher$1");

/** What the watcher gets. */
export interface HangWatch {
  /** One number, which grows as long as this thread is alive. */
  readonly beats: SharedArrayBuffer;
  /** The exit code of a process that hangs. */
  readonly exitCode: number;
}

/**
 * Watches this thread from another one: code under test that never lets go of it, in a loop
 * without end, could be stopped by nobody else.
 */
export function watchForHang(exitCode: number): Disposable {
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(beats);
  const workerData: HangWatch = { beats, exitCode };
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
