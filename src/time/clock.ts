/** What `setTimer` answers and `clearTimer` takes; its inside belongs to the clock. */
export type TimerHandle = object | number;

/**
 * The port through which everything in `src` asks for time.
 *
 * Units: milliseconds. `now()` is monotonic and counts from an arbitrary origin; `wallNow()` counts
 * from the Unix epoch and may jump. Reading a clock has no effect.
 * Holds: timers that are due at the same instant fire in the order in which they were set.
 */
export interface Clock {
  now(): number;
  wallNow(): number;
  setTimer(ms: number, fn: () => void): TimerHandle;
  clearTimer(handle: TimerHandle): void;
}

/**
 * Waits `ms` milliseconds on `clock`.
 *
 * Holds: leaves neither a timer nor an abort listener behind, whichever way it ends.
 *
 * @throws the signal's reason, unwrapped, when `signal` aborts first
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
