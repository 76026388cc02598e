/** How a wall clock is wrong. */
export interface WallClockError {
  /** How far it is ahead of the world, in milliseconds; negative: behind. */
  readonly aheadMs: number;
  /** By how many millionths it runs fast; negative: slow. */
  readonly ppm: number;
}

/** The wall clock of a machine, which may be off, and more so each second. */
export class WallClock {
  #error: WallClockError = { aheadMs: 0, ppm: 0 };
  #since = 0;

  /** Returns how far it is ahead of the world at a virtual time, in whole milliseconds. */
  aheadAt(now: number): number {
    const { aheadMs, ppm } = this.#error;
    return aheadMs + Math.trunc(((now - this.#since) * ppm) / 1_000_000);
  }

  /** Puts it forward by `ms` at virtual time `now`; negative: back. */
  step(ms: number, now: number): WallClockError {
    return this.#become({ aheadMs: this.aheadAt(now) + ms, ppm: this.#error.ppm }, now);
  }

  /** Lets it run fast by `ppm` millionths from virtual time `now` on; negative: slow. */
  drift(ppm: number, now: number): WallClockError {
    return this.#become({ aheadMs: this.aheadAt(now), ppm }, now);
  }

  #become(error: WallClockError, now: number): WallClockError {
    this.#error = error;
    this.#since = now;
    return error;
  }
}
