import type { Clock } from "../time/mod.ts";

type Timeout = ReturnType<typeof setTimeout>;

/** A runtime takes a longer delay, 24.9 days, for none: its timer fires at once. */
const DELAY_MAX = 0x7fffffff;

/** A timer that is longer than those of the runtime: it is set anew each time that one fires. */
class LongTimer {
  readonly #dueAt: number;
  readonly #fn: () => void;
  #timeout: Timeout;

  constructor(ms: number, fn: () => void) {
    this.#dueAt = performance.now() + ms;
    this.#fn = fn;
    this.#timeout = this.#wait(ms);
  }

  clear(): void {
    clearTimeout(this.#timeout);
  }

  #wait(ms: number): Timeout {
    if (ms <= DELAY_MAX) return setTimeout(this.#fn, ms);
    return setTimeout(() => {
      this.#timeout = this.#wait(this.#dueAt - performance.now());
    }, DELAY_MAX);
  }
}

/**
 * The runtime's clock: monotonic time from `performance.now()`, wall time from `Date.now()`.
 *
 * Units: milliseconds, with fractions where the runtime has them.
 * Holds: a timer may be of any length. Those of the runtime fire at once from 2^31 ms on, as would
 * the timeout of a deferral for a month.
 *
 * @example
 * ```ts
 * import { systemClock } from "faultlane/platform";
 *
 * const handle = systemClock.setTimer(60_000, () => console.log("a minute later"));
 * systemClock.clearTimer(handle);
 * ```
 */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  wallNow: () => Date.now(),
  setTimer: (ms: number, fn: () => void) =>
    ms > DELAY_MAX ? new LongTimer(ms, fn) : setTimeout(fn, ms),
  clearTimer: (handle: object | number) => {
    if (handle instanceof LongTimer) handle.clear();
    else clearTimeout(handle as Timeout);
  },
});
