import type { AdvanceItem, SharedStreamProducer } from "faultlane";
import type { KinesisRecord, KinesisWorker, ShardReader } from "faultlane/check";

interface Payload {
  readonly reader: ShardReader;
  readonly record: KinesisRecord;
}

const POLL_MS = 500;

/**
 * Orders from Kinesis as one writes it first. A checkpoint waits until a record was taken, and a
 * rejected one is put into another stream before. But the checkpoint names no record, and so covers
 * all that was read of the shard by then, finished or not (G2).
 */
class NaiveKinesis implements SharedStreamProducer<unknown, Payload> {
  readonly #worker: KinesisWorker;

  constructor(worker: KinesisWorker) {
    this.#worker = worker;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    const iterators = new Map<ShardReader, string | undefined>();
    while (!signal.aborted) {
      for (const reader of await this.#worker.takeLeases()) {
        iterators.set(reader, await reader.getShardIterator());
      }
      for (const [reader, iterator] of iterators) {
        if (iterator === undefined) continue;
        const { records, nextShardIterator } = await reader.getRecords(iterator, 16);
        iterators.set(reader, nextShardIterator);
        for (const record of records) {
          yield [JSON.parse(new TextDecoder().decode(record.data)), { reader, record }];
        }
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  getAdvanceLane({ reader }: Payload): string {
    return reader.shardId;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) break;
      const { reader, record } = brokerPayload;
      if (outcome.rejected > 0) {
        const { partitionKey, data } = record;
        await this.#worker.putRecord({ streamName: "orders-dead", partitionKey, data });
      }
      await reader.checkpointer.checkpoint();
    }
  }

  async aclose(): Promise<void> {
    await this.#worker.shutdown();
  }
}

export function createProducer({ client }: { readonly client: KinesisWorker }): NaiveKinesis {
  return new NaiveKinesis(client);
}
