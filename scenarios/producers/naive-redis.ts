import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type { Redis } from "ioredis";

interface Payload {
  readonly id: string;
  readonly fields: readonly string[];
}

type Reply = readonly (readonly [
  stream: string,
  entries: readonly (readonly [id: string, fields: readonly string[]])[],
])[];

/**
 * Orders from a Redis stream as one writes it first. An entry is acknowledged when it was taken,
 * and a rejected one goes to a stream of dead letters before. But only new entries are ever read:
 * what failed, or was in hand when the triggerer died, stays pending for ever (G8).
 */
class NaiveRedis implements SharedStreamProducer<readonly string[], Payload> {
  readonly #client: Redis;
  readonly #reader: Redis;

  constructor(client: Redis) {
    this.#client = client;
    this.#reader = client.duplicate();
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [readonly string[], Payload]> {
    while (!signal.aborted) {
      const reply = (await this.#reader.xreadgroup(
        ...(["GROUP", "triggerer", "triggerer-1", "COUNT", 16, "BLOCK", 1_000] as const),
        ...(["STREAMS", "orders", ">"] as const),
      )) as Reply | null;
      for (const [, entries] of reply ?? []) {
        for (const [id, fields] of entries) yield [fields, { id, fields }];
      }
    }
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) continue;
      const { id, fields } = brokerPayload;
      if (outcome.rejected > 0) await this.#client.xadd("orders:dead", "*", "id", id, ...fields);
      await this.#client.xack("orders", "triggerer", id);
    }
  }

  async aclose(): Promise<void> {
    this.#reader.disconnect();
    await this.#client.quit();
  }
}

export function createProducer({ client }: { readonly client: Redis }): NaiveRedis {
  return new NaiveRedis(client);
}
