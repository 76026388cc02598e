import type { Wire } from "./broker.ts";

/**
 * Those who wait at a broker for something new.
 *
 * Holds: `ring` wakes all who wait, one instant later; a wait ends at its time or with its signal,
 * whatever comes first, and that of a dead incarnation never.
 */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  ring(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves when rung, after `ms`, or when `signal` aborts. */
  wait(wire: Wire, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => void wire.after(1, done);
      const timer = wire.clock.setTimer(ms, done);
      const waiting = this.#waiting;
      function done(): void {
        wire.clock.clearTimer(timer);
        waiting.delete(wake);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      waiting.add(wake);
      if (signal?.aborted === true) done();
      else signal?.addEventListener("abort", done, { once: true });
    });
  }
}
