import type { Clock } from "../time/mod.ts";

/**
 * The runtime's clock: monotonic time from `performance.now()`, wall time from `Date.now()`.
 *
 * Units: milliseconds, with fractions where the runtime has them.
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
  setTimer: (ms: number, fn: () => void) => setTimeout(fn, ms),
  clearTimer: (handle: object | number) =>
    clearTimeout(handle as Parameters<typeof clearTimeout>[0]),
});
