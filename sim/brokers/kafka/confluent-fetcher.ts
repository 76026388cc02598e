import type { ClientPort } from "../broker.ts";
import { placeOf } from "./confluent-commits.ts";
import { pause, request } from "./kafka-calls.ts";
import { isOffsetOutOfRange, type KafkaJSOffsetOutOfRange } from "./kafka-errors.ts";
import { tracedDelivery } from "./kafka-fetch.ts";
import type { KafkaGroups } from "./kafka-groups.ts";
import type { KafkaLog, StoredRecord } from "./kafka-log.ts";
import { untilAppended } from "./kafka-wait.ts";

export interface TopicPartitionAt {
  readonly topic: string;
  readonly partition: number;
  /** Where reading begins; by default at the group's committed offset. */
  readonly offset?: number;
}

/** Where a seek wants a partition to be read from. */
export interface SoughtPartition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** What a commit of the offset says besides. */
  readonly leaderEpoch?: number | null;
}

export interface FetcherParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly log: KafkaLog;
  readonly groups: KafkaGroups;
  readonly groupId: string;
  readonly resetTo: "beginning" | "end";
  readonly consumer: () => string;
  readonly onStartAtEnd: (topic: string, partition: number) => void;
  /** Called when records have come. */
  readonly onRecords: () => void;
}

/** A partition that is read. */
interface Reading {
  readonly topic: string;
  readonly partition: number;
  /** The next one to fetch; undefined until the committed offset is known. */
  offset: number | undefined;
  /** Grows with each seek and pause: what was fetched before is thrown away. */
  version: number;
}

const RETRY_MS = 300;
const WAIT_MS = 500;
/** Offsets with a meaning of their own, as a seek may name them. */
const BEGINNING = -2;
const NEXT = -3;

/**
 * Fetches the assigned partitions ahead, and keeps the records until they are taken.
 *
 * Holds: a seek or pause throws away what was fetched of the partition; a pause lasts until it is
 * resumed, also if the partition is assigned anew; where an offset is out of
 * range the partition is reset to its beginning or end, and nothing is committed for it.
 */
export class ConfluentFetcher {
  readonly #parts: FetcherParts;
  readonly #readings = new Map<string, Reading>();
  /** Outlives an assignment. */
  readonly #paused = new Set<string>();
  #queue: StoredRecord[] = [];
  #isFetching = false;
  #isSuspended = false;
  #wake: (() => void) | undefined;

  constructor(parts: FetcherParts) {
    this.#parts = parts;
  }

  /** Reads these partitions and no others. */
  assign(partitions: readonly TopicPartitionAt[]): void {
    this.stop();
    this.#isSuspended = false;
    for (const { topic, partition, offset } of partitions) {
      const at = offset === undefined || offset < 0 ? undefined : offset;
      const reading: Reading = { topic, partition, offset: at, version: 0 };
      this.#readings.set(placeOf(reading), reading);
      if (offset !== undefined && offset < 0) this.#seekTo(reading, offset);
    }
    void this.#fetch();
  }

  /** Reads nothing any more. */
  stop(): void {
    this.#readings.clear();
    this.#queue = [];
    this.#wake?.();
  }

  /** Throws away what was fetched, and fetches nothing before partitions are assigned anew. */
  suspend(): void {
    this.#isSuspended = true;
    for (const reading of this.#readings.values()) this.#rewind(reading);
  }

  take(max: number): readonly StoredRecord[] {
    const taken = this.#queue.splice(0, max);
    if (this.#queue.length === 0) this.#wake?.();
    return taken;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Returns whether the partition is read here. */
  seek({ topic, partition, offset }: SoughtPartition): boolean {
    const reading = this.#readings.get(placeOf({ topic, partition }));
    if (reading === undefined) return false;
    this.#seekTo(reading, offset);
    this.#wake?.();
    return true;
  }

  setPaused(partitions: readonly TopicPartitionAt[], isPaused: boolean): void {
    for (const at of partitions) {
      const place = placeOf(at);
      if (!isPaused) this.#paused.delete(place);
      if (!isPaused || this.#paused.has(place)) continue;
      this.#paused.add(place);
      const reading = this.#readings.get(place);
      if (reading !== undefined) this.#rewind(reading);
    }
    this.#wake?.();
  }

  #seekTo(reading: Reading, offset: number): void {
    const { topic, partition } = reading;
    reading.version += 1;
    this.#queue = this.#queue.filter((one) => placeOf(one) !== placeOf(reading));
    const low = this.#parts.log.partition(topic, partition)?.low ?? 0;
    if (offset === BEGINNING) reading.offset = low;
    else if (offset === NEXT) reading.offset = undefined;
    else reading.offset = offset;
  }

  /** What was fetched and not taken is fetched again. */
  #rewind(reading: Reading): void {
    const first = this.#queue.find((one) => placeOf(one) === placeOf(reading));
    reading.version += 1;
    if (first === undefined) return;
    reading.offset = first.offset;
    this.#queue = this.#queue.filter((one) => placeOf(one) !== placeOf(reading));
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    while (this.#readings.size > 0) {
      try {
        await this.#lookUp();
        const due = [...this.#readings.values()].filter((reading) => this.#isDue(reading));
        if (this.#queue.length > 0 || due.length === 0) await this.#untilWoken();
        else {
          const known = await this.#fetchOnce(due);
          if (known !== undefined) await this.#untilAppended(known);
        }
      } catch {
        await pause(this.#parts.port, RETRY_MS);
      }
    }
    this.#isFetching = false;
  }

  #isDue(reading: Reading): boolean {
    const isWanted = !this.#isSuspended && !this.#paused.has(placeOf(reading));
    return isWanted && reading.offset !== undefined;
  }

  /** Returns undefined if there were records, else how many the broker had appended by then. */
  async #fetchOnce(due: readonly Reading[]): Promise<number | undefined> {
    const { port, host, log, consumer, onRecords } = this.#parts;
    const asked = due.map((reading) => [reading, reading.version, reading.offset ?? 0] as const);
    let found: readonly (readonly StoredRecord[])[];
    let appended: number;
    try {
      [found, appended] = await request(port, "broker.fetch", host, () => {
        const read = asked.map(([{ topic, partition }, , offset]) =>
          log.read(topic, partition, offset),
        );
        return [tracedDelivery(port, host, consumer(), read), log.appended] as const;
      });
    } catch (error) {
      if (!isOffsetOutOfRange(error)) throw error;
      this.#reset(error);
      return undefined;
    }
    for (const [at, [reading, version]] of asked.entries()) {
      const records = found[at] ?? [];
      const last = records.at(-1);
      const isCurrent = this.#readings.get(placeOf(reading)) === reading;
      if (last === undefined || !isCurrent || reading.version !== version) continue;
      this.#queue.push(...records);
      reading.offset = last.offset + 1;
    }
    if (this.#queue.length > 0) onRecords();
    return found.some((records) => records.length > 0) ? undefined : appended;
  }

  #reset({ topic, partition }: KafkaJSOffsetOutOfRange): void {
    const reading = this.#readings.get(placeOf({ topic, partition }));
    if (reading === undefined) return;
    reading.offset = this.#startOf(reading);
    reading.version += 1;
  }

  /** Fetches the committed offsets of partitions whose position is not known yet. */
  async #lookUp(): Promise<void> {
    const { port, host, groups, groupId } = this.#parts;
    const unknown = [...this.#readings.values()].filter(({ offset }) => offset === undefined);
    if (unknown.length === 0) return;
    const found = await request(port, "broker.fetch", host, () =>
      unknown.map((reading) => {
        const committed = groups.committed(groupId, reading.topic, reading.partition);
        return committed !== undefined && committed >= 0 ? committed : this.#startOf(reading);
      }),
    );
    for (const [at, reading] of unknown.entries()) reading.offset ??= found[at];
  }

  /** Where a partition begins that has no committed offset, or one out of range. */
  #startOf({ topic, partition: number }: Reading): number {
    const { log, resetTo, onStartAtEnd } = this.#parts;
    const partition = log.partition(topic, number);
    if (resetTo === "beginning") return partition?.low ?? 0;
    onStartAtEnd(topic, number);
    return partition?.end ?? 0;
  }

  #untilAppended(known: number): Promise<void> {
    const { over, end } = untilAppended(this.#parts, known, WAIT_MS);
    this.#wake = end;
    return over;
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
