import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type { ConfluentKafkaClient } from "faultlane/check";

interface Payload {
  readonly partition: number;
  readonly offset: string;
  readonly body: string;
}

/**
 * Orders from Kafka through Confluent's library, as one ports it from kafkajs. It looks right: it
 * commits only what was taken, stops at the first failure, and sends what was rejected to a
 * dead-letter topic. What is missing stands in confluent.ts, which has the repairs.
 */
class NaiveOrders implements SharedStreamProducer<unknown, Payload> {
  readonly #client: ConfluentKafkaClient;
  #consumer: ReturnType<ConfluentKafkaClient["consumer"]> | undefined;
  #deadLetters: ReturnType<ConfluentKafkaClient["producer"]> | undefined;

  constructor(client: ConfluentKafkaClient) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    const queue: [unknown, Payload][] = [];
    let wake = (): void => undefined;
    signal.addEventListener("abort", () => wake());
    this.#deadLetters = this.#client.producer();
    this.#consumer = this.#client.consumer({
      kafkaJS: { groupId: "orders-watchers", fromBeginning: true, autoCommit: false },
    });
    await this.#deadLetters.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic: "orders" });
    await this.#consumer.run({
      eachMessage: async ({ partition, message: { offset, value } }) => {
        const body = value?.toString() ?? "{}";
        queue.push([JSON.parse(body), { partition, offset, body }]);
        wake();
      },
    });
    while (!signal.aborted) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  getAdvanceLane({ partition }: Payload): number {
    return partition;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    let last: Payload | undefined;
    for (const { brokerPayload, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) break;
      if (outcome.rejected > 0) {
        const messages = [{ value: brokerPayload.body }];
        await this.#deadLetters?.send({ topic: "dead-orders", messages }).catch(() => undefined);
      }
      last = brokerPayload;
    }
    if (last === undefined) return;
    const { partition, offset } = last;
    const next = String(BigInt(offset) + 1n);
    await this.#consumer?.commitOffsets([{ topic: "orders", partition, offset: next }]);
  }

  async aclose(): Promise<void> {
    await this.#consumer?.disconnect();
    await this.#deadLetters?.disconnect();
  }
}

export function createProducer({ client }: { readonly client: ConfluentKafkaClient }): NaiveOrders {
  return new NaiveOrders(client);
}
