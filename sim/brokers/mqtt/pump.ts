import type { ServerPacket } from "./packet.ts";

/**
 * Hands the packets of one connection to the client, one after the other: the next one follows when
 * the one before is done with, which for a message is up to the user.
 *
 * Source: MQTT.js 5, client.js, connect
 */
export class Pump {
  readonly #handle: (packet: ServerPacket, done: () => void) => void;
  #packets: ServerPacket[] = [];
  #isBusy = false;
  #isStopped = false;

  constructor(handle: (packet: ServerPacket, done: () => void) => void) {
    this.#handle = handle;
  }

  /** Whether it still hands out packets. */
  get isCurrent(): boolean {
    return !this.#isStopped;
  }

  add(packets: readonly ServerPacket[]): void {
    this.#packets.push(...packets);
    if (!this.#isBusy) this.#work();
  }

  /** Drops what has arrived and not been handed out. */
  discard(): void {
    this.#packets = [];
  }

  /** Another connection has taken its place. */
  stop(): void {
    this.#isStopped = true;
    this.discard();
  }

  #work(): void {
    for (;;) {
      const packet = this.#packets.shift();
      if (packet === undefined || this.#isStopped) return;
      let state: "handling" | "waiting" | "done" = "handling";
      this.#isBusy = true;
      this.#handle(packet, () => {
        const wasWaiting = state === "waiting";
        if (state === "done") return;
        state = "done";
        this.#isBusy = false;
        if (wasWaiting) this.#work();
      });
      if (this.#isBusy) {
        state = "waiting";
        return;
      }
    }
  }
}
