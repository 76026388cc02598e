import type { World } from "../../world.ts";
import type { RecordBook } from "../record-book.ts";
import { refIn, textOf } from "../ref-in.ts";
import { ExpiredIteratorException, IllegalArgumentException, ShutdownException } from "./errors.ts";
import { evenRanges, Shard, type UserRecord } from "./shard.ts";

/** A line of the lease table. */
interface Lease {
  readonly shard: Shard;
  owner: string | undefined;
  renewedAt: number;
  /** How many records of the shard are done with. */
  checkpoint: number;
  isEnded: boolean;
}

interface ShardIterator {
  readonly shard: Shard;
  readonly index: number;
  readonly createdAt: number;
}

export interface RecordsRead {
  readonly records: readonly UserRecord[];
  /** Undefined when the shard was closed and all of it has been read. */
  readonly nextShardIterator: string | undefined;
  /** How many records of the shard come before the next. */
  readonly index: number;
}

export interface KinesisSettings {
  readonly stream: string;
  readonly shards: number;
  readonly leaseMs: number;
}

const ITERATOR_MS = 300_000;
/** The producer library collects for so long, and at most so many, into one record. */
const AGGREGATE_MS = 50;
const AGGREGATE_MAX = 3;
const SEQUENCE_DIGITS = 20;

/**
 * A Kinesis stream and the lease table of one application.
 *
 * Holds: what one user put within a moment is one aggregated record; a position is a count of user
 * records; only the owner of a lease may checkpoint, and nothing else is asked of the position but
 * that it was delivered; the children of a shard are leased once it is checkpointed at its end.
 *
 * Source: Kinesis API, GetShardIterator and GetRecords; KCL 3, lease table and "aggregated records"
 */
export class KinesisServer {
  readonly #world: World;
  readonly #book: RecordBook;
  readonly #settings: KinesisSettings;
  readonly #leases: Lease[] = [];
  readonly #iterators = new Map<string, ShardIterator>();
  readonly #collecting = new Map<
    Shard,
    Omit<UserRecord, "sequenceNumber" | "subSequenceNumber">[]
  >();
  #sequence = 0;
  #iteratorCount = 0;
  #shardCount = 0;

  constructor(world: World, book: RecordBook, settings: KinesisSettings) {
    this.#world = world;
    this.#book = book;
    this.#settings = settings;
    for (const range of evenRanges(settings.shards)) this.#addShard(range);
  }

  get leaseMs(): number {
    return this.#settings.leaseMs;
  }

  /** Collects a record of the source stream; a record of another is a dead letter. */
  put(stream: string, partitionKey: string, data: Uint8Array): string {
    const ref = refIn(textOf(data));
    if (stream !== this.#settings.stream) {
      this.#book.deadLettered(ref);
      return this.#nextSequence();
    }
    const { shard } = this.#leases.find((one) => one.shard.takes(partitionKey)) as Lease;
    const collected = this.#collecting.get(shard) ?? [];
    collected.push({ partitionKey, data, ref });
    this.#collecting.set(shard, collected);
    if (collected.length >= AGGREGATE_MAX) this.#flush(shard);
    else if (collected.length === 1) {
      const flush = (): void => this.#flush(shard);
      this.#world.schedule(AGGREGATE_MS, { lane: "kinesis", hop: false }, flush);
    }
    return "";
  }

  /** Gives the worker every lease that nobody holds and that may start; answers which are new. */
  takeLeases(worker: string, isAlive: () => boolean): readonly Shard[] {
    const taken: Shard[] = [];
    for (const lease of this.#leases) {
      if (lease.owner !== undefined || lease.isEnded || !this.#mayStart(lease)) continue;
      lease.owner = worker;
      lease.renewedAt = this.#world.now;
      this.#watch(lease, worker, isAlive);
      taken.push(lease.shard);
    }
    return taken;
  }

  /** Answers which of the shards the worker still holds. */
  renew(worker: string, shards: readonly Shard[]): readonly Shard[] {
    return shards.filter((shard) => {
      const lease = this.#leaseOf(shard);
      if (lease.owner !== worker) return false;
      lease.renewedAt = this.#world.now;
      return true;
    });
  }

  release(worker: string): void {
    for (const lease of this.#leases) if (lease.owner === worker) lease.owner = undefined;
  }

  /** An iterator at the lease's checkpoint, or at a place in the shard. */
  iteratorAt(shard: Shard, place: number | undefined): string {
    const index = place ?? this.#leaseOf(shard).checkpoint;
    this.#iteratorCount += 1;
    const name = `iterator-${this.#iteratorCount}`;
    this.#iterators.set(name, { shard, index, createdAt: this.#world.now });
    return name;
  }

  /** @throws {ExpiredIteratorException} when the iterator is older than five minutes */
  read(who: string, iterator: string, limit: number): RecordsRead {
    const at = this.#iterators.get(iterator);
    if (at === undefined || this.#world.now - at.createdAt > ITERATOR_MS) {
      throw new ExpiredIteratorException();
    }
    const { shard } = at;
    const records = shard.records.slice(at.index, at.index + limit);
    for (const { ref } of records) this.#book.delivered(ref, who, shard.id);
    const index = at.index + records.length;
    const isOver = this.#isDrained(shard) && index >= shard.records.length;
    return {
      records,
      index,
      nextShardIterator: isOver ? undefined : this.iteratorAt(shard, index),
    };
  }

  /**
   * Remembers that the first `position` records of the shard are done with.
   *
   * @throws {ShutdownException} when the worker does not hold the lease
   * @throws {IllegalArgumentException} when `position` is beyond what was delivered
   */
  checkpoint(
    worker: string,
    shard: Shard,
    position: number,
    delivered: number,
    isEnd: boolean,
  ): void {
    const lease = this.#leaseOf(shard);
    const refused =
      lease.owner === worker
        ? position > delivered || position < 0
          ? new IllegalArgumentException(`Could not checkpoint ${shard.id} at ${position}`)
          : undefined
        : new ShutdownException(shard.id);
    const { ref } = shard.records[position - 1] ?? {};
    const handle = `${shard.id}@${position}`;
    const name = refused?.name ?? "";
    this.#book.attempted({ ref, consumer: worker, handle, act: "commit", refused: name });
    if (refused !== undefined) throw refused;
    for (const record of shard.records.slice(lease.checkpoint, position)) {
      this.#book.settled(record.ref, worker);
    }
    lease.checkpoint = position;
    if (isEnd) {
      lease.isEnded = true;
      lease.owner = undefined;
    }
  }

  /** Takes a lease away from whoever holds it, and gives it to a rival, who does nothing with it. */
  steal(rival: string, nth: number): void {
    const held = this.#leases.filter(({ owner }) => owner !== undefined && owner !== rival);
    const lease = held[nth % Math.max(1, held.length)];
    if (lease !== undefined) lease.owner = rival;
  }

  /** Closes the open shard with the most records; its keys go to two children. */
  split(): void {
    const open = this.#leases.map(({ shard }) => shard).filter(({ isClosed }) => !isClosed);
    const [parent] = open.toSorted(
      (a, b) => b.records.length - a.records.length || (a.id < b.id ? -1 : 1),
    );
    if (parent === undefined || parent.range.to - parent.range.from < 2) return;
    this.#flush(parent);
    parent.isClosed = true;
    const { from, to } = parent.range;
    const middle = Math.floor((from + to) / 2);
    this.#addShard({ from, to: middle }, parent);
    this.#addShard({ from: middle, to }, parent);
  }

  expireIterators(): void {
    this.#iterators.clear();
  }

  #addShard(range: Shard["range"], parent?: Shard): void {
    const shard = new Shard(`shard-${this.#shardCount}`, range, parent);
    this.#shardCount += 1;
    this.#leases.push({
      shard,
      owner: undefined,
      renewedAt: 0,
      checkpoint: 0,
      isEnded: false,
    });
  }

  #mayStart({ shard }: Lease): boolean {
    return shard.parent === undefined || this.#leaseOf(shard.parent).isEnded;
  }

  #isDrained(shard: Shard): boolean {
    return shard.isClosed && (this.#collecting.get(shard) ?? []).length === 0;
  }

  #flush(shard: Shard): void {
    const collected = this.#collecting.get(shard) ?? [];
    this.#collecting.delete(shard);
    if (collected.length === 0) return;
    const sequenceNumber = this.#nextSequence();
    for (const [subSequenceNumber, record] of collected.entries()) {
      shard.records.push({ ...record, sequenceNumber, subSequenceNumber });
    }
  }

  #nextSequence(): string {
    this.#sequence += 1;
    return `49${String(this.#sequence).padStart(SEQUENCE_DIGITS, "0")}`;
  }

  /** A lease that is not renewed in time is free. */
  #watch(lease: Lease, worker: string, isAlive: () => boolean): void {
    const dueAt = lease.renewedAt + this.leaseMs;
    const delayMs = Math.max(1, dueAt - this.#world.now);
    this.#world.schedule(delayMs, { lane: "kinesis", hop: false }, () => {
      if (lease.owner !== worker) return;
      if (this.#world.now - lease.renewedAt < this.leaseMs) {
        this.#watch(lease, worker, isAlive);
        return;
      }
      lease.owner = undefined;
      // A dead process could not have renewed it.
      if (isAlive()) this.#book.lapsed("", worker);
    });
  }

  #leaseOf(shard: Shard): Lease {
    return this.#leases.find((lease) => lease.shard === shard) as Lease;
  }
}
