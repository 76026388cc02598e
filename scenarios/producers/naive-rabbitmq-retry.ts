import type { Channel, ChannelModel, ConsumeMessage } from "amqplib";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

interface Amqp {
  connect(url: string): Promise<ChannelModel>;
}

/**
 * Orders from RabbitMQ, with a queue in which what failed waits for its next try, as one writes it
 * first. But neither what waits (G1) nor what is a dead letter (G3) is confirmed by the server before
 * the order is acknowledged, and what waits is lost with the server: neither the queue nor its
 * messages are kept. Acknowledgements have `allUpTo` set, to save frames: they also settle earlier
 * orders that nobody has finished (G2).
 */
class NaiveRetries implements SharedStreamProducer<unknown, ConsumeMessage> {
  readonly #amqp: Amqp;
  #connection: ChannelModel | undefined;
  #channel: Channel | undefined;

  constructor(amqp: Amqp) {
    this.#amqp = amqp;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, ConsumeMessage]> {
    const arrived: ConsumeMessage[] = [];
    let wake = (): void => undefined;
    signal.addEventListener("abort", () => wake());
    let failure: Error | undefined;
    this.#connection = await this.#amqp.connect("amqp://localhost");
    this.#connection.on("error", (error: Error) => {
      failure = error;
      wake();
    });
    this.#channel = await this.#connection.createChannel();
    const back = { deadLetterExchange: "", deadLetterRoutingKey: "orders" };
    await this.#channel.assertQueue("orders.retry", { durable: false, messageTtl: 1_000, ...back });
    await this.#channel.prefetch(16);
    await this.#channel.consume("orders", (message) => {
      if (message !== null) arrived.push(message);
      wake();
    });
    while (!signal.aborted) {
      if (failure !== undefined) throw failure;
      const message = arrived.shift();
      if (message !== undefined) yield [JSON.parse(message.content.toString()), message];
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  getAdvanceLane({ fields }: ConsumeMessage): number {
    return fields.deliveryTag;
  }

  advance(batch: readonly AdvanceItem<ConsumeMessage>[]): Promise<void> {
    for (const { brokerPayload: message, outcome } of batch) {
      const hasFailed = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (hasFailed) this.#channel?.sendToQueue("orders.retry", message.content);
      else if (outcome.rejected > 0) this.#channel?.sendToQueue("orders.dead", message.content);
      this.#channel?.ack(message, true);
    }
    return Promise.resolve();
  }

  async aclose(): Promise<void> {
    await this.#connection?.close();
  }
}

export function createProducer({ client }: { readonly client: Amqp }): NaiveRetries {
  return new NaiveRetries(client);
}
