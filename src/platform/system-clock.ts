import type { Clock } from "../time/mod.ts";

/**
 * The runtime's own time: monotonic from `performance.now()`, wall time from `Date.now()`.
 *
 * Units: milliseconds, with fractions where the runtime has them.
 */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  wallNow: () => Date.now(),
  setTimer: (ms: number, fn: () => void) => setTimeout(fn, ms),
  clearTimer: (handle: object | number) =>
    clearTimeout(handle as Parameters<typeof clearTimeout>[0]),
});
