/** A user record. The records of one aggregated record share a sequence number. */
export interface UserRecord {
  readonly sequenceNumber: string;
  /** Its index in the aggregated record, from 0. */
  readonly subSequenceNumber: number;
  readonly partitionKey: string;
  readonly data: Uint8Array;
  readonly ref: string | undefined;
}

/** The hash keys `from` (inclusive) to `to` (exclusive), out of 0 to 127. */
export interface HashRange {
  readonly from: number;
  readonly to: number;
}

const HASHES = 128;

/** A shard with its records in order. */
export class Shard {
  readonly id: string;
  readonly range: HashRange;
  readonly parent: Shard | undefined;
  readonly records: UserRecord[] = [];
  isClosed = false;

  constructor(id: string, range: HashRange, parent?: Shard) {
    this.id = id;
    this.range = range;
    this.parent = parent;
  }

  takes(partitionKey: string): boolean {
    const hash = hashOf(partitionKey);
    return !this.isClosed && hash >= this.range.from && hash < this.range.to;
  }

  /** Returns the index of the record with these numbers, or -1. */
  indexOf(sequenceNumber: string, subSequenceNumber: number): number {
    return this.records.findIndex(
      (record) =>
        record.sequenceNumber === sequenceNumber && record.subSequenceNumber === subSequenceNumber,
    );
  }
}

/** Splits the hash keys into `count` ranges of nearly equal size. */
export function evenRanges(count: number): readonly HashRange[] {
  return Array.from({ length: count }, (_, at) => ({
    from: Math.floor((at * HASHES) / count),
    to: Math.floor(((at + 1) * HASHES) / count),
  }));
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1)
    hash = (hash * 31 + text.charCodeAt(at) * 53) % HASHES;
  return hash;
}
