import type { World } from "../../kernel/world.ts";
import type { Publication } from "../broker.ts";
import { recordText } from "../record-text.ts";
import { Refusal } from "../refusal.ts";
import { tracePublished } from "../settlement-log.ts";
import { KafkaJSOffsetOutOfRange } from "./kafka-errors.ts";

type StoredHeader = string | Uint8Array | readonly (string | Uint8Array)[];

/** A record in the log. */
export interface StoredRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Bytes that are no text are kept as bytes, as in value and headers. */
  readonly key: string | Uint8Array | null;
  readonly value: string | Uint8Array | null;
  /** A header that is repeated has all its values. */
  readonly headers: Readonly<Record<string, StoredHeader>>;
  /** In milliseconds since the epoch. */
  readonly timestamp: number;
  /** Empty for a record that the workload did not publish. */
  readonly ref: string;
  /** The first offset of the batch in which it was sent, if it was not sent alone. */
  readonly sentWith?: number;
}

export interface Partition {
  readonly topic: string;
  readonly number: number;
  readonly records: StoredRecord[];
  /** The offset after the last one. */
  end: number;
  /** The oldest offset that retention has not deleted. */
  low: number;
}

const FETCH_RECORDS_MAX = 50;
/** One in this many records is followed by a gap, as compaction and transactions leave them. */
const GAP_ONE_IN = 5;

/**
 * Topics with partitions, whose offsets grow and may have gaps.
 *
 * A producer under test chooses its topics itself: the topics of the first subscription get all
 * records of the workload, including those that were published before.
 */
export class KafkaLog {
  /** While it is on, clients may neither read the topics nor commit. */
  readonly denial: Refusal;
  readonly #world: World;
  readonly #host: string;
  readonly #partitionCount: number;
  readonly #topics = new Map<string, Partition[]>();
  readonly #copied = new Set<string>();
  readonly #waiting: Publication[] = [];
  readonly #waiters = new Set<() => void>();
  #sources: readonly string[] = [];
  #appended = 0;

  constructor(world: World, host: string, partitions: number) {
    this.denial = new Refusal(world);
    this.#world = world;
    this.#host = host;
    this.#partitionCount = partitions;
  }

  /** How many records were appended so far. */
  get appended(): number {
    return this.#appended;
  }

  /** The topics that the workload publishes to. */
  get sources(): readonly string[] {
    return this.#sources;
  }

  /** Creates the topics; those of the first call become the workload's topics. */
  offer(topics: readonly string[]): void {
    for (const topic of topics) this.partitionsOf(topic);
    if (this.#sources.length > 0 || topics.length === 0) return;
    this.#sources = topics.toSorted();
    for (const publication of this.#waiting.splice(0)) this.#store(publication);
  }

  publish(publication: Publication): void {
    tracePublished(this.#world, this.#host, publication);
    if (this.#sources.length === 0) this.#waiting.push(publication);
    else this.#store(publication);
  }

  /** A client has sent a record of the workload again, to a topic that has them; returns its ref. */
  copied(ref: string | undefined): string | undefined {
    if (ref === undefined) return undefined;
    this.#copied.add(ref);
    this.#world.trace.emit(this.#host, { kind: "copied", ref });
    return ref;
  }

  /** Whether there are several messages of a record. */
  isCopied(ref: string): boolean {
    return this.#copied.has(ref);
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Returns the partitions of a topic, which is created if there is none yet. */
  partitionsOf(topic: string, count: number = this.#partitionCount): readonly Partition[] {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const partitions = Array.from({ length: count }, (_, number) => ({
      topic,
      number,
      records: [],
      end: 0,
      low: 0,
    }));
    this.#topics.set(topic, partitions);
    return partitions;
  }

  partition(topic: string, number: number): Partition | undefined {
    return this.#topics.get(topic)?.[number];
  }

  topics(): readonly string[] {
    return [...this.#topics.keys()];
  }

  append(
    topic: string,
    number: number,
    parts: Omit<StoredRecord, "topic" | "partition" | "offset">,
  ): number {
    const partition = this.partitionsOf(topic)[number] as Partition;
    const offset = partition.end;
    partition.records.push({ topic, partition: number, offset, ...parts });
    partition.end += 1;
    this.#appended += 1;
    for (const wake of [...this.#waiters]) wake();
    return offset;
  }

  /**
   * Returns records from `offset` on, up to the fetch limit.
   *
   * @throws {KafkaJSOffsetOutOfRange} when retention has deleted that offset, or it lies beyond the
   *   end
   */
  read(topic: string, number: number, offset: number): readonly StoredRecord[] {
    const partition = this.partition(topic, number);
    if (partition === undefined) return [];
    if (offset < partition.low || offset > partition.end) {
      throw new KafkaJSOffsetOutOfRange(topic, number);
    }
    return partition.records
      .filter((record) => record.offset >= offset)
      .slice(0, FETCH_RECORDS_MAX);
  }

  /** Calls `wake` at each append, until the returned object is disposed. */
  onAppend(wake: () => void): Disposable {
    this.#waiters.add(wake);
    return { [Symbol.dispose]: () => void this.#waiters.delete(wake) };
  }

  /** Deletes all records before `offset`, as retention does. */
  trim(partition: Partition, offset: number): void {
    partition.low = Math.max(partition.low, offset);
    const kept = partition.records.filter((record) => record.offset >= offset);
    partition.records.splice(0, partition.records.length, ...kept);
  }

  #store(publication: Publication): void {
    const { ref, key } = publication;
    const topic = this.#sources[hashOf(key) % this.#sources.length] as string;
    const partitions = this.partitionsOf(topic);
    const number = hashOf(`${key}/`) % partitions.length;
    const partition = partitions[number] as Partition;
    const timestamp = this.#world.wallMs;
    const value = recordText(publication, { amount: 100 + partition.end });
    this.append(topic, number, { key, value, headers: {}, timestamp, ref });
    const chance = this.#world.choices.stream("data", this.#host);
    if (chance.choose(GAP_ONE_IN, "gap") === GAP_ONE_IN - 1) partition.end += 1;
  }
}

/** FNV-1a, 32 bits, as a whole number from 0. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
