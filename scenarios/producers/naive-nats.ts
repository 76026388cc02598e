import type { ConsumerMessages, JetStreamClient, JsMsg } from "@nats-io/jetstream";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

/**
 * Orders from JetStream as one writes it first. What failed is given back with a delay. But a
 * rejected order is terminated without being stored anywhere: it is lost (G3).
 */
class NaiveNats implements SharedStreamProducer<unknown, JsMsg> {
  readonly #client: JetStreamClient;
  #messages: ConsumerMessages | undefined;

  constructor(client: JetStreamClient) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, JsMsg]> {
    const consumer = await this.#client.consumers.get("ORDERS", "triggerer");
    const messages = await consumer.consume({ max_messages: 16 });
    this.#messages = messages;
    signal.addEventListener("abort", () => messages.stop(), { once: true });
    for await (const message of messages) yield [message.json(), message];
  }

  getAdvanceLane({ seq }: JsMsg): number {
    return seq;
  }

  async advance(batch: readonly AdvanceItem<JsMsg>[]): Promise<void> {
    for (const { brokerPayload: message, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) message.nak(1_000);
      else if (outcome.rejected > 0) message.term("rejected");
      else message.ack();
    }
  }

  async aclose(): Promise<void> {
    await this.#messages?.close();
  }
}

export function createProducer({ client }: { readonly client: JetStreamClient }): NaiveNats {
  return new NaiveNats(client);
}
