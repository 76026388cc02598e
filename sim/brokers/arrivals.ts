import type { Wire } from "./broker.ts";

/**
 * Those who wait at a broker for something new.
 *
 * Holds: `ring` wakes all who wait, one instant later; a wait ends at its time or with its signal,
 * whatever comes first, and that of a dead incarnation never.
 */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  #rings = 0;

  /** How often it rang; taken at the broker when there was nothing, and given to `wait`. */
  get rings(): number {
    return this.#rings;
  }

  ring(): void {
    this.#rings += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /**
   * Resolves when it rang after the ring number `since`, after `ms`, or when `signal` aborts.
   *
   * Why so: whoever was told that there is nothing hears of it later, and may have missed a ring.
   */
  wait(wire: Wire, ms: number, signal?: AbortSignal, since: number = this.#rings): Promise<void> {
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
      else if (since < this.#rings) wake();
      else signal?.addEventListener("abort", done, { once: true });
    });
  }
}
