import type { ClientPort } from "./broker.ts";

/**
 * Wakes the consumers that wait at a broker for new records.
 *
 * Holds: a wait ends one instant after a notification, after its time, or when its signal aborts,
 * whichever comes first; a wait of a crashed client never ends.
 *
 * @example
 * ```ts
 * import { Arrivals } from "faultlane/brokers";
 *
 * const arrivals = new Arrivals();
 * const before = arrivals.version;
 * arrivals.notify();
 * console.log(arrivals.version > before); // => true
 * ```
 */
export class Arrivals {
  readonly #waiting = new Set<() => void>();
  #version = 0;

  /** Counts the notifications. Read it with the records, and pass it to `wait`. */
  get version(): number {
    return this.#version;
  }

  /** Wakes all consumers that wait now. */
  notify(): void {
    this.#version += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /**
   * Resolves at the first notification after version `since`, after `ms`, or when `signal` aborts.
   *
   * Units: `ms` in virtual milliseconds, on the clock of the client's host.
   *
   * Why so: a notification may come while the reply "nothing new" is still on its way.
   */
  wait(
    port: ClientPort,
    ms: number,
    signal?: AbortSignal,
    since: number = this.#version,
  ): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => void port.after(1, done);
      const timer = port.clock.setTimer(ms, done);
      const waiting = this.#waiting;
      function done(): void {
        port.clock.clearTimer(timer);
        waiting.delete(wake);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      waiting.add(wake);
      if (signal?.aborted === true) done();
      else if (since < this.#version) wake();
      else signal?.addEventListener("abort", done, { once: true });
    });
  }
}
