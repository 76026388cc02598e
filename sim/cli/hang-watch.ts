import { isMainThread, Worker } from "node:worker_threads";
import { fileOfThreadTimes } from "./thread-times.ts";

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
  /** The file with the times of the watched thread; undefined where the system has none. */
  readonly threadTimes: string | undefined;
  /** What the code under test is called where nobody can say the line: its module. */
  readonly code: string;
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
 *
 * A loop counts as endless when it has taken 10 s of processor time without reaching the event
 * loop; so work is not taken for one because the machine is busy with something else.
 *
 * @param code - what the code under test is called where nobody can say the line
 */
export function watchForHang(exitCode: number, code: string): Disposable {
  watches += 1;
  stopWatching ??= startWatching(exitCode, code);
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

function startWatching(exitCode: number, code: string): () => void {
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(beats);
  const threadTimes = fileOfThreadTimes();
  const workerData: HangWatch = { beats, isMainThread, threadTimes, code, exitCode };
  const worker = new Worker(new URL(WORKER_FILE), { workerData });
  worker.unref();
  const beat = setInterval(() => Atomics.add(count, 0, 1), BEAT_EVERY_MS);
  beat.unref();
  return () => {
    clearInterval(beat);
    void worker.terminate();
  };
}
