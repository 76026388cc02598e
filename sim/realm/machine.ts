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
  readonly process?: {
    readonly _tickCallback?: () => void;
    readonly getBuiltinModule?: (name: string) => unknown;
  };
}

const { setImmediate, scheduler, process } = globalThis as unknown as Machine;

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

/**
 * Finishes pending promise work and ticks when it is called in a macrotask; undefined where the
 * runtime has nothing of that kind.
 *
 * Why so: Node calls it itself between two timers; only its documentation deprecates it (DEP0134).
 * Bun has a function of its own, and one of Node's name that does nothing.
 */
export const drainTicks: (() => void) | undefined = drainOf(process);

function drainOf(host: Machine["process"]): (() => void) | undefined {
  const bun = host?.getBuiltinModule?.("bun:jsc") as
    | { readonly drainMicrotasks?: () => void }
    | undefined;
  return bun?.drainMicrotasks ?? host?._tickCallback;
}
