import type { Message, PubSub, Subscription } from "@google-cloud/pubsub";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

/**
 * Orders from Pub/Sub, each handed out once. It remembers what it has acknowledged, and passes over
 * what comes again. But without exactly-once delivery an ack can come to nothing, and nobody is
 * told: the message comes again because it is still owed. It is never acknowledged again, and the
 * library keeps its lease for an hour, and again after that (progress).
 */
class NaivePubSubOnce implements SharedStreamProducer<unknown, Message> {
  readonly #client: PubSub;
  readonly #done = new Set<string>();
  #subscription: Subscription | undefined;

  constructor(client: PubSub) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Message]> {
    const arrived: Message[] = [];
    let wake = (): void => undefined;
    signal.addEventListener("abort", () => wake());
    this.#subscription = this.#client.subscription("orders");
    this.#subscription.on("message", (message) => {
      if (this.#done.has(message.id)) return;
      arrived.push(message);
      wake();
    });
    while (!signal.aborted) {
      const message = arrived.shift();
      if (message !== undefined) yield [JSON.parse(message.data.toString()), message];
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  async advance(batch: readonly AdvanceItem<Message>[]): Promise<void> {
    for (const { brokerPayload: message, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) {
        message.nack();
        continue;
      }
      this.#done.add(message.id);
      message.ack();
    }
  }

  async aclose(): Promise<void> {
    await this.#subscription?.close();
  }
}

export function createProducer({ client }: { readonly client: PubSub }): NaivePubSubOnce {
  return new NaivePubSubOnce(client);
}
