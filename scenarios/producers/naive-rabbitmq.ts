import type { ChannelModel, ConfirmChannel, ConsumeMessage } from "amqplib";
import type { AdvanceItem, SharedStreamProducer } from "faultlane";

interface Amqp {
  connect(url: string): Promise<ChannelModel>;
}

/**
 * Orders from RabbitMQ as one writes it first. What failed is given back, and what was rejected is
 * confirmed in another queue first. But acknowledgements have `allUpTo` set, to save frames: they
 * also settle earlier orders that failed or that nobody has finished (G1).
 */
class NaiveRabbitmq implements SharedStreamProducer<unknown, ConsumeMessage> {
  readonly #amqp: Amqp;
  #connection: ChannelModel | undefined;
  #channel: ConfirmChannel | undefined;

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
    this.#channel = await this.#connection.createConfirmChannel();
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

  async advance(batch: readonly AdvanceItem<ConsumeMessage>[]): Promise<void> {
    for (const { brokerPayload: message, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) {
        this.#channel?.nack(message);
        continue;
      }
      if (outcome.rejected > 0) {
        this.#channel?.sendToQueue("orders.dead", message.content, { persistent: true });
        await this.#channel?.waitForConfirms();
      }
      this.#channel?.ack(message, true);
    }
  }

  async aclose(): Promise<void> {
    await this.#connection?.close();
  }
}

export function createProducer({ client }: { readonly client: Amqp }): NaiveRabbitmq {
  return new NaiveRabbitmq(client);
}
