import { placeOf } from "./confluent-commits.ts";
import type { TopicPartitionAt } from "./confluent-fetcher.ts";
import type { StoredRecord } from "./kafka-log.ts";

/** The records of one partition that wait for a worker. */
export interface CachedPartition {
  readonly place: string;
  readonly records: StoredRecord[];
  /** Whether a worker has it: no other one takes its records. */
  isTaken: boolean;
}

/** What a worker got, and the partition that it holds on to. */
export interface Taken {
  readonly records: readonly [StoredRecord, ...StoredRecord[]];
  readonly partition: CachedPartition;
}

/**
 * The records that a consumer has taken from librdkafka and not handed to a handler yet.
 *
 * Holds: one worker at a time has a partition, and keeps it until it is empty; partitions that wait
 * are taken in the order in which they came.
 *
 * Source: `@confluentinc/kafka-javascript` 1.10.1, lib/kafkajs/_consumer_cache.js
 */
export class ConfluentCache {
  readonly #partitions = new Map<string, CachedPartition>();
  #waiting: CachedPartition[] = [];
  #taken = 0;
  #wakers: (() => void)[] = [];

  /** Whether some worker has a partition. */
  get isTaken(): boolean {
    return this.#taken > 0;
  }

  add(records: readonly StoredRecord[]): void {
    for (const record of records) this.#partition(placeOf(record)).records.push(record);
  }

  /** Puts records back that were taken, to be taken again. */
  putBack(records: readonly StoredRecord[]): void {
    const [first] = records;
    if (first !== undefined) this.#partition(placeOf(first)).records.unshift(...records);
  }

  /** Returns up to `max` records of the partition that the worker has, or of the next one. */
  take(held: CachedPartition | undefined, max: number): Taken | undefined {
    let partition = held?.isTaken === true ? held : this.#takeNext();
    while (partition !== undefined) {
      const [first, ...others] = partition.records.splice(0, max < 0 ? Infinity : max);
      if (first !== undefined) return { records: [first, ...others], partition };
      this.#release(partition);
      this.#partitions.delete(partition.place);
      partition = this.#takeNext();
    }
    return undefined;
  }

  /** The worker that has it takes no more. */
  giveBack(partition: CachedPartition | undefined): void {
    if (partition?.isTaken !== true) return;
    this.#release(partition);
    this.#waiting.push(partition);
    this.notify();
  }

  /** Throws away what waits of these partitions. */
  forget(partitions: readonly TopicPartitionAt[]): void {
    for (const at of partitions) {
      const partition = this.#partitions.get(placeOf(at));
      if (partition === undefined) continue;
      if (partition.isTaken) this.#release(partition);
      this.#waiting = this.#waiting.filter((one) => one !== partition);
      this.#partitions.delete(partition.place);
    }
  }

  clear(): void {
    for (const partition of this.#partitions.values()) partition.isTaken = false;
    this.#partitions.clear();
    this.#waiting = [];
    this.#taken = 0;
  }

  /** Resolves when a partition waits that did not before, or at `notify`. */
  changed(): Promise<void> {
    return new Promise((resolve) => void this.#wakers.push(resolve));
  }

  notify(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }

  #partition(place: string): CachedPartition {
    const known = this.#partitions.get(place);
    if (known !== undefined) return known;
    const partition: CachedPartition = { place, records: [], isTaken: false };
    this.#partitions.set(place, partition);
    this.#waiting.push(partition);
    this.notify();
    return partition;
  }

  #takeNext(): CachedPartition | undefined {
    const partition = this.#waiting.shift();
    if (partition === undefined) return undefined;
    partition.isTaken = true;
    this.#taken += 1;
    return partition;
  }

  #release(partition: CachedPartition): void {
    partition.isTaken = false;
    this.#taken -= 1;
  }
}
