import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type { RedisPort } from "./node-redis.ts";

type Fields = Readonly<Record<string, string>>;

interface Payload {
  readonly id: string;
  readonly fields: Fields;
}

/**
 * Orders from a Redis stream through node-redis as one writes it first. What was pending is read
 * before what is new, and all that the settling needs is there. But nobody listens to `error`: the
 * first connection that breaks ends the process.
 */
class NaiveNodeRedis implements SharedStreamProducer<Fields, Payload> {
  readonly #client: RedisPort;
  readonly #reader: RedisPort;

  constructor(client: RedisPort) {
    this.#client = client;
    this.#reader = client.duplicate();
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [Fields, Payload]> {
    await this.#client.connect();
    await this.#reader.connect();
    let id = "0";
    while (!signal.aborted) {
      const options = { COUNT: 16, BLOCK: 1_000 };
      const stream = { key: "orders", id };
      const streams = await this.#reader.xReadGroup("triggerer", "triggerer-1", stream, options);
      const entries = (streams ?? []).flatMap(({ messages }) => messages);
      id = entries.at(-1)?.id ?? ">";
      for (const { id, message } of entries) yield [message, { id, fields: message }];
      if (entries.length === 0) id = ">";
    }
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) continue;
      const { id, fields } = brokerPayload;
      if (outcome.rejected > 0) await this.#client.xAdd("orders:dead", "*", { id, ...fields });
      await this.#client.xAck("orders", "triggerer", id);
    }
  }

  async aclose(): Promise<void> {
    this.#reader.destroy();
    if (this.#client.isOpen) await this.#client.close();
  }
}

export function createProducer({ client }: { readonly client: RedisPort }): NaiveNodeRedis {
  return new NaiveNodeRedis(client);
}
