import type { TimerHandle } from "../../../src/time/mod.ts";
import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, isTransportError } from "../library-call.ts";
import {
  InvalidArgumentException,
  KinesisClientLibDependencyException,
  TimeoutError,
  ValidationException,
} from "./errors.ts";
import { KinesisClient } from "./kinesis-client.ts";
import type { PutResult } from "./put-result.ts";
import type { CheckpointPlace, KinesisServer, LeaseGrant } from "./server.ts";
import type { Shard } from "./shard.ts";

/** A user record as a reader gets it, after de-aggregation. */
export interface KinesisRecord {
  /** Decides the record's shard. */
  readonly partitionKey: string;
  /** The number of the record in its shard; a decimal number that grows. */
  readonly sequenceNumber: string;
  /** Counts the user records of one aggregated record, from 0. */
  readonly subSequenceNumber: number;
  /** The content. */
  readonly data: Uint8Array;
}

/** What one read of a shard returns. */
export interface KinesisRecords {
  /** The records in their order; may be empty. */
  readonly records: readonly KinesisRecord[];
  /** Undefined when the shard is closed and has been read to its end. */
  readonly nextShardIterator: string | undefined;
}

/** Where to start reading; by default after the checkpoint of the lease. */
export interface IteratorPlace {
  /** At or after a sequence number, at the oldest record, or after the newest. */
  readonly shardIteratorType:
    | "AT_SEQUENCE_NUMBER"
    | "AFTER_SEQUENCE_NUMBER"
    | "TRIM_HORIZON"
    | "LATEST";
  /** For the types that need a sequence number. */
  readonly startingSequenceNumber?: string;
  /** The user record of an aggregated record; default 0. */
  readonly startingSubSequenceNumber?: number;
}

/**
 * Checkpoints how far a shard has been processed.
 *
 * Holds: without arguments it checkpoints everything that was delivered to this reader, including
 * the end of the shard; a sequence number without a sub-sequence number means the first user record
 * of an aggregated record.
 *
 * Source: KCL 3, RecordProcessorCheckpointer.checkpoint
 */
export interface Checkpointer {
  /**
   * Stores the checkpoint in the lease.
   *
   * @throws {ShutdownException} when the worker has lost the lease
   * @throws {KinesisClientLibDependencyException} when the lease table cannot be reached
   */
  checkpoint(sequenceNumber?: string, subSequenceNumber?: number): Promise<void>;
}

/** Reads one shard while its worker holds the lease. */
export interface ShardReader {
  /** The id of the shard. */
  readonly shardId: string;
  /** Stores how far the shard has been processed. */
  readonly checkpointer: Checkpointer;
  /** Aborts when the worker finds out that it has lost the lease. */
  readonly leaseLost: AbortSignal;
  /** Resolves with an iterator that starts at a place. */
  getShardIterator(place?: IteratorPlace): Promise<string>;
  /**
   * Reads at most `limit` records, default 100; an empty shard returns none at once.
   *
   * @throws {ExpiredIteratorException} when the iterator has expired
   */
  getRecords(shardIterator: string, limit?: number): Promise<KinesisRecords>;
}

/** A record for `putRecord`. */
export interface PutRecordInput {
  /** Any other stream than the workload's is for dead letters. */
  readonly streamName: string;
  /** Decides the record's shard. */
  readonly partitionKey: string;
  /** The content. */
  readonly data: string | Uint8Array;
}

/** Records for `putRecords`. */
export interface PutRecordsInput {
  /** Any other stream than the workload's is for dead letters. */
  readonly streamName: string;
  /** At most 500. */
  readonly records: readonly Omit<PutRecordInput, "streamName">[];
}

/** What `putRecords` returns also where some records, or all of them, were refused. */
export interface PutRecordsOutput {
  /** How many were refused. */
  readonly failedRecordCount: number;
  /** One for each record of the request, in the same order. */
  readonly records: readonly PutResult[];
}

const PUT_RECORDS_MAX = 500;
const RETRIES = { attemptsMax: 3, firstDelayMs: 100 };
const LIMIT = 100;

interface Held {
  readonly grant: LeaseGrant;
  readonly lost: AbortController;
}

/**
 * A worker of a Kinesis application: it takes and renews leases, reads shards and checkpoints.
 *
 * Holds: leases are renewed in the background until `shutdown`, which releases them; a lease that
 * could not be renewed in time counts as lost, even if no other worker has taken it.
 *
 * @example A producer gets it from `checkProducer`
 * ```ts
 * import type { KinesisWorker } from "faultlane/check";
 *
 * async function readOnce(worker: KinesisWorker) {
 *   for (const reader of await worker.takeLeases()) {
 *     const { records } = await reader.getRecords(await reader.getShardIterator());
 *     if (records.length > 0) await reader.checkpointer.checkpoint();
 *   }
 * }
 * console.log(readOnce.length); // => 1
 * ```
 *
 * Source: the Kinesis Client Library (KCL 3): Scheduler, LeaseRenewer, ShardRecordProcessor. The
 * library pushes records to a processor; here the reader pulls them, because re-reading a record
 * needs an iterator of its own.
 */
export class KinesisWorker {
  /** The client of the AWS SDK, for what a worker does besides; it needs no lease. */
  readonly client: KinesisClient;
  readonly #port: ClientPort;
  readonly #host: string;
  readonly #server: KinesisServer;
  readonly #id: string;
  readonly #held = new Map<string, Held>();
  #renewedAt = 0;
  #timer: TimerHandle | undefined;
  #isShutDown = false;

  /** @internal */
  constructor(port: ClientPort, host: string, server: KinesisServer, workerNumber: number) {
    this.#port = port;
    this.#host = host;
    this.#server = server;
    this.#id = `${port.name}/worker-${workerNumber}`;
    this.client = new KinesisClient(port, host, server, this.#id);
  }

  /** Describes what this worker holds. */
  openResources(): readonly string[] {
    const leases = [...this.#held.keys()].map((shardId) => `the lease of ${shardId}`);
    return this.#timer === undefined ? leases : [...leases, "the renewal of leases"];
  }

  /** Takes the free leases, and returns a reader for each. */
  async takeLeases(): Promise<readonly ShardReader[]> {
    const isAlive = (): boolean => this.#port.alive;
    const grants = await this.#call("broker.session", () =>
      this.#server.takeLeases(this.#id, isAlive),
    );
    if (this.#isShutDown) {
      if (grants.length > 0) await this.#release();
      return [];
    }
    if (this.#held.size === 0) this.#renewedAt = this.#port.clock.now();
    return grants.map((grant) => this.#hold(grant));
  }

  /** Resolves when the record is durable. */
  async putRecord({ streamName, partitionKey, data }: PutRecordInput): Promise<{
    readonly sequenceNumber: string;
  }> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const sequenceNumber = await this.#call("broker.produce", () =>
      this.#server.put(streamName, partitionKey, bytes),
    );
    return { sequenceNumber };
  }

  /**
   * Resolves when each record is durable or was refused by itself; the client does not repeat those
   * that were refused.
   *
   * @throws {ValidationException} when there are none, or more than 500
   */
  async putRecords({ streamName, records }: PutRecordsInput): Promise<PutRecordsOutput> {
    if (records.length === 0 || records.length > PUT_RECORDS_MAX) {
      const constraint = `Member must have length of 1 to ${PUT_RECORDS_MAX}`;
      const what = "Value '[...]' at 'records' failed to satisfy constraint";
      throw new ValidationException([`${what}: ${constraint}`]);
    }
    const entries = records.map(({ partitionKey, data }) => {
      return {
        partitionKey,
        data: typeof data === "string" ? new TextEncoder().encode(data) : data,
      };
    });
    const results = await this.#call("broker.produce", () =>
      this.#server.putAll(streamName, entries),
    );
    const failedRecordCount = results.filter((one) => "errorCode" in one).length;
    return { failedRecordCount, records: results };
  }

  /** Stops renewing and releases all leases. */
  async shutdown(): Promise<void> {
    this.#isShutDown = true;
    this.#stopRenewing();
    const hadLeases = this.#held.size > 0;
    for (const { lost } of this.#held.values()) lost.abort();
    this.#held.clear();
    if (hadLeases) await this.#release();
  }

  #release(): Promise<void> {
    return this.#call("broker.session", () => this.#server.release(this.#id));
  }

  #hold(grant: LeaseGrant): ShardReader {
    const { shard } = grant;
    const lost = new AbortController();
    this.#held.get(shard.id)?.lost.abort();
    this.#held.set(shard.id, { grant, lost });
    this.#keepRenewing();
    let delivered = 0;
    let isAtEnd = false;
    return {
      shardId: shard.id,
      leaseLost: lost.signal,
      getShardIterator: (place) =>
        this.#call("broker.fetch", () => this.#server.iteratorAt(shard, indexFrom(shard, place))),
      getRecords: async (iterator, limit = LIMIT) => {
        const read = await this.#call("broker.fetch", () =>
          this.#server.read(this.#id, iterator, limit),
        );
        delivered = Math.max(delivered, read.index);
        isAtEnd ||= read.nextShardIterator === undefined;
        return { records: read.records.map(recordFrom), nextShardIterator: read.nextShardIterator };
      },
      checkpointer: {
        checkpoint: async (sequenceNumber, subSequenceNumber = 0) => {
          const isEnd = sequenceNumber === undefined && isAtEnd;
          const position =
            sequenceNumber === undefined
              ? delivered
              : positionAfter(shard, sequenceNumber, subSequenceNumber);
          await this.#checkpoint(grant, { position, delivered, isEnd });
          if (isEnd) this.#forget(shard.id);
        },
      },
    };
  }

  async #checkpoint(grant: LeaseGrant, place: CheckpointPlace): Promise<void> {
    try {
      await this.#call("broker.settle", () => this.#server.checkpoint(grant, place));
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw new KinesisClientLibDependencyException(error.message, { cause: error });
    }
  }

  #keepRenewing(): void {
    if (this.#timer !== undefined || this.#isShutDown) return;
    this.#timer = this.#port.clock.setTimer(Math.floor(this.#server.leaseMs / 4), () => {
      this.#timer = undefined;
      void this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const asked = [...this.#held.values()];
    if (asked.length === 0) return;
    this.#keepRenewing();
    const grants = asked.map(({ grant }) => grant);
    const startedAt = this.#port.clock.now();
    try {
      const kept = await this.#port.call("broker.session", this.#host, () =>
        this.#server.renew(grants),
      );
      this.#renewedAt = startedAt;
      for (const held of asked) if (!kept.includes(held.grant)) this.#lose(held);
    } catch {
      const isTooOld = this.#port.clock.now() - this.#renewedAt >= this.#server.leaseMs;
      if (isTooOld) for (const held of asked) this.#lose(held);
    }
  }

  #lose({ grant, lost }: Held): void {
    lost.abort();
    const { id } = grant.shard;
    if (this.#held.get(id)?.lost === lost) this.#forget(id);
  }

  #forget(shardId: string): void {
    this.#held.delete(shardId);
    if (this.#held.size === 0) this.#stopRenewing();
  }

  #stopRenewing(): void {
    if (this.#timer !== undefined) this.#port.clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  async #call<T>(site: SiteName, effect: () => T): Promise<T> {
    const request = { site, to: this.#host, effect, isRepeatable: true };
    try {
      return await callAsLibrary(this.#port, request, RETRIES);
    } catch (error) {
      if (!isTransportError(error)) throw error;
      throw new TimeoutError(`No reply from ${this.#host}`, { cause: error });
    }
  }
}

function recordFrom({
  partitionKey,
  sequenceNumber,
  subSequenceNumber,
  data,
}: KinesisRecord): KinesisRecord {
  return { partitionKey, sequenceNumber, subSequenceNumber, data: new Uint8Array(data) };
}

/**
 * Returns how many records precede the position; undefined means the lease's checkpoint.
 *
 * @throws {InvalidArgumentException} when no record has this sequence number
 */
function indexFrom(shard: Shard, place: IteratorPlace | undefined): number | undefined {
  if (place === undefined) return undefined;
  if (place.shardIteratorType === "TRIM_HORIZON") return 0;
  if (place.shardIteratorType === "LATEST") return shard.records.length;
  const { startingSequenceNumber = "", startingSubSequenceNumber = 0 } = place;
  const index = shard.indexOf(startingSequenceNumber, startingSubSequenceNumber);
  if (index === -1) {
    throw new InvalidArgumentException(
      `StartingSequenceNumber ${startingSequenceNumber} used in GetShardIterator on shard ${shard.id} is invalid`,
    );
  }
  return place.shardIteratorType === "AT_SEQUENCE_NUMBER" ? index : index + 1;
}

function positionAfter(shard: Shard, sequenceNumber: string, subSequenceNumber: number): number {
  const index = shard.indexOf(sequenceNumber, subSequenceNumber);
  return index === -1 ? -1 : index + 1;
}
