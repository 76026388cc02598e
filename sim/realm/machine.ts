/**
 * What the machine itself does, for the kit's own needs during a run.
 *
 * `install.ts` imports this file, which imports no other of the kit: it is evaluated before any gate
 * is in place, in whatever order somebody loads the kit (`faultlane/virtual` first, for example).
 */
import { withGlobal } from "@sinonjs/fake-timers";

interface Machine {
  readonly setImmediate?: (fn: () => void) => unknown;
  readonly scheduler?: { readonly postTask?: (fn: () => void) => Promise<unknown> };
}

const { setImmediate, scheduler } = globalThis as unknown as Machine;

/** The machine's timers; fired by the wall clock. */
export const setRealTimeout: typeof setTimeout = globalThis.setTimeout;
export const clearRealTimeout: typeof clearTimeout = globalThis.clearTimeout;

/** Makes virtual clocks from the real globals. */
export const FAKES: ReturnType<typeof withGlobal> = withGlobal(globalThis);

/** Calls `fn` in a macrotask; undefined where the runtime has no `setImmediate` (a browser). */
export const nextMacrotask: ((fn: () => void) => unknown) | undefined = setImmediate;

/** As `nextMacrotask`, in a browser. */
export const postTask: ((fn: () => void) => Promise<unknown>) | undefined =
  scheduler?.postTask?.bind(scheduler);
