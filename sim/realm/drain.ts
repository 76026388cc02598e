import { drainTicks, nextMacrotask, postTask } from "./machine.ts";

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

/**
 * Finishes all pending promise work, and what `process.nextTick` was called with, before it returns.
 *
 * @returns false where a callback threw: the rest is left for later, and the macrotask has to end
 */
export type DrainNow = () => boolean;

let isProven: boolean | undefined;

/**
 * Calls `fn` in a macrotask of its own with a function that drains promise work without a hop, where
 * the runtime has one; elsewhere at once and without it.
 *
 * Why so: hops through the event loop took half of the time of a world of tasks. Node and Bun have
 * such a function, Deno and browsers have none. It is tried once before it is used.
 *
 * @returns what `fn` returns; rejects with what it throws
 */
export async function inMacrotask<T>(fn: (drainNow: DrainNow | undefined) => T): Promise<T> {
  if (drainTicks === undefined || nextMacrotask === undefined || isProven === false) {
    return fn(undefined);
  }
  return await new Promise<T>((resolve, reject) => {
    nextMacrotask?.(() => {
      const thrown: unknown[] = [];
      const drainIt = (): boolean => {
        try {
          drainTicks?.();
        } catch (error) {
          thrown.push(error);
        }
        return thrown.length === 0;
      };
      try {
        isProven ??= drains(drainIt);
        resolve(fn(isProven ? drainIt : undefined));
      } catch (error) {
        reject(error);
      }
      // Only the runtime itself can clean up after a tick that threw, and report it as uncaught.
      if (thrown.length > 0) throw thrown[0];
    });
  });
}

function drains(drainIt: DrainNow): boolean {
  let isDone = false;
  const work = Promise.resolve().then(() => Promise.resolve());
  void work.then(() => void (isDone = true));
  return drainIt() && isDone;
}

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
