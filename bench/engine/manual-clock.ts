import type { Clock, TimerHandle } from "../../src/time/mod.ts";

/** A clock that stands still until it is moved, and times what its timers do. */
export class ManualClock implements Clock {
  readonly #real: Clock;
  readonly #timers = new Map<number, { readonly dueAt: number; readonly fn: () => void }>();
  #now = 0;
  #nextHandle = 1;

  constructor(real: Clock) {
    this.#real = real;
  }

  now(): number {
    return this.#now;
  }

  wallNow(): number {
    return this.#now;
  }

  setTimer(ms: number, fn: () => void): TimerHandle {
    const handle = this.#nextHandle;
    this.#nextHandle += 1;
    this.#timers.set(handle, { dueAt: this.#now + ms, fn });
    return handle;
  }

  clearTimer(handle: TimerHandle): void {
    this.#timers.delete(handle as number);
  }

  /** Jumps ahead and fires what became due; returns the longest stretch in real milliseconds. */
  jump(ms: number): number {
    this.#now += ms;
    let longest = 0;
    for (const [handle, { dueAt, fn }] of this.#timers) {
      if (dueAt > this.#now) continue;
      this.#timers.delete(handle);
      const startedAt = this.#real.now();
      fn();
      longest = Math.max(longest, this.#real.now() - startedAt);
    }
    return longest;
  }
}
