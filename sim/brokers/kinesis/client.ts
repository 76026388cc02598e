import type { TimerHandle } from "../../../src/time/mod.ts";
import type { SiteName } from "../../faults/site.ts";
import type { Wire } from "../broker.ts";
import { callAsLibrary, isTransportError } from "../library-call.ts";
import { bytesFrom } from "../text-bytes.ts";
import { KinesisClientLibDependencyException, TimeoutError } from "./errors.ts";
import type { CheckpointPlace, KinesisServer, LeaseGrant } from "./server.ts";
import type { Shard } from "./shard.ts";

/** A record as a reader gets it, taken out of the aggregated record that it came in. */
export interface KinesisRecord {
  readonly partitionKey: string;
  readonly sequenceNumber: string;
  readonly subSequenceNumber: number;
  readonly data: Uint8Array;
}

export interface KinesisRecords {
  readonly records: readonly KinesisRecord[];
  /** Undefined when the shard was closed and all of it has been read. */
  readonly nextShardIterator: string | undefined;
}

/** Where to read from; left out: behind the checkpoint of the lease. */
export interface IteratorPlace {
  readonly shardIteratorType:
    | "AT_SEQUENCE_NUMBER"
    | "AFTER_SEQUENCE_NUMBER"
    | "TRIM_HORIZON"
    | "LATEST";
  readonly startingSequenceNumber?: string;
  readonly startingSubSequenceNumber?: number;
}

/**
 * Says how far a shard is done with.
 *
 * Holds: without arguments it is all that was delivered to this reader, and the end of the shard
 * once that was delivered; a sequence number without a sub-sequence number is that of the first
 * record of an aggregated one.
 *
 * Source: KCL 3, RecordProcessorCheckpointer.checkpoint
 */
export interface Checkpointer {
  checkpoint(sequenceNumber?: string, subSequenceNumber?: number): Promise<void>;
}

/** What one worker reads of one shard, as long as it holds the lease. */
export interface ShardReader {
  readonly shardId: string;
  readonly checkpointer: Checkpointer;
  /** Aborts when the worker finds that the lease is another's. */
  readonly leaseLost: AbortSignal;
  getShardIterator(place?: IteratorPlace): Promise<string>;
  getRecords(shardIterator: string, limit?: number): Promise<KinesisRecords>;
}

export interface PutRecordInput {
  readonly streamName: string;
  readonly partitionKey: string;
  readonly data: string | Uint8Array;
}

const RETRIES = { attemptsMax: 3, firstDelayMs: 100 };
const LIMIT = 100;

interface Held {
  readonly grant: LeaseGrant;
  readonly lost: AbortController;
}

/**
 * A worker of a Kinesis application: takes leases, renews them by itself, reads, checkpoints.
 *
 * Holds: leases are renewed in the background, from the first one taken until `shutdown`, which
 * gives them back; a lease that could not be renewed in time is lost, whether or not somebody has
 * it.
 *
 * Source: the Kinesis Client Library (KCL 3): Scheduler, LeaseRenewer, ShardRecordProcessor. Its
 * record processor is called with records; here the reader asks for them, because a record that has
 * to come again needs an iterator of its own.
 */
export class KinesisWorker {
  readonly #wire: Wire;
  readonly #host: string;
  readonly #server: KinesisServer;
  readonly #id: string;
  readonly #held = new Map<string, Held>();
  #renewedAt = 0;
  #timer: TimerHandle | undefined;
  #isShutDown = false;

  constructor(wire: Wire, host: string, server: KinesisServer, workerNumber: number) {
    this.#wire = wire;
    this.#host = host;
    this.#server = server;
    this.#id = `${wire.name}/worker-${workerNumber}`;
  }

  /** What it holds, in words. */
  open(): readonly string[] {
    const leases = [...this.#held.keys()].map((shardId) => `the lease of ${shardId}`);
    return this.#timer === undefined ? leases : [...leases, "the renewal of leases"];
  }

  /** Takes the leases that are free; answers with a reader for each. */
  async takeLeases(): Promise<readonly ShardReader[]> {
    const isAlive = (): boolean => this.#wire.alive;
    const grants = await this.#call("broker.session", () =>
      this.#server.takeLeases(this.#id, isAlive),
    );
    if (this.#isShutDown) {
      if (grants.length > 0) await this.#release();
      return [];
    }
    if (this.#held.size === 0) this.#renewedAt = this.#wire.clock.now();
    return grants.map((grant) => this.#hold(grant));
  }

  /** Puts a record into a stream; resolves when it is durable. */
  async putRecord({ streamName, partitionKey, data }: PutRecordInput): Promise<{
    readonly sequenceNumber: string;
  }> {
    const bytes = typeof data === "string" ? bytesFrom(data) : data;
    const sequenceNumber = await this.#call("broker.produce", () =>
      this.#server.put(streamName, partitionKey, bytes),
    );
    return { sequenceNumber };
  }

  /** Stops renewing and gives all leases back. */
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
          if (isEnd) this.#letGo(shard.id);
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
    this.#timer = this.#wire.clock.setTimer(Math.floor(this.#server.leaseMs / 4), () => {
      this.#timer = undefined;
      void this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const asked = [...this.#held.values()];
    if (asked.length === 0) return;
    this.#keepRenewing();
    const grants = asked.map(({ grant }) => grant);
    const startedAt = this.#wire.clock.now();
    try {
      const kept = await this.#wire.call("broker.session", this.#host, () =>
        this.#server.renew(grants),
      );
      this.#renewedAt = startedAt;
      for (const held of asked) if (!kept.includes(held.grant)) this.#lose(held);
    } catch {
      const isTooOld = this.#wire.clock.now() - this.#renewedAt >= this.#server.leaseMs;
      if (isTooOld) for (const held of asked) this.#lose(held);
    }
  }

  #lose({ grant, lost }: Held): void {
    lost.abort();
    const { id } = grant.shard;
    if (this.#held.get(id)?.lost === lost) this.#letGo(id);
  }

  #letGo(shardId: string): void {
    this.#held.delete(shardId);
    if (this.#held.size === 0) this.#stopRenewing();
  }

  #stopRenewing(): void {
    if (this.#timer !== undefined) this.#wire.clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  async #call<T>(site: SiteName, effect: () => T): Promise<T> {
    const request = { site, to: this.#host, effect, isRepeatable: true };
    try {
      return await callAsLibrary(this.#wire, request, RETRIES);
    } catch (error) {
      if (!isTransportError(error)) throw error;
      throw new TimeoutError(`No answer from ${this.#host}`, { cause: error });
    }
  }
}

function recordFrom({
  partitionKey,
  sequenceNumber,
  subSequenceNumber,
  data,
}: KinesisRecord): KinesisRecord {
  return { partitionKey, sequenceNumber, subSequenceNumber, data };
}

/** Undefined: where the lease's checkpoint is. */
function indexFrom(shard: Shard, place: IteratorPlace | undefined): number | undefined {
  if (place === undefined) return undefined;
  if (place.shardIteratorType === "TRIM_HORIZON") return 0;
  if (place.shardIteratorType === "LATEST") return shard.records.length;
  const { startingSequenceNumber = "", startingSubSequenceNumber = 0 } = place;
  const index = shard.indexOf(startingSequenceNumber, startingSubSequenceNumber);
  return place.shardIteratorType === "AT_SEQUENCE_NUMBER" ? index : index + 1;
}

function positionAfter(shard: Shard, sequenceNumber: string, subSequenceNumber: number): number {
  const index = shard.indexOf(sequenceNumber, subSequenceNumber);
  return index === -1 ? -1 : index + 1;
}
