const LOOK_EVERY_MS = 200;
/** Below this much processor time between two looks, the process does nothing but look. */
const IDLE_CPU_MS_MAX = 20;
/** After so many looks in a row, the process is idle; one that does not get to look is not. */
const IDLE_LOOKS_MIN = 50;

/** Counts for how long a process has done nothing. */
export class IdleCount {
  #cpuMs: number | undefined;
  #looks = 0;

  /** Takes the processor time of the process so far; returns whether it is idle for good. */
  look(cpuMs: number): boolean {
    const last = this.#cpuMs;
    this.#cpuMs = cpuMs;
    this.#looks = last !== undefined && cpuMs - last < IDLE_CPU_MS_MAX ? this.#looks + 1 : 0;
    return this.#looks >= IDLE_LOOKS_MIN;
  }
}

/**
 * Calls `onIdle` once the process has done nothing for 10 s: what it waits for does not come. On
 * Deno, an import that never settles keeps the event loop alive for good.
 */
export function watchForIdleness(onIdle: () => void): Disposable {
  const count = new IdleCount();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (count.look((user + system) / 1_000)) onIdle();
  }, LOOK_EVERY_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
