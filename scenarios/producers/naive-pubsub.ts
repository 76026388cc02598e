import type { Message, PubSub, Subscription } from "@google-cloud/pubsub";
import type { SharedStreamProducer } from "faultlane";

/**
 * Orders from Pub/Sub as one writes it first. Each message is acknowledged as soon as it is there,
 * before any trigger has seen it: when a trigger fails or the triggerer dies, it is lost (G2).
 */
class NaivePubSub implements SharedStreamProducer<unknown, Message> {
  readonly #client: PubSub;
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
      message.ack();
      arrived.push(message);
      wake();
    });
    while (!signal.aborted) {
      const message = arrived.shift();
      if (message !== undefined) yield [JSON.parse(message.data.toString()), message];
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  async advance(): Promise<void> {
    // Everything is acknowledged already.
  }

  async aclose(): Promise<void> {
    await this.#subscription?.close();
  }
}

export function createProducer({ client }: { readonly client: PubSub }): NaivePubSub {
  return new NaivePubSub(client);
}
