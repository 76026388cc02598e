import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type { Kafka } from "kafkajs";

interface Payload {
  readonly partition: number;
  readonly offset: string;
  readonly body: string;
}

/**
 * Orders from Kafka as one writes it first. It looks right: it commits only what was taken, stops at
 * the first failure, and sends what was rejected to a dead-letter topic. Five things are missing; see
 * "What it says about a naive Kafka producer" in the README.
 */
class NaiveOrders implements SharedStreamProducer<unknown, Payload> {
  readonly #client: Kafka;
  #consumer: ReturnType<Kafka["consumer"]> | undefined;
  #deadLetters: ReturnType<Kafka["producer"]> | undefined;

  constructor(client: Kafka) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    const queue: [unknown, Payload][] = [];
    let wake = (): void => undefined;
    signal.addEventListener("abort", () => wake());
    this.#deadLetters = this.#client.producer();
    this.#consumer = this.#client.consumer({ groupId: "orders-watchers" });
    await this.#deadLetters.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic: "orders", fromBeginning: true });
    await this.#consumer.run({
      autoCommit: false,
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

export function createProducer({ client }: { readonly client: Kafka }): NaiveOrders {
  return new NaiveOrders(client);
}
