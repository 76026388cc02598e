import type { Clock, TimerHandle } from "../../../src/time/mod.ts";

/**
 * Sends a ping when the server has answered nothing for an interval, and gives up half an interval
 * later: only answers that were handled count, and none is while a message is in hand.
 *
 * Source: MQTT.js 5, KeepaliveManager.js
 */
export class Keepalive {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #on: { readonly due: () => void; readonly over: () => void };
  #timer: TimerHandle | undefined;
  #halves = 0;

  constructor(clock: Clock, seconds: number, on: { due: () => void; over: () => void }) {
    this.#clock = clock;
    this.#everyMs = Math.ceil((seconds * 1_000) / 2);
    this.#on = on;
    this.reschedule();
  }

  /** The server has answered something. */
  reschedule(): void {
    this.destroy();
    this.#halves = 0;
    this.#wait();
  }

  destroy(): void {
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    this.#timer = this.#clock.setTimer(this.#everyMs, () => {
      this.#halves += 1;
      this.#wait();
      if (this.#halves === 2) this.#on.due();
      else if (this.#halves > 2) this.#on.over();
    });
  }
}
