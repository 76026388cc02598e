import { nextMacrotask, postTask } from "./machine.ts";

/**
 * Lets all pending promise work finish: one macrotask hop of the machine itself.
 *
 * Holds: when `drain()` resolves, no microtask is left, however deeply the awaits were nested. One
 * hop takes about 5 µs on Node.
 *
 * Why so: `setImmediate` drained every kind of promise work on Node, Deno and Bun; `MessageChannel`
 * left half of it on Deno; `setTimeout(0)` costs over 1 ms. A browser has no `setImmediate` and gets
 * `scheduler.postTask`.
 */
export const drain: () => Promise<void> = hop();

function hop(): () => Promise<void> {
  if (nextMacrotask !== undefined) {
    return () => new Promise<void>((resolve) => void nextMacrotask?.(resolve));
  }
  if (postTask !== undefined) {
    return () => new Promise<void>((resolve) => void postTask?.(resolve));
  }
  throw new TypeError(
    "Cannot drain promise work: this runtime has no setImmediate and no postTask",
  );
}
