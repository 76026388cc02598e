import type { LeasedDelivery } from "../leased-queue.ts";
import { bytesFrom, type TextBytes } from "../text-bytes.ts";
import { PubSubAckError, type PubSubAckResponse } from "./pubsub-error.ts";

/** What a message needs from its subscription. */
export interface MessageKeeper {
  readonly isExactlyOnce: boolean;
  /** Settles at the broker, and resolves with the result. */
  settle(message: PubSubMessage, act: "ack" | "nack"): Promise<PubSubAckResponse>;
  modAck(handles: readonly string[], seconds: number): Promise<PubSubAckResponse>;
}

/**
 * A message of `@google-cloud/pubsub`.
 *
 * Holds: only the first ack or nack is sent; without exactly-once delivery its result is not
 * reported.
 */
export class PubSubMessage {
  readonly ackId: string;
  readonly id: string;
  readonly attributes: { [key: string]: string };
  readonly data: TextBytes;
  /** 0 unless the subscription has a dead-letter policy. */
  readonly deliveryAttempt: number;
  readonly orderingKey?: string;
  /** When it arrived, in epoch milliseconds by its host's wall clock. */
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
    this.data = bytesFrom(JSON.stringify({ ref, key }));
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
    const responding = act();
    if (!this.#keeper.isExactlyOnce) {
      responding.catch(() => undefined);
      return "SUCCESS";
    }
    const response = await responding;
    if (response !== "SUCCESS") throw new PubSubAckError(response);
    return response;
  }
}
