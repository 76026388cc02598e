import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** A user record. The records of one aggregated record share a sequence number. */
export interface UserRecord {
  readonly sequenceNumber: string;
  /** Its index in the aggregated record, from 0. */
  readonly subSequenceNumber: number;
  readonly partitionKey: string;
  readonly data: Uint8Array;
  readonly ref: string | undefined;
  /** In virtual milliseconds. */
  readonly arrivedAt: number;
}

/** The hash keys `from` (inclusive) to `to` (exclusive), out of those of 128 bits. */
export interface HashRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** How many hash keys there are. */
export const HASHES: bigint = 1n << 128n;
const ID_DIGITS = 12;

/** A shard with its records in order. */
export class Shard {
  readonly id: string;
  readonly range: HashRange;
  readonly parent: Shard | undefined;
  /** Precedes the sequence numbers of its records. */
  readonly startsAt: string;
  readonly records: UserRecord[] = [];
  /** Follows those of its records, once it is closed. */
  endsAt: string | undefined;

  constructor(number: number, range: HashRange, startsAt: string, parent?: Shard) {
    this.id = `shardId-${String(number).padStart(ID_DIGITS, "0")}`;
    this.range = range;
    this.startsAt = startsAt;
    this.parent = parent;
  }

  get isClosed(): boolean {
    return this.endsAt !== undefined;
  }

  takes(hash: bigint): boolean {
    return !this.isClosed && hash >= this.range.from && hash < this.range.to;
  }

  /** Returns the index of the record with these numbers, or -1. */
  indexOf(sequenceNumber: string, subSequenceNumber: number): number {
    return this.records.findIndex(
      (record) =>
        record.sequenceNumber === sequenceNumber && record.subSequenceNumber === subSequenceNumber,
    );
  }

  /** Returns the index behind `count` records of the stream, each with all of its user records. */
  indexAfter(index: number, count: number): number {
    let end = index;
    for (let taken = 0; taken < count && end < this.records.length; taken += 1) {
      const number = this.records[end]?.sequenceNumber;
      while (number === this.records[end]?.sequenceNumber) end += 1;
    }
    return end;
  }
}

/** Splits the hash keys into `count` ranges of nearly equal size, as CreateStream does. */
export function evenRanges(count: number): readonly HashRange[] {
  const width = HASHES / BigInt(count);
  return Array.from({ length: count }, (_, at) => ({
    from: BigInt(at) * width,
    to: at === count - 1 ? HASHES : BigInt(at + 1) * width,
  }));
}

/** Source: Kinesis API, PutRecord: "an MD5 hash function is used" */
export function hashOf(partitionKey: string): bigint {
  return BigInt(`0x${bytesToHex(md5(utf8ToBytes(partitionKey)))}`);
}
