import type { Clock, TimerHandle } from "../src/time/mod.ts";

interface Timer {
  readonly dueAt: number;
  readonly sequence: number;
  readonly fn: () => void;
  cancelled: boolean;
}

/** 2026-01-01T00:00:00Z: where wall time stands when a world begins. */
export const EPOCH_MS = 1_767_225_600_000;

/**
 * Time that moves only when told to; for tests of one part. A world has its own (`sim/world.ts`).
 *
 * Holds: timers fire ordered by `(dueAt, sequence)`; reading has no effect.
 */
export class VirtualClock implements Clock {
  #now = 0;
  #sequence = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  wallNow(): number {
    return EPOCH_MS + this.#now;
  }

  setTimer(ms: number, fn: () => void): TimerHandle {
    const timer = {
      dueAt: this.#now + Math.max(0, ms),
      sequence: this.#sequence++,
      fn,
      cancelled: false,
    };
    const at = this.#timers.findIndex((other) => other.dueAt > timer.dueAt);
    if (at === -1) this.#timers.push(timer);
    else this.#timers.splice(at, 0, timer);
    return timer;
  }

  clearTimer(handle: TimerHandle): void {
    (handle as Timer).cancelled = true;
    this.#timers = this.#timers.filter((timer) => timer !== handle);
  }

  /** When the next timer is due, or undefined when none is set. */
  nextDueAt(): number | undefined {
    return this.#timers[0]?.dueAt;
  }

  /**
   * Moves time forward by `ms`, firing each timer on the way, and lets `drain` settle what each one
   * set off before the next fires.
   */
  async advance(ms: number, drain: () => Promise<void>): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const timer = this.#timers[0];
      if (timer === undefined || timer.dueAt > until) break;
      this.#timers.shift();
      this.#now = timer.dueAt;
      timer.fn();
      await drain();
    }
    this.#now = until;
    await drain();
  }
}
