import type { Clock, TimerHandle } from "../../src/time/mod.ts";
import { EPOCH_MS } from "../trace/epoch.ts";

interface Timer {
  readonly dueAt: number;
  readonly sequence: number;
  readonly fn: () => void;
  cancelled: boolean;
}

/**
 * A clock that moves only when a test calls `advance`. For tests of a single part: a
 * {@linkcode World} has a clock of its own.
 *
 * Units: milliseconds from 0; wall time begins at 2026-01-01T00:00:00Z.
 * Holds: timers fire in the order of their due times, equal ones in the order in which they were
 * set; reading the clock has no effect.
 *
 * @example
 * ```ts
 * import { VirtualClock } from "faultlane/sim";
 *
 * const clock = new VirtualClock();
 * clock.setTimer(300, () => console.log("fired at", clock.now())); // => fired at 300
 * await clock.advance(1_000, () => Promise.resolve());
 * console.log(clock.now()); // => 1000
 * ```
 */
export class VirtualClock implements Clock {
  #now = 0;
  #sequence = 0;
  #timers: Timer[] = [];

  /** Returns the milliseconds since the clock was created. */
  now(): number {
    return this.#now;
  }

  /** Returns the wall time in milliseconds since the Unix epoch. */
  wallNow(): number {
    return EPOCH_MS + this.#now;
  }

  /** Calls `fn` once, when `advance` has moved time `ms` ahead. */
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

  /** Cancels a timer; without effect if it has fired. */
  clearTimer(handle: TimerHandle): void {
    (handle as Timer).cancelled = true;
    this.#timers = this.#timers.filter((timer) => timer !== handle);
  }

  /** Returns when the next timer is due, or undefined when none is set. */
  nextDueAt(): number | undefined {
    return this.#timers[0]?.dueAt;
  }

  /**
   * Moves time forward by `ms` and fires the timers that become due on the way.
   *
   * `drain` is awaited after each of them, and at the end: it resolves when the promise work that
   * the timer started is done.
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
