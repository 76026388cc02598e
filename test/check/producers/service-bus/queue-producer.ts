import type { AdvanceItem, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";
import {
  DEAD_LETTER,
  type OrderMessage,
  type OrderReceiver,
  type OrdersBus,
} from "./orders-bus.ts";

export interface QueuePayload {
  readonly message: OrderMessage;
}

export interface QueueProducerOptions {
  readonly queue: string;
  /** How long the library renews a lock. */
  readonly renewalMs: number;
}

const RECEIVE_MAX = 50;
const RECEIVE_WAIT_MS = 10_000;
const BACKOFF_MS = 1_000;
const AGAIN_AFTER_MS = 1_000;
const NOBODY_THERE_MS = 5_000;

/**
 * A shared stream on a Service Bus queue without sessions. The library renews the locks.
 *
 * Holds:
 * - a failed message is abandoned after a moment, one that nobody was there for a little later; the
 *   queue's maximum delivery count has to be high, or it dead-letters what nobody rejected;
 * - a rejected message is dead-lettered by the service, in one step with its settling;
 * - a settlement that finds its lock lost leaves the message to come again.
 */
export class QueueProducer implements SharedStreamProducer<unknown, QueuePayload> {
  readonly bus: OrdersBus;
  readonly options: QueueProducerOptions;
  readonly #later = new Map<ReturnType<typeof setTimeout>, OrderMessage>();
  #underWay: Promise<void> = Promise.resolve();
  receiver: OrderReceiver | undefined;

  constructor(bus: OrdersBus, options: QueueProducerOptions) {
    this.bus = bus;
    this.options = options;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, QueuePayload]> {
    const { queue, renewalMs } = this.options;
    this.receiver = this.bus.createReceiver(queue, { maxAutoLockRenewalDurationInMs: renewalMs });
    while (!signal.aborted) {
      const messages = await this.receive(this.receiver, signal);
      for (const message of messages) yield [message.body, { message }];
    }
  }

  async advance(batch: readonly AdvanceItem<QueuePayload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { message } = brokerPayload;
      if (outcome.failed > 0) this.abandonLater(message, AGAIN_AFTER_MS);
      else if (outcome.acked + outcome.rejected === 0) this.abandonLater(message, NOBODY_THERE_MS);
      else if (outcome.rejected > 0) await this.reject(message);
      else await this.complete(message);
    }
  }

  async aclose(): Promise<void> {
    const { receiver } = this;
    for (const timer of this.#later.keys()) clearTimeout(timer);
    const left = [...this.#later.values()];
    await this.#underWay;
    // Given back now rather than when their locks end.
    if (receiver !== undefined) for (const message of left) await this.#abandon(message);
    await receiver?.close();
  }

  async receive(receiver: OrderReceiver, signal: AbortSignal): Promise<readonly OrderMessage[]> {
    try {
      return await receiver.receiveMessages(RECEIVE_MAX, {
        maxWaitTimeInMs: RECEIVE_WAIT_MS,
        abortSignal: signal,
      });
    } catch {
      await pause(BACKOFF_MS, signal);
      return [];
    }
  }

  async complete(message: OrderMessage): Promise<void> {
    await this.settle(() => this.receiver?.completeMessage(message));
  }

  async reject(message: OrderMessage): Promise<void> {
    await this.settle(() => this.receiver?.deadLetterMessage(message, DEAD_LETTER));
  }

  /** Whatever cannot be settled comes again when its lock ends. */
  async settle(settle: () => Promise<void> | undefined): Promise<void> {
    try {
      await settle();
    } catch {
      // A lost lock, or a service out of reach: nothing that ends the group.
    }
  }

  abandonLater(message: OrderMessage, ms: number): void {
    const timer = setTimeout(() => {
      this.#later.delete(timer);
      this.#underWay = this.#underWay.then(() => this.#abandon(message));
    }, ms);
    this.#later.set(timer, message);
  }

  async #abandon(message: OrderMessage): Promise<void> {
    await this.settle(() => this.receiver?.abandonMessage(message));
  }
}
