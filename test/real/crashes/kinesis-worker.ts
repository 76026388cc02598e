import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  PutRecordCommand,
} from "@aws-sdk/client-kinesis";
import type {
  IteratorPlace,
  KinesisRecords,
  KinesisWorker,
  PutRecordInput,
  ShardReader,
} from "../../../sim/brokers/kinesis/client.ts";
import { LeaseFile } from "./lease-file.ts";

const STREAM = { StreamName: "orders" };
const LEASE_MS = 2_000;
const LIMIT = 100;

/** A worker has no lease of the shard, as KCL tells it. */
class ShutdownException extends Error {
  override readonly name = "ShutdownException";
}

/** A lease that this worker has, and who is told when it is lost. */
interface Held {
  readonly file: LeaseFile;
  readonly lost: AbortController;
}

/**
 * What a producer asks of a worker of the Kinesis Client Library, on the client of the AWS SDK:
 * there is no such library for Node. Leases, with their checkpoints, are files. Shards are never
 * split.
 */
export class FileWorker implements Pick<KinesisWorker, "takeLeases" | "putRecord" | "shutdown"> {
  readonly #client: KinesisClient;
  readonly #folder: string;
  readonly #id = `worker-${process.pid}-${performance.now()}`;
  readonly #held = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;

  constructor(client: KinesisClient, folder: string) {
    this.#client = client;
    this.#folder = folder;
    this.#timer = setInterval(() => this.#renew(), LEASE_MS / 4);
  }

  async takeLeases(): Promise<readonly ShardReader[]> {
    const { Shards = [] } = await this.#client.send(new ListShardsCommand(STREAM));
    const readers: ShardReader[] = [];
    for (const { ShardId: shardId = "" } of Shards) {
      const file = new LeaseFile(this.#folder, shardId);
      const lease = file.read();
      if (this.#held.has(shardId) || lease.until > Date.now()) continue;
      file.write({ ...lease, owner: this.#id, until: Date.now() + LEASE_MS });
      const held = { file, lost: new AbortController() };
      this.#held.set(shardId, held);
      readers.push(this.#readerOf(shardId, held));
    }
    return readers;
  }

  async putRecord({ streamName, partitionKey, data }: PutRecordInput): Promise<{
    readonly sequenceNumber: string;
  }> {
    const Data = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const names = { StreamName: streamName, PartitionKey: partitionKey };
    const { SequenceNumber = "" } = await this.#client.send(
      new PutRecordCommand({ ...names, Data }),
    );
    return { sequenceNumber: SequenceNumber };
  }

  shutdown(): Promise<void> {
    clearInterval(this.#timer);
    for (const { file, lost } of this.#held.values()) {
      const lease = file.read();
      if (lease.owner === this.#id) file.write({ ...lease, owner: "", until: 0 });
      lost.abort();
    }
    this.#held.clear();
    this.#client.destroy();
    return Promise.resolve();
  }

  #renew(): void {
    for (const [shardId, { file, lost }] of this.#held) {
      const lease = file.read();
      if (lease.owner === this.#id) file.write({ ...lease, until: Date.now() + LEASE_MS });
      else {
        this.#held.delete(shardId);
        lost.abort();
      }
    }
  }

  #readerOf(shardId: string, { file, lost }: Held): ShardReader {
    let delivered: string | undefined;
    return {
      shardId,
      leaseLost: lost.signal,
      getShardIterator: (place) => this.#iteratorAt(shardId, place ?? placeAfter(file)),
      getRecords: async (iterator, limit = LIMIT) => {
        const read = await this.#read(iterator, limit);
        delivered = read.records.at(-1)?.sequenceNumber ?? delivered;
        return read;
      },
      checkpointer: {
        // A checkpoint without a number covers all that was delivered.
        checkpoint: (sequenceNumber = delivered) => {
          const lease = file.read();
          if (lease.owner !== this.#id) return Promise.reject(new ShutdownException(shardId));
          file.write({ ...lease, checkpoint: sequenceNumber ?? lease.checkpoint });
          return Promise.resolve();
        },
      },
    };
  }

  async #iteratorAt(shardId: string, place: IteratorPlace): Promise<string> {
    const { ShardIterator = "" } = await this.#client.send(
      new GetShardIteratorCommand({
        ...STREAM,
        ShardId: shardId,
        ShardIteratorType: place.shardIteratorType,
        StartingSequenceNumber: place.startingSequenceNumber,
      }),
    );
    return ShardIterator;
  }

  async #read(iterator: string, limit: number): Promise<KinesisRecords> {
    const command = new GetRecordsCommand({ ShardIterator: iterator, Limit: limit });
    const { Records = [], NextShardIterator } = await this.#client.send(command);
    const records = Records.map(({ PartitionKey = "", SequenceNumber = "", Data }) => ({
      partitionKey: PartitionKey,
      sequenceNumber: SequenceNumber,
      subSequenceNumber: 0,
      data: Data ?? new Uint8Array(),
    }));
    return { records, nextShardIterator: NextShardIterator };
  }
}

/** After the checkpoint; from the oldest record where there is none. */
function placeAfter(file: LeaseFile): IteratorPlace {
  const { checkpoint } = file.read();
  if (checkpoint === undefined) return { shardIteratorType: "TRIM_HORIZON" };
  return { shardIteratorType: "AFTER_SEQUENCE_NUMBER", startingSequenceNumber: checkpoint };
}
