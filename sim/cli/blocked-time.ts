import type { ThreadTimes } from "./thread-times.ts";

/** How often the watching thread looks, in real milliseconds. */
export const CHECK_EVERY_MS = 500;
/**
 * Where the system does not say what a thread waits for, a check in which it took no processor time
 * counts for this part of one: it may wait for a processor as well.
 */
const UNKNOWN_WAIT_PART = 10;

/** What the watching thread sees of the other one. */
export interface ThreadSample {
  /** How often the thread has reached its event loop. */
  readonly beats: number;
  /** Undefined where the system does not say it of a single thread. */
  readonly times: ThreadTimes | undefined;
  /** The processor time of the whole process, in milliseconds. */
  readonly processCpuMs: number;
}

/**
 * For how long a thread has blocked: the processor time that it took since it last reached its
 * event loop, and the time that it spent waiting for something else than a processor.
 *
 * Holds: a thread that the machine does not let run does not block, however long that lasts.
 */
export class BlockedTime {
  #last: ThreadSample | undefined;
  #ms = 0;

  /** Adds a sample, one every `CHECK_EVERY_MS`, and returns the blocked time in milliseconds. */
  add(sample: ThreadSample): number {
    const last = this.#last;
    this.#last = sample;
    if (last === undefined || last.beats !== sample.beats) this.#ms = 0;
    else this.#ms += blockedBetween(last, sample);
    return this.#ms;
  }

  /** Begins anew, as if the thread had just reached its event loop. */
  reset(): void {
    this.#ms = 0;
  }
}

function blockedBetween(last: ThreadSample, sample: ThreadSample): number {
  const { times } = sample;
  if (times === undefined || last.times === undefined) {
    const cpuMs = sample.processCpuMs - last.processCpuMs;
    return Math.max(cpuMs, CHECK_EVERY_MS / UNKNOWN_WAIT_PART);
  }
  const cpuMs = times.cpuMs - last.times.cpuMs;
  return cpuMs === 0 && times.isWaiting ? CHECK_EVERY_MS : cpuMs;
}
