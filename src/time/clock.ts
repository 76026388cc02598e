/** Identifies a timer of one clock: what `setTimer` returns and `clearTimer` takes. */
export type TimerHandle = object | number;

/**
 * The port through which the package asks for time.
 *
 * Units: milliseconds.
 * Holds: reading a clock has no effect; timers that are due at the same instant fire in the order
 * in which they were set.
 */
export interface Clock {
  /** Returns a monotonic time that counts from an arbitrary origin, in milliseconds. */
  now(): number;
  /**
   * Returns the time since the Unix epoch in milliseconds, which may jump, also back, and drift. It
   * is an instant: a change of daylight saving does not move it.
   */
  wallNow(): number;
  /** Calls `fn` once after `ms` milliseconds. */
  setTimer(ms: number, fn: () => void): TimerHandle;
  /** Cancels a timer; one that has fired or was cancelled is ignored. */
  clearTimer(handle: TimerHandle): void;
}

/**
 * Waits `ms` milliseconds on `clock`.
 *
 * Holds: leaves neither a timer nor an abort listener behind, whichever way it ends.
 *
 * @throws the signal's reason, unwrapped, when `signal` aborts first
 *
 * @example
 * ```ts
 * import { sleep } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const startedAt = systemClock.now();
 * await sleep(systemClock, 20);
 * console.log(systemClock.now() - startedAt >= 19); // => true
 * ```
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const handle = clock.setTimer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    function onAbort(): void {
      clock.clearTimer(handle);
      reject(signal?.reason as Error);
    }
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
