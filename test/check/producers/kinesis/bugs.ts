import { kinesis } from "../../../../sim/brokers/kinesis/model.ts";
import type { KinesisRecord } from "../../../../sim/brokers/kinesis/client.ts";
import type { Lane } from "../../../../src/shared-stream/mod.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import {
  type KinesisPayload,
  type KinesisPort,
  KinesisProducer,
  type ShardState,
} from "./kinesis-producer.ts";

import { BelievesTheRequest, PutsTogether } from "./put-together.ts";

/** P-75: leaves it to the library how far it got. */
class ChecksAllDelivered extends KinesisProducer {
  override checkpoint({ reader }: ShardState): Promise<void> {
    return reader.checkpointer.checkpoint();
  }
}

/** P-76: checkpoints now and then, whatever is still queued. */
class ChecksOnATimer extends KinesisProducer {
  #checkedAt = 0;

  override save(state: ShardState): Promise<void> {
    state.unsaved = undefined;
    return Promise.resolve();
  }

  override async read(state: ShardState): Promise<readonly KinesisPayload[]> {
    const payloads = await super.read(state);
    if (Date.now() - this.#checkedAt >= 2_000) {
      this.#checkedAt = Date.now();
      await state.reader.checkpointer.checkpoint();
    }
    return payloads;
  }
}

/** P-77: sends each position and waits for none: an older one may arrive last. */
class SendsPositionsAlong extends KinesisProducer {
  override save(state: ShardState): Promise<void> {
    const { unsaved } = state;
    state.unsaved = undefined;
    if (unsaved !== undefined) this.checkpoint(state, unsaved).catch(() => undefined);
    return Promise.resolve();
  }
}

/** P-78: takes the sequence number for the whole name of a record. */
class ForgetsTheSubSequence extends KinesisProducer {
  override checkpoint({ reader }: ShardState, { sequenceNumber }: KinesisRecord): Promise<void> {
    return reader.checkpointer.checkpoint(sequenceNumber);
  }
}

/** P-79: a lane for each partition key. */
class LanePerKey extends KinesisProducer {
  override getAdvanceLane({ record }: KinesisPayload): Lane {
    return record.partitionKey;
  }
}

/** P-80: the end of a shard is reached when it was read. */
class FinishesWhenRead extends KinesisProducer {
  override isFinished({ isAtEnd }: ShardState): boolean {
    return isAtEnd;
  }
}

/** P-81: a lost lease is worth an error of the whole group. */
class RaisesOnLostLease extends KinesisProducer {
  override forgive(state: ShardState, error: unknown): void {
    if (error instanceof Error && error.name === "ShutdownException") throw error;
    super.forgive(state, error);
  }
}

/** P-82: holds the shard back behind the failed record, and never reads it again. */
class NeverReadsAgain extends KinesisProducer {
  override readAgain({ state }: KinesisPayload): void {
    state.epoch += 1;
    state.notBefore = Number.MAX_SAFE_INTEGER;
  }
}

/** P-82: goes on with the iterator that it has, expired or not. */
class KeepsItsIterator extends KinesisProducer {
  override expired(): void {}
}

/** P-83: a record whose handling failed is told to the log, and the next one is handled. */
class MovesOnAfterErrors extends KinesisProducer {
  override async advance(batch: Parameters<KinesisProducer["advance"]>[0]): Promise<void> {
    for (const item of batch) {
      const { failed, acked, rejected } = item.outcome;
      if (failed === 0 && acked + rejected > 0) await super.advance([item]);
    }
  }
}

type KinesisClass = new (client: KinesisPort) => KinesisProducer;

function bug(id: string, guarantees: readonly string[], Class: KinesisClass): PlantedBug {
  return planted(id, guarantees, kinesis(), ({ client }) => new Class(client));
}

export const KINESIS_CORRECT: CorrectProducer = correctOn(
  "two shards",
  kinesis(),
  ({ client }) => new KinesisProducer(client),
);

export const KINESIS_TOGETHER_CORRECT: CorrectProducer = correctOn(
  "two shards, dead letters put together",
  kinesis(),
  ({ client }) => new PutsTogether(client),
);

export const KINESIS_BUGS: readonly PlantedBug[] = [
  bug("P-75", ["G2"], ChecksAllDelivered),
  bug("P-76", ["G2"], ChecksOnATimer),
  bug("P-77", ["G5"], SendsPositionsAlong),
  bug("P-78", ["progress", "G5"], ForgetsTheSubSequence),
  bug("P-79", ["G7"], LanePerKey),
  bug("P-80", ["G1", "G2"], FinishesWhenRead),
  bug("P-81", ["G10"], RaisesOnLostLease),
  bug("P-82 without a new iterator", ["G8"], NeverReadsAgain),
  bug("P-82 with an expired one", ["hot-loop", "G8", "progress"], KeepsItsIterator),
  bug("P-83", ["G1"], MovesOnAfterErrors),
  bug("a put that failed in part", ["G3"], BelievesTheRequest),
];
