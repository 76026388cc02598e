import { isMainThread, Worker } from "node:worker_threads";

const BEAT_EVERY_MS = 200;
/** Under this name the watching thread finds the real exit, in the middle of a run. */
export const REAL_EXIT = "faultlane: exit";
Reflect.set(globalThis, Symbol.for(REAL_EXIT), Reflect.get(process, "reallyExit"));
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

/** How many watch now, and what ends the watching. */
let watches = 0;
let stopWatching: (() => void) | undefined;

/**
 * Watches this thread from another one until disposed of, or else until the process ends, which it
 * can end itself when code under test blocks this thread in an endless loop. Watches may overlap:
 * the exit code is that of the first.
 */
export function watchForHang(exitCode: number): Disposable {
  watches += 1;
  stopWatching ??= startWatching(exitCode);
  let isOver = false;
  return {
    [Symbol.dispose]() {
      if (isOver) return;
      isOver = true;
      watches -= 1;
      if (watches > 0) return;
      stopWatching?.();
      stopWatching = undefined;
    },
  };
}

function startWatching(exitCode: number): () => void {
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(beats);
  const workerData: HangWatch = { beats, isMainThread, exitCode };
  const worker = new Worker(new URL(WORKER_FILE), { workerData });
  worker.unref();
  const beat = setInterval(() => Atomics.add(count, 0, 1), BEAT_EVERY_MS);
  beat.unref();
  return () => {
    clearInterval(beat);
    void worker.terminate();
  };
}
