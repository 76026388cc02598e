import type {
  ServiceBusClient,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
} from "@azure/service-bus";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

/** One handing out of a message: another one of the same message has a payload of its own. */
interface Payload {
  readonly message: ServiceBusReceivedMessage;
}

const RECEIVE_MAX = 50;
const BACKOFF_MS = 1_000;
const NOBODY_THERE_MS = 5_000;
const RENEWAL = { maxAutoLockRenewalDurationInMs: 3_600_000 };
const DEAD_LETTER = { deadLetterReason: "rejected", deadLetterErrorDescription: "by a trigger" };

/**
 * Orders from a Service Bus queue without sessions. Repairs, against naive-service-bus.ts:
 *
 * - Only what was taken is completed (G1). What failed keeps its lock and is handed out again after
 *   a moment (G8): abandoned, it would count as a delivery, and the queue would dead-letter it after
 *   a few (G3).
 * - Of a message that comes again after its lock was lost, only the newest delivery is handed out.
 * - A settlement that finds its lock lost does not end the group: the message comes again (G10).
 * - A receive that fails is tried again after a moment (G10).
 * - The receiver is made when the stream opens: a factory that fails behind the constructor would
 *   leave it open. The end waits for the receive under way and stops what is to be handed out (G6).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #client: ServiceBusClient;
  readonly #arrived: ServiceBusReceivedMessage[] = [];
  readonly #delayed = new Set<ReturnType<typeof setTimeout>>();
  /** The newest delivery of each message that is not settled. */
  readonly #newest = new Map<ServiceBusReceivedMessage["messageId"], ServiceBusReceivedMessage>();
  readonly #closing = new AbortController();
  #receiver: ServiceBusReceiver | undefined;
  #receiving: Promise<void> = Promise.resolve();
  #wake = (): void => undefined;

  constructor(client: ServiceBusClient) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    const receiver = this.#client.createReceiver("orders", RENEWAL);
    this.#receiver = receiver;
    this.#receiving = this.#receive(receiver, AbortSignal.any([signal, this.#closing.signal]));
    while (!signal.aborted) {
      const message = this.#arrived.shift();
      if (message === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#newest.get(message.messageId) === message) yield [message.body, { message }];
    }
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      const { message } = brokerPayload;
      if (outcome.failed > 0) this.#again(message, BACKOFF_MS);
      else if (outcome.acked + outcome.rejected === 0) this.#again(message, NOBODY_THERE_MS);
      else await this.#settle(message, outcome.rejected > 0);
    }
  }

  async aclose(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#delayed) clearTimeout(timer);
    await this.#receiving;
    await this.#receiver?.close();
  }

  async #receive(receiver: ServiceBusReceiver, signal: AbortSignal): Promise<void> {
    const options = { maxWaitTimeInMs: 10_000, abortSignal: signal };
    while (!signal.aborted) {
      try {
        for (const message of await receiver.receiveMessages(RECEIVE_MAX, options)) {
          this.#newest.set(message.messageId, message);
          this.#arrived.push(message);
        }
        this.#wake();
      } catch {
        await pause(BACKOFF_MS, signal);
      }
    }
  }

  /** Hands the message out again, unless a newer delivery of it comes before. */
  #again(message: ServiceBusReceivedMessage, afterMs: number): void {
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      this.#arrived.push(message);
      this.#wake();
    }, afterMs);
    this.#delayed.add(timer);
  }

  /** Dead-lettering is one step with settling, by the service itself. */
  async #settle(message: ServiceBusReceivedMessage, isRejected: boolean): Promise<void> {
    if (this.#newest.get(message.messageId) === message) this.#newest.delete(message.messageId);
    try {
      if (isRejected) await this.#receiver?.deadLetterMessage(message, DEAD_LETTER);
      else await this.#receiver?.completeMessage(message);
    } catch {
      // The lock is lost or the service out of reach: the message comes again.
    }
  }
}

/** Waits for `ms`, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

export function createProducer({ client }: { readonly client: ServiceBusClient }): Orders {
  return new Orders(client);
}
