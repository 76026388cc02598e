import type { SeqIndex } from "./seq-index.ts";

const CAPACITY_MIN = 4;
/** A ring buffer with more capacity than this shrinks when at most an eighth of it is in use. */
const CAPACITY_KEPT = 1_024;

/**
 * The sequence numbers that one subscription has bound, in a ring buffer, oldest first. Confirmed
 * entries are dropped from the head lazily, and compacted when the buffer is full.
 *
 * Costs: O(1) amortised per entry; capacity for a small multiple of the unconfirmed entries.
 */
export class BoundSeqs {
  #ring: number[] = [];
  /** The capacity less one; the capacity is a power of two. */
  #mask = -1;
  #head = 0;
  #count = 0;

  /** The number of entries, those that are confirmed but not dropped yet included. */
  get count(): number {
    return this.#count;
  }

  push(seq: number, seqIndex: SeqIndex): void {
    if (this.#count > this.#mask) this.#makeRoom(seqIndex);
    this.#ring[(this.#head + this.#count) & this.#mask] = seq;
    this.#count += 1;
  }

  /** Returns the n-th entry, from 0 for the oldest. */
  at(nth: number): number {
    return this.#ring[(this.#head + nth) & this.#mask] as number;
  }

  /** Returns the oldest unconfirmed number; undefined when there is none. */
  oldest(seqIndex: SeqIndex): number | undefined {
    this.#trim(seqIndex);
    return this.#count === 0 ? undefined : this.at(0);
  }

  clear(): void {
    this.#ring = [];
    this.#mask = -1;
    this.#count = 0;
  }

  /** Drops the confirmed entries at the head. */
  #trim(seqIndex: SeqIndex): void {
    // Most of them lie before the oldest unconfirmed number of the whole manager.
    let confirmed = this.#countBefore(seqIndex.oldest);
    while (confirmed < this.#count && !seqIndex.isUnconfirmed(this.at(confirmed))) confirmed += 1;
    this.#head = (this.#head + confirmed) & this.#mask;
    this.#count -= confirmed;
  }

  /** Counts the entries less than `seq` by binary search; the entries ascend. */
  #countBefore(seq: number): number {
    let [from, end] = [0, this.#count];
    while (from < end) {
      const middle = (from + end) >> 1;
      if (this.at(middle) < seq) from = middle + 1;
      else end = middle;
    }
    return from;
  }

  /** Drops confirmed entries from the head and, if that frees too little, from everywhere. */
  #makeRoom(seqIndex: SeqIndex): void {
    this.#trim(seqIndex);
    const capacity = this.#mask + 1;
    const isTooLarge = capacity > CAPACITY_KEPT && this.#count * 8 < capacity;
    if (this.#count * 2 < capacity && !isTooLarge) return;
    const kept: number[] = [];
    for (let nth = 0; nth < this.#count; nth += 1) {
      if (seqIndex.isUnconfirmed(this.at(nth))) kept.push(this.at(nth));
    }
    this.#count = kept.length;
    this.#head = 0;
    this.#mask = CAPACITY_MIN - 1;
    while (this.#mask + 1 < this.#count * 2) this.#mask = this.#mask * 2 + 1;
    this.#ring = [...kept, ...Array<number>(this.#mask + 1 - this.#count).fill(0)];
  }
}
