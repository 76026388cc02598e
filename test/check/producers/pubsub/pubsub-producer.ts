import { orderFrom } from "../order-from.ts";
import { Duration, type SubscriptionOptions } from "@google-cloud/pubsub";
import type { AdvanceItem, Lane, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import { type OrderMessage, OrderingGates } from "./ordering-gates.ts";

interface OrderSubscription {
  on(event: "message", listener: (message: OrderMessage) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** What the producer uses of `PubSub`; the library's own fits, and so does the model's client. */
export interface OrdersPubSub {
  subscription(name: string, options?: SubscriptionOptions): OrderSubscription;
  topic(name: string): {
    publishMessage(message: {
      data: Uint8Array;
      attributes: { [key: string]: string };
    }): Promise<string>;
  };
}

/** What is needed again to settle one delivery. */
export interface PubSubPayload {
  readonly message: OrderMessage;
  /** Rises for an ordering key each time one of its messages has to come again. */
  readonly epoch: number;
}

export interface PubSubProducerOptions {
  readonly subscription: string;
  readonly deadLetterTopic: string;
  /** How long the library may extend a message; default: the library's own. */
  readonly extensionMs?: number;
}

const NACK_AFTER_MS = 1_000;
const NOBODY_THERE_MS = 5_000;
const OUTSTANDING_MAX = 200;

/**
 * A shared stream on a Pub/Sub subscription. The library extends the deadlines.
 *
 * Holds:
 * - a failed message is given back after a moment, one that nobody was there for a little later;
 * - a rejected message is in the dead-letter topic before it is acknowledged;
 * - messages of one ordering key share a lane, and behind one that has to come again none of them
 *   is settled;
 * - an acknowledgement that comes to nothing means that the message comes again, and nothing else.
 */
export class PubSubProducer implements SharedStreamProducer<unknown, PubSubPayload> {
  readonly client: OrdersPubSub;
  readonly options: PubSubProducerOptions;
  readonly #later = new Set<ReturnType<typeof setTimeout>>();
  readonly #arrived: OrderMessage[] = [];
  readonly #gates = new OrderingGates((message) => {
    this.#after(NACK_AFTER_MS, () => message.nack());
  });
  #wake: (() => void) | undefined;
  #failure: Error | undefined;
  #subscription: OrderSubscription | undefined;

  constructor(client: OrdersPubSub, options: PubSubProducerOptions) {
    this.client = client;
    this.options = options;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, PubSubPayload]> {
    const { subscription: name, extensionMs } = this.options;
    const subscription = this.client.subscription(name, {
      flowControl: { maxMessages: OUTSTANDING_MAX },
      ...(extensionMs === undefined
        ? {}
        : { maxExtensionTime: Duration.from({ milliseconds: extensionMs }) }),
    });
    this.#subscription = subscription;
    subscription.on("error", (error) => {
      this.#failure = error;
      this.#wake?.();
    });
    subscription.on("message", (message) => {
      this.#arrived.push(message);
      this.#wake?.();
    });
    while (!signal.aborted) {
      if (this.#failure !== undefined) throw this.#failure;
      const message = this.#arrived.shift();
      if (message === undefined) await this.news(signal);
      else if (this.#gates.admits(message) && this.accepts(message)) {
        const epoch = this.#gates.epochOf(message.orderingKey);
        yield [orderFrom(message.data.toString()), { message, epoch }];
      }
    }
  }

  getAdvanceLane({ message }: PubSubPayload): Lane {
    return message.orderingKey;
  }

  async advance(batch: readonly AdvanceItem<PubSubPayload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { message, epoch } = brokerPayload;
      if (epoch < this.#gates.epochOf(message.orderingKey)) this.#gates.drop(message);
      else if (outcome.failed > 0) this.nackLater(message, NACK_AFTER_MS);
      else if (outcome.acked + outcome.rejected === 0) this.nackLater(message, NOBODY_THERE_MS);
      else if (outcome.rejected === 0) await this.ack(message);
      else await this.reject(message);
    }
  }

  async aclose(): Promise<void> {
    for (const timer of this.#later) clearTimeout(timer);
    // Gives back what is still held.
    await this.#subscription?.close();
  }

  accepts(_message: OrderMessage): boolean {
    return true;
  }

  async reject(message: OrderMessage): Promise<void> {
    const { data, attributes } = message;
    try {
      await this.client.topic(this.options.deadLetterTopic).publishMessage({ data, attributes });
    } catch {
      this.nackLater(message, NACK_AFTER_MS);
      return;
    }
    await this.ack(message);
  }

  async ack(message: OrderMessage): Promise<void> {
    try {
      await message.ackWithResponse();
    } catch {
      // With exactly-once delivery the service says so: the message comes again.
    }
  }

  nackLater(message: OrderMessage, ms: number): void {
    this.#gates.close(message);
    this.#after(ms, () => {
      message.nack();
      this.#gates.release(message);
    });
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#later.delete(timer);
      act();
    }, ms);
    this.#later.add(timer);
  }

  news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
