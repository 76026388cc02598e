import type { ClientPort } from "../broker.ts";
import type { PubSubMessage } from "./pubsub-message.ts";

/** When the library extends leases, in percent of the ack deadline; replaces its random jitter. */
const EXTEND_AT_PERCENT = [50, 70, 85, 30] as const;

export interface LeaseLimits {
  readonly deadlineMs: number;
  /** How long the lease of one message is extended in total; 0: not at all. */
  readonly extensionMsMax: number;
}

/**
 * The library's lease manager: extends the deadline of each message until it is settled or too old.
 */
export class PubSubLeases {
  readonly #port: ClientPort;
  readonly #limits: LeaseLimits;
  readonly #extend: (handles: readonly string[], seconds: number) => void;
  readonly #messages = new Map<PubSubMessage, number>();
  #cancel: (() => void) | undefined;

  constructor(
    port: ClientPort,
    limits: LeaseLimits,
    extend: (handles: readonly string[], seconds: number) => void,
  ) {
    this.#port = port;
    this.#limits = limits;
    this.#extend = extend;
  }

  get size(): number {
    return this.#messages.size;
  }

  add(message: PubSubMessage): void {
    this.#messages.set(message, this.#port.clock.now());
    if (this.#cancel === undefined) this.#schedule();
  }

  remove(message: PubSubMessage): void {
    if (this.#messages.delete(message) && this.#messages.size === 0) this.#stop();
  }

  /** Removes all messages, and returns them. */
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
    const { clock } = this.#port;
    const pick = this.#port.choices("time").choose(EXTEND_AT_PERCENT.length, "extend");
    const percent = EXTEND_AT_PERCENT[pick] as number;
    const ms = Math.floor((this.#limits.deadlineMs * percent) / 100);
    const timer = clock.setTimer(ms, () => this.#extendAll());
    this.#cancel = () => clock.clearTimer(timer);
  }

  #extendAll(): void {
    this.#cancel = undefined;
    const now = this.#port.clock.now();
    const due: string[] = [];
    for (const [message, since] of this.#messages) {
      if (now - since < this.#limits.extensionMsMax) due.push(message.ackId);
      else this.#messages.delete(message);
    }
    if (due.length > 0) this.#extend(due, this.#limits.deadlineMs / 1_000);
    if (this.#messages.size > 0) this.#schedule();
  }
}
