/** One record as a user put it; several may share a sequence number. */
export interface UserRecord {
  readonly sequenceNumber: string;
  /** Its place in an aggregated record, from 0. */
  readonly subSequenceNumber: number;
  readonly partitionKey: string;
  readonly data: Uint8Array;
  readonly ref: string | undefined;
}

/** Hash keys are 0 to 127; those of a shard are `from` up to, and without, `to`. */
export interface HashRange {
  readonly from: number;
  readonly to: number;
}

const HASHES = 128;

/** A shard: its records in order, and, once it was split, its children. */
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

  /** How many records come before the one of this place, or -1 when there is none. */
  indexOf(sequenceNumber: string, subSequenceNumber: number): number {
    return this.records.findIndex(
      (record) =>
        record.sequenceNumber === sequenceNumber && record.subSequenceNumber === subSequenceNumber,
    );
  }
}

/** `count` ranges that are as even as can be. */
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
