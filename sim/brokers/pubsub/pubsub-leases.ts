import type { Wire } from "../broker.ts";
import type { PubSubMessage } from "./pubsub-message.ts";

/** When the library extends, in percent of the ack deadline; a choice, in place of its jitter. */
const EXTEND_AT_PERCENT = [50, 70, 85, 30] as const;

export interface LeaseLimits {
  readonly deadlineMs: number;
  /** How long one message is extended; 0: not at all. */
  readonly extensionMsMax: number;
}

/**
 * The library's inventory: extends the deadline of every message until it is settled or too old.
 */
export class PubSubLeases {
  readonly #wire: Wire;
  readonly #limits: LeaseLimits;
  readonly #extend: (handles: readonly string[], seconds: number) => void;
  readonly #messages = new Map<PubSubMessage, number>();
  #cancel: (() => void) | undefined;

  constructor(
    wire: Wire,
    limits: LeaseLimits,
    extend: (handles: readonly string[], seconds: number) => void,
  ) {
    this.#wire = wire;
    this.#limits = limits;
    this.#extend = extend;
  }

  get size(): number {
    return this.#messages.size;
  }

  add(message: PubSubMessage): void {
    this.#messages.set(message, this.#wire.clock.now());
    if (this.#cancel === undefined) this.#schedule();
  }

  remove(message: PubSubMessage): void {
    if (this.#messages.delete(message) && this.#messages.size === 0) this.#stop();
  }

  /** Lets go of all; answers what was still held. */
  clear(): readonly PubSubMessage[] {
    const left = [...this.#messages.keys()];
    this.#messages.clear();
    this.#stop();
    return left;
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    const { clock } = this.#wire;
    const pick = this.#wire.choices("time").choose(EXTEND_AT_PERCENT.length, "extend");
    const percent = EXTEND_AT_PERCENT[pick] as number;
    const ms = Math.floor((this.#limits.deadlineMs * percent) / 100);
    const timer = clock.setTimer(ms, () => this.#extendAll());
    this.#cancel = () => clock.clearTimer(timer);
  }

  #extendAll(): void {
    this.#cancel = undefined;
    const now = this.#wire.clock.now();
    const due: string[] = [];
    for (const [message, since] of this.#messages) {
      if (now - since < this.#limits.extensionMsMax) due.push(message.ackId);
      else this.#messages.delete(message);
    }
    if (due.length > 0) this.#extend(due, this.#limits.deadlineMs / 1_000);
    if (this.#messages.size > 0) this.#schedule();
  }
}
