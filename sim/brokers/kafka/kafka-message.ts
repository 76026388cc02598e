import { type Utf8Bytes, utf8Bytes, utf8BytesFrom } from "../../../src/platform/mod.ts";
import type { StoredRecord } from "./kafka-log.ts";

export type KafkaHeaders = Record<string, Utf8Bytes | string | (Utf8Bytes | string)[] | undefined>;

/** The format of records that Kafka has had since 0.11. */
const RECORD_FORMAT = 2;

/** A message as a producer sends it. */
export interface ProducedMessage {
  readonly key?: Uint8Array | string | null;
  readonly value: Uint8Array | string | null;
  readonly partition?: number;
  readonly headers?: KafkaHeaders;
  /** Milliseconds since the epoch; default: when it is sent. */
  readonly timestamp?: string;
}

/** A record as a consumer gets it. Each delivery is a new object with new bytes. */
export interface KafkaMessage {
  readonly key: Utf8Bytes | null;
  readonly value: Utf8Bytes | null;
  readonly timestamp: string;
  readonly attributes: number;
  readonly offset: string;
  readonly headers?: KafkaHeaders;
  /** The version of the record's format; this and what follows is not in the library's types. */
  readonly magicByte?: number;
  readonly isControlRecord?: boolean;
  readonly batchContext?: object;
}

/** The records that one fetch returned for one partition. */
export interface KafkaBatch {
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: string;
  readonly messages: KafkaMessage[];
  isEmpty(): boolean;
  firstOffset(): string | null;
  lastOffset(): string;
  offsetLag(): string;
  offsetLagLow(): string;
}

/** A message as the log keeps it. `now` is the producer's time, in milliseconds since the epoch. */
export function storedFrom(
  { key, value, headers = {}, timestamp }: ProducedMessage,
  now: number,
): Pick<StoredRecord, "key" | "value" | "headers" | "timestamp"> {
  const named = Object.entries(headers).map(
    ([name, header]) =>
      [
        name,
        Array.isArray(header) ? header.map((one) => headerFrom(one)) : headerFrom(header),
      ] as const,
  );
  return {
    key: storedValue(key),
    value: storedValue(value),
    headers: Object.fromEntries(named),
    timestamp: timestamp ? Number(timestamp) : now,
  };
}

/** What the library says of the batch in which a record was sent: here each was sent alone. */
function contextOf({ offset, timestamp }: StoredRecord): object {
  return {
    ...{ firstOffset: String(offset), firstTimestamp: String(timestamp), lastOffsetDelta: 0 },
    ...{ maxTimestamp: String(timestamp), producerId: "-1", producerEpoch: -1, firstSequence: -1 },
    ...{ partitionLeaderEpoch: 0, inTransaction: false, isControlBatch: false },
    ...{ timestampType: 0, magicByte: RECORD_FORMAT },
  };
}

function isRepeated(
  header: StoredRecord["headers"][string],
): header is readonly (string | Uint8Array)[] {
  return Array.isArray(header);
}

function headerFrom(header: Uint8Array | string | undefined): string | Uint8Array {
  return storedValue(header) ?? "";
}

/** Bytes that are no text are kept as bytes. */
function storedValue(value: Uint8Array | string | null | undefined): string | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return new Uint8Array(value);
  }
}

function bytesOf(stored: string | Uint8Array): Utf8Bytes {
  return typeof stored === "string" ? utf8Bytes(stored) : utf8BytesFrom(stored);
}

export function messageFrom(record: StoredRecord): KafkaMessage {
  const { key, value, offset, headers, timestamp } = record;
  return {
    key: key === null ? null : bytesOf(key),
    value: value === null ? null : bytesOf(value),
    timestamp: String(timestamp),
    attributes: 0,
    offset: String(offset),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [
        name,
        isRepeated(header) ? header.map(bytesOf) : bytesOf(header),
      ]),
    ),
  };
}

function fetchedFrom(record: StoredRecord): KafkaMessage {
  return {
    ...messageFrom(record),
    magicByte: RECORD_FORMAT,
    isControlRecord: false,
    batchContext: contextOf(record),
  };
}

/** So many bytes a record has on the wire besides key and value, sent alone in its batch. */
const OVERHEAD_BYTES = 68;

/** How long a record is on the wire, about; its headers are not counted. */
export function sizeOf({ key, value }: StoredRecord): number {
  return OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
}

/** The first records, up to so many bytes; one batch at least, and none in part. */
export function firstOf(
  records: readonly StoredRecord[],
  bytesMax: number,
): readonly StoredRecord[] {
  let bytes = 0;
  const end = records.findIndex((record, at) => {
    bytes += sizeOf(record);
    const batch = record.sentWith;
    const isCut = batch === undefined || batch !== records[at - 1]?.sentWith;
    return at > 0 && isCut && bytes > bytesMax;
  });
  return end === -1 ? records : records.slice(0, end);
}

/** The library's members are methods, which no listing of its keys has. */
class FetchedBatch implements KafkaBatch {
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: string;
  readonly messages: KafkaMessage[];
  readonly #first: number;
  readonly #last: number;

  constructor(records: readonly StoredRecord[], end: number) {
    const first = records[0] as StoredRecord;
    this.topic = first.topic;
    this.partition = first.partition;
    this.highWatermark = String(end);
    this.messages = records.map(fetchedFrom);
    this.#first = first.offset;
    this.#last = (records.at(-1) as StoredRecord).offset;
  }

  isEmpty(): boolean {
    return false;
  }

  firstOffset(): string {
    return String(this.#first);
  }

  lastOffset(): string {
    return String(this.#last);
  }

  offsetLag(): string {
    return String(Number(this.highWatermark) - 1 - this.#last);
  }

  offsetLagLow(): string {
    return String(Number(this.highWatermark) - 1 - this.#first);
  }
}

/** `records` must not be empty; `end` is the offset after the partition's last record. */
export function batchFrom(records: readonly StoredRecord[], end: number): KafkaBatch {
  return new FetchedBatch(records, end);
}
