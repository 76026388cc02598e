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
 * - a failed message, or one that nobody was there for, keeps its lock and is handed out again
 *   after a while: abandoned, it would count as a delivery, and the queue dead-letters what has
 *   too many;
 * - a rejected message is dead-lettered by the service, in one step with its settling;
 * - a settlement that finds its lock lost leaves the message to come again, and so does the end.
 */
export class QueueProducer implements SharedStreamProducer<unknown, QueuePayload> {
  readonly bus: OrdersBus;
  readonly options: QueueProducerOptions;
  readonly #arrived: OrderMessage[] = [];
  readonly #later = new Set<ReturnType<typeof setTimeout>>();
  /** The newest delivery of each message that is not settled. */
  readonly #newest = new Map<OrderMessage["messageId"], OrderMessage>();
  #wake: (() => void) | undefined;
  #pump: Promise<void> | undefined;
  readonly #closing = new AbortController();
  receiver: OrderReceiver | undefined;

  constructor(bus: OrdersBus, options: QueueProducerOptions) {
    this.bus = bus;
    this.options = options;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, QueuePayload]> {
    const { queue, renewalMs } = this.options;
    this.receiver = this.bus.createReceiver(queue, { maxAutoLockRenewalDurationInMs: renewalMs });
    this.#pump = this.#receiveForever(AbortSignal.any([signal, this.#closing.signal]));
    while (!signal.aborted) {
      const message = this.#arrived.shift();
      if (message === undefined) await this.#news(signal);
      else if (this.#newest.get(message.messageId) === message) yield [message.body, { message }];
    }
  }

  async advance(batch: readonly AdvanceItem<QueuePayload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { message } = brokerPayload;
      if (outcome.failed > 0) this.#again(message, AGAIN_AFTER_MS);
      else if (outcome.acked + outcome.rejected === 0) this.#again(message, NOBODY_THERE_MS);
      else if (outcome.rejected > 0) await this.reject(message);
      else await this.complete(message);
    }
  }

  async aclose(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#later) clearTimeout(timer);
    await this.#pump;
    await this.receiver?.close();
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
    await this.settle(message, () => this.receiver?.completeMessage(message));
  }

  async reject(message: OrderMessage): Promise<void> {
    await this.settle(message, () => this.receiver?.deadLetterMessage(message, DEAD_LETTER));
  }

  /** Whatever cannot be settled comes again when its lock ends. */
  async settle(message: OrderMessage, settle: () => Promise<void> | undefined): Promise<void> {
    if (this.#newest.get(message.messageId) === message) this.#newest.delete(message.messageId);
    try {
      await settle();
    } catch {
      // A lost lock, or a service out of reach: nothing that ends the group.
    }
  }

  /** Hands the message out again after `ms`, if no newer delivery of it has come by then. */
  #again(message: OrderMessage, ms: number): void {
    const timer = setTimeout(() => {
      this.#later.delete(timer);
      this.#arrive(message);
    }, ms);
    this.#later.add(timer);
  }

  async #receiveForever(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.receiver !== undefined) {
      for (const message of await this.receive(this.receiver, signal)) {
        this.#newest.set(message.messageId, message);
        this.#arrive(message);
      }
    }
  }

  #arrive(message: OrderMessage): void {
    this.#arrived.push(message);
    this.#wake?.();
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
