import type { PutRecordsOutput } from "../../../../sim/brokers/kinesis/client.ts";
import type { AdvanceItem } from "../../../../src/shared-stream/mod.ts";
import { type KinesisPayload, KinesisProducer } from "./kinesis-producer.ts";

const DEAD_LETTERS = "orders-dead";

/**
 * Puts the rejected records of a batch together, and looks at what became of each.
 *
 * Holds: a record that was refused by itself counts as not dead-lettered, whatever the request's
 * other records did.
 */
export class PutsTogether extends KinesisProducer {
  #stored: ReadonlySet<KinesisPayload> = new Set();

  override async advance(batch: readonly AdvanceItem<KinesisPayload>[]): Promise<void> {
    const rejected = this.#toDeadLetter(batch);
    this.#stored = new Set();
    if (rejected.length > 0) {
      const records = rejected.map(({ record: { partitionKey, data } }) => ({
        partitionKey,
        data,
      }));
      const stored = await this.client.putRecords({ streamName: DEAD_LETTERS, records }).then(
        (output) => rejected.filter((_, at) => this.isStored(output, at)),
        () => [],
      );
      this.#stored = new Set(stored);
    }
    await super.advance(batch);
  }

  /** Whether the record at a place of the request is durable. */
  isStored({ records }: PutRecordsOutput, at: number): boolean {
    const result = records[at];
    return result !== undefined && "sequenceNumber" in result;
  }

  override deadLetter(payload: KinesisPayload): Promise<void> {
    if (this.#stored.has(payload)) return Promise.resolve();
    return Promise.reject(new Error("Not dead-lettered"));
  }

  /** The rejected ones before the first that has to be read again. */
  #toDeadLetter(batch: readonly AdvanceItem<KinesisPayload>[]): readonly KinesisPayload[] {
    const current = batch.filter(({ brokerPayload }) => this.isCurrent(brokerPayload));
    const held = current.findIndex(({ outcome: { acked, failed, rejected } }) => {
      return failed > 0 || acked + rejected === 0;
    });
    return current
      .slice(0, held === -1 ? current.length : held)
      .filter(({ outcome }) => outcome.rejected > 0)
      .map(({ brokerPayload }) => brokerPayload);
  }
}

/** Takes a request that succeeded for one of which every record did. */
export class BelievesTheRequest extends PutsTogether {
  override isStored(): boolean {
    return true;
  }
}
