import type { World } from "../../kernel/world.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { refIn, textOf } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import {
  AccessDeniedException,
  ExpiredIteratorException,
  IllegalArgumentException,
  InvalidArgumentException,
  ProvisionedThroughputExceededException,
  ShutdownException,
} from "./errors.ts";
import type { Placed, PutEntry, PutRefused, PutResult } from "./put-result.ts";
import { evenRanges, hashOf, Shard, type UserRecord } from "./shard.ts";

/** One ownership of a lease. Taking the lease again, even by the same worker, is another grant. */
export interface LeaseGrant {
  readonly shard: Shard;
  readonly worker: string;
  readonly counter: number;
}

/** A row of the lease table. */
interface Lease {
  readonly shard: Shard;
  owner: string | undefined;
  /** Counts the grants. */
  counter: number;
  renewedAt: number;
  /** How many records of the shard are checkpointed. */
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
  /** Undefined when the shard is closed and has been read to its end. */
  readonly nextShardIterator: string | undefined;
  /** How many records of the shard precede the next read. */
  readonly index: number;
  /** How old the last record is, if there are newer ones; otherwise 0. */
  readonly behindMs: number;
  /** Those of a shard that is closed. */
  readonly children: readonly Shard[];
}

/** A checkpoint: counts of the shard's user records. */
export interface CheckpointPlace {
  readonly position: number;
  readonly delivered: number;
  /** Whether it is the end of a closed shard. */
  readonly isEnd: boolean;
}

export interface KinesisSettings {
  readonly stream: string;
  readonly shards: number;
  readonly leaseMs: number;
  readonly deadLetterStreams: readonly string[] | undefined;
}

const ITERATOR_MS = 300_000;
/** How long, and up to how many, user records are aggregated into one record. */
const AGGREGATE_MS = 50;
const AGGREGATE_MAX = 3;
const SEQUENCE_DIGITS = 54;

/**
 * A Kinesis stream and the lease table of one application.
 *
 * Holds: user records that arrive within a moment are aggregated into one record; only the owner of
 * a lease may checkpoint, at any position that was delivered to it; the children of a split shard
 * are leased only after the parent was checkpointed at its end.
 *
 * Source: Kinesis API, GetShardIterator and GetRecords; KCL 3, lease table and "aggregated records"
 */
export class KinesisServer {
  /** While on, puts to other streams are refused. */
  readonly refusal: Refusal;
  /** While it is on, the account may not read the stream. */
  readonly denial: Refusal;
  readonly deadLetterStreams: KinesisSettings["deadLetterStreams"];
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #settings: KinesisSettings;
  readonly #leases: Lease[] = [];
  readonly #iterators = new Map<string, ShardIterator>();
  readonly #collecting = new Map<Shard, Pick<UserRecord, "partitionKey" | "data" | "ref">[]>();
  #sequence = 0;
  #iteratorCount = 0;
  #shardCount = 0;

  constructor(world: World, settlements: SettlementLog, settings: KinesisSettings) {
    this.refusal = new Refusal(world);
    this.denial = new Refusal(world);
    this.#world = world;
    this.#settlements = settlements;
    this.#settings = settings;
    this.deadLetterStreams = settings.deadLetterStreams;
    for (const range of evenRanges(settings.shards)) this.#addShard(range);
  }

  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  get epochMs(): number {
    return this.#world.epochMs;
  }

  get now(): number {
    return this.#world.now;
  }

  get leaseMs(): number {
    return this.#settings.leaseMs;
  }

  /** Puts one record. */
  put(stream: string, partitionKey: string, data: Uint8Array): string {
    if (this.refusal.isOn && stream !== this.#settings.stream) {
      throw new ProvisionedThroughputExceededException(stream);
    }
    return this.#accept(stream, partitionKey, data);
  }

  /** Aggregates a record of the source stream; a record of any other stream is a dead letter. */
  #accept(stream: string, partitionKey: string, data: Uint8Array): string {
    const ref = refIn(textOf(data));
    if (stream !== this.#settings.stream) {
      this.#settlements.deadLettered(ref);
      return this.#nextSequence();
    }
    const shard = this.#shardFor(partitionKey);
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

  /**
   * Puts several records, each by itself. While other streams are throttled, every second record is
   * refused, from the first one on, and the request succeeds nevertheless.
   */
  putAll(stream: string, records: readonly PutEntry[]): readonly PutResult[] {
    return records.map(
      ({ partitionKey, data }, at) =>
        this.#refusalOf(stream, at) ?? { sequenceNumber: this.#accept(stream, partitionKey, data) },
    );
  }

  /** Puts several records as they are, each by itself as `putAll`. */
  putAllAlone(stream: string, records: readonly PutEntry[]): readonly (Placed | PutRefused)[] {
    return records.map(
      (record, at) => this.#refusalOf(stream, at) ?? this.#acceptAlone(stream, record),
    );
  }

  #refusalOf(stream: string, at: number): PutRefused | undefined {
    const isThrottled = this.refusal.isOn && stream !== this.#settings.stream;
    if (!isThrottled || at % 2 !== 0) return undefined;
    const { name, message } = new ProvisionedThroughputExceededException(stream);
    return { errorCode: name, errorMessage: message };
  }

  /**
   * Puts one record as it is, without aggregating it.
   *
   * @throws {ProvisionedThroughputExceededException} while other streams are throttled
   */
  putAlone(stream: string, entry: PutEntry): Placed {
    if (this.refusal.isOn && stream !== this.#settings.stream) {
      throw new ProvisionedThroughputExceededException(stream);
    }
    return this.#acceptAlone(stream, entry);
  }

  #acceptAlone(stream: string, { partitionKey, data, hash }: PutEntry): Placed {
    const shard = this.#shardFor(partitionKey, hash);
    if (stream !== this.#settings.stream) {
      return { shardId: shard.id, sequenceNumber: this.#accept(stream, partitionKey, data) };
    }
    const sequenceNumber = this.#nextSequence();
    const numbers = { sequenceNumber, subSequenceNumber: 0, arrivedAt: this.#world.now };
    const ref = this.#settlements.copied(refIn(textOf(data)));
    shard.records.push({ ...numbers, partitionKey, data, ref });
    return { shardId: shard.id, sequenceNumber };
  }

  /** The stream with the records. */
  get stream(): string {
    return this.#settings.stream;
  }

  get shards(): readonly Shard[] {
    return this.#leases.map(({ shard }) => shard);
  }

  #shardFor(partitionKey: string, hash = hashOf(partitionKey)): Shard {
    return (this.#leases.find(({ shard }) => shard.takes(hash)) as Lease).shard;
  }

  /** Grants the worker every free lease that may start, and returns the new grants. */
  takeLeases(worker: string, isAlive: () => boolean): readonly LeaseGrant[] {
    const taken: LeaseGrant[] = [];
    for (const lease of this.#leases) {
      if (lease.owner !== undefined || lease.isEnded || !this.#mayStart(lease)) continue;
      lease.owner = worker;
      lease.counter += 1;
      lease.renewedAt = this.#world.now;
      const grant = { shard: lease.shard, worker, counter: lease.counter };
      this.#watch(lease, grant, isAlive);
      taken.push(grant);
    }
    return taken;
  }

  /** Renews the leases, and returns those that the worker still holds. */
  renew(grants: readonly LeaseGrant[]): readonly LeaseGrant[] {
    return grants.filter((grant) => {
      const lease = this.#leaseOf(grant.shard);
      if (!isHeld(lease, grant)) return false;
      lease.renewedAt = this.#world.now;
      return true;
    });
  }

  release(worker: string): void {
    for (const lease of this.#leases) if (lease.owner === worker) lease.owner = undefined;
  }

  /** Returns a new iterator at `place`, by default at the lease's checkpoint. */
  iteratorAt(shard: Shard, place: number | undefined): string {
    const index = place ?? this.#leaseOf(shard).checkpoint;
    this.#iteratorCount += 1;
    const name = `iterator-${this.#iteratorCount}`;
    this.#iterators.set(name, { shard, index, createdAt: this.#world.now });
    return name;
  }

  /**
   * Reads at most `limit` user records; or records of the stream, each with all its user records.
   *
   * @throws {ExpiredIteratorException} when the iterator is older than five minutes
   * @throws {InvalidArgumentException} when there never was such an iterator
   */
  read(
    who: string,
    iterator: string,
    limit: number,
    counting: "user records" | "records" = "user records",
  ): RecordsRead {
    if (this.denial.isOn) throw new AccessDeniedException(this.#settings.stream);
    const at = this.#iterators.get(iterator);
    if (at === undefined && !this.#wasIssued(iterator)) {
      throw new InvalidArgumentException("Invalid ShardIterator.");
    }
    if (at === undefined || this.#world.now - at.createdAt > ITERATOR_MS) {
      throw new ExpiredIteratorException();
    }
    const { shard } = at;
    const end = counting === "records" ? shard.indexAfter(at.index, limit) : at.index + limit;
    const records = shard.records.slice(at.index, end);
    for (const { ref } of records) this.#settlements.delivered(ref, who, shard.id);
    const index = at.index + records.length;
    const isOver = this.#isDrained(shard) && index >= shard.records.length;
    const last = index < shard.records.length ? records.at(-1) : undefined;
    return {
      children: this.shards.filter(({ parent }) => parent === shard),
      behindMs: last === undefined ? 0 : this.#world.now - last.arrivedAt,
      records,
      index,
      nextShardIterator: isOver ? undefined : this.iteratorAt(shard, index),
    };
  }

  /**
   * Records that the first `position` records of the shard are processed.
   *
   * @throws {ShutdownException} when the worker does not hold the lease
   * @throws {IllegalArgumentException} when `position` is beyond what was delivered
   */
  checkpoint(grant: LeaseGrant, { position, delivered, isEnd }: CheckpointPlace): void {
    const { shard, worker } = grant;
    const lease = this.#leaseOf(shard);
    let refused: Error | undefined;
    if (!isHeld(lease, grant)) {
      refused = new ShutdownException(shard.id);
    } else if (position > delivered || position < 0) {
      refused = new IllegalArgumentException(`Could not checkpoint ${shard.id} at ${position}`);
    }
    const { ref } = shard.records[position - 1] ?? {};
    const handle = `${shard.id}@${position}`;
    const name = refused?.name ?? "";
    this.#settlements.attempted({ ref, consumer: worker, handle, act: "commit", refused: name });
    if (refused !== undefined) throw refused;
    for (const record of shard.records.slice(lease.checkpoint, position)) {
      this.#settlements.settled(record.ref, worker);
    }
    lease.checkpoint = position;
    if (isEnd) {
      lease.isEnded = true;
      lease.owner = undefined;
    }
  }

  /** Transfers a lease from its owner to a rival, which does not read. */
  steal(rival: string, nth: number): void {
    const held = this.#leases.filter(({ owner }) => owner !== undefined && owner !== rival);
    const lease = held[nth % Math.max(1, held.length)];
    if (lease !== undefined) lease.owner = rival;
  }

  /** Splits the open shard with the most records into two children. */
  split(): void {
    const open = this.#leases.map(({ shard }) => shard).filter(({ isClosed }) => !isClosed);
    const [parent] = open.toSorted(
      (a, b) => b.records.length - a.records.length || (a.id < b.id ? -1 : 1),
    );
    if (parent === undefined || parent.range.to - parent.range.from < 2n) return;
    this.#flush(parent);
    parent.endsAt = this.#nextSequence();
    const { from, to } = parent.range;
    const middle = (from + to) / 2n;
    this.#addShard({ from, to: middle }, parent);
    this.#addShard({ from: middle, to }, parent);
  }

  expireIterators(): void {
    this.#iterators.clear();
  }

  #addShard(range: Shard["range"], parent?: Shard): void {
    const shard = new Shard(this.#shardCount, range, this.#nextSequence(), parent);
    this.#shardCount += 1;
    const free = { owner: undefined, counter: 0, renewedAt: 0, checkpoint: 0, isEnded: false };
    this.#leases.push({ shard, ...free });
  }

  #mayStart({ shard }: Lease): boolean {
    return shard.parent === undefined || this.#leaseOf(shard.parent).isEnded;
  }

  #isDrained(shard: Shard): boolean {
    return shard.isClosed && (this.#collecting.get(shard) ?? []).length === 0;
  }

  #wasIssued(iterator: string): boolean {
    const [, number] = /^iterator-(\d+)$/.exec(iterator) ?? [];
    return number !== undefined && Number(number) <= this.#iteratorCount;
  }

  #flush(shard: Shard): void {
    const collected = this.#collecting.get(shard) ?? [];
    this.#collecting.delete(shard);
    if (collected.length === 0) return;
    const sequenceNumber = this.#nextSequence();
    const arrivedAt = this.#world.now;
    for (const [subSequenceNumber, record] of collected.entries()) {
      shard.records.push({ ...record, sequenceNumber, subSequenceNumber, arrivedAt });
    }
  }

  #nextSequence(): string {
    this.#sequence += 1;
    return `49${String(this.#sequence).padStart(SEQUENCE_DIGITS, "0")}`;
  }

  /** Frees the lease when it is not renewed in time. */
  #watch(lease: Lease, grant: LeaseGrant, isAlive: () => boolean): void {
    const dueAt = lease.renewedAt + this.leaseMs;
    const delayMs = Math.max(1, dueAt - this.#world.now);
    this.#world.schedule(delayMs, { lane: "kinesis", hop: false }, () => {
      if (!isHeld(lease, grant)) return;
      if (this.#world.now - lease.renewedAt < this.leaseMs) {
        this.#watch(lease, grant, isAlive);
        return;
      }
      lease.owner = undefined;
      // If the worker has crashed, a lapse is not its fault and is not traced.
      if (isAlive()) this.#settlements.lapsed("", grant.worker);
    });
  }

  #leaseOf(shard: Shard): Lease {
    return this.#leases.find((lease) => lease.shard === shard) as Lease;
  }
}

function isHeld({ owner, counter }: Lease, grant: LeaseGrant): boolean {
  return owner === grant.worker && counter === grant.counter;
}
