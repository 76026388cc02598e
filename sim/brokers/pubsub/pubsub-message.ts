import type { LeasedDelivery } from "../leased-queue.ts";
import { PubSubAckError, type PubSubAckResponse } from "./pubsub-error.ts";

/** What a message asks of its subscription. */
export interface MessageKeeper {
  readonly isExactlyOnce: boolean;
  /** Settles at the broker; answers whether that had an effect. */
  settle(message: PubSubMessage, act: "ack" | "nack"): Promise<PubSubAckResponse>;
  modAck(handles: readonly string[], seconds: number): Promise<PubSubAckResponse>;
}

/** Bytes that say what they spell, as a Node.js Buffer does. */
export class PubSubBytes extends Uint8Array {
  override toString(encoding: "utf8" | "utf-8" = "utf8"): string {
    return new TextDecoder(encoding).decode(this);
  }
}

/**
 * A message of `@google-cloud/pubsub`.
 *
 * Holds: the first ack or nack counts, later ones do nothing; without exactly-once delivery nobody
 * hears whether it had an effect.
 */
export class PubSubMessage {
  readonly ackId: string;
  readonly id: string;
  readonly attributes: { [key: string]: string };
  readonly data: PubSubBytes;
  /** 0 unless the subscription has a dead-letter policy. */
  readonly deliveryAttempt: number;
  readonly orderingKey?: string;
  /** When it came, in epoch milliseconds of its host. */
  readonly received: number;
  readonly #keeper: MessageKeeper;
  #isHandled = false;

  constructor(
    keeper: MessageKeeper,
    delivery: LeasedDelivery,
    options: {
      readonly received: number;
      readonly isOrdered: boolean;
      readonly countsAttempts: boolean;
    },
  ) {
    const { ref, key, sequence, handle, failures } = delivery;
    this.#keeper = keeper;
    this.ackId = handle;
    this.id = String(sequence);
    this.attributes = { key };
    this.data = new PubSubBytes(new TextEncoder().encode(JSON.stringify({ ref, key })));
    this.deliveryAttempt = options.countsAttempts ? failures + 1 : 0;
    if (options.isOrdered) this.orderingKey = key;
    this.received = options.received;
  }

  get length(): number {
    return this.data.length;
  }

  ack(): void {
    this.#settle("ack").catch(() => undefined);
  }

  nack(): void {
    this.#settle("nack").catch(() => undefined);
  }

  modAck(deadline: number): void {
    if (this.#isHandled) return;
    this.#keeper.modAck([this.ackId], deadline).catch(() => undefined);
  }

  ackWithResponse(): Promise<PubSubAckResponse> {
    return this.#responseTo(() => this.#settle("ack"));
  }

  nackWithResponse(): Promise<PubSubAckResponse> {
    return this.#responseTo(() => this.#settle("nack"));
  }

  modAckWithResponse(deadline: number): Promise<PubSubAckResponse> {
    return this.#responseTo(() => this.#keeper.modAck([this.ackId], deadline));
  }

  async #settle(act: "ack" | "nack"): Promise<PubSubAckResponse> {
    if (this.#isHandled) return "INVALID";
    this.#isHandled = true;
    return this.#keeper.settle(this, act);
  }

  async #responseTo(act: () => Promise<PubSubAckResponse>): Promise<PubSubAckResponse> {
    if (this.#keeper.isExactlyOnce && this.#isHandled) return "INVALID";
    const answer = act();
    if (!this.#keeper.isExactlyOnce) {
      answer.catch(() => undefined);
      return "SUCCESS";
    }
    const response = await answer;
    if (response !== "SUCCESS") throw new PubSubAckError(response);
    return response;
  }
}
