import type { SeqIndex } from "./seq-index.ts";

const ROOM_MIN = 4;
/** A ring with more room than this gives some back when an eighth of it would do. */
const ROOM_KEPT = 1_024;

/**
 * The sequence numbers that one subscription has bound, oldest first: a ring, from whose head those
 * are taken that nobody waits for, when it is full or somebody asks for the oldest; where that is
 * not enough, from wherever they are.
 *
 * Costs: O(1) an entry, over its life; room for some times as many as are waited for.
 */
export class BoundSeqs {
  #ring: number[] = [];
  /** One less than its room, which is a power of two. */
  #mask = -1;
  #head = 0;
  #count = 0;

  /** How many there are, waited for or not. */
  get count(): number {
    return this.#count;
  }

  push(seq: number, index: SeqIndex): void {
    if (this.#count > this.#mask) this.#makeRoom(index);
    this.#ring[(this.#head + this.#count) & this.#mask] = seq;
    this.#count += 1;
  }

  /** The n-th of them, from 0. */
  at(nth: number): number {
    return this.#ring[(this.#head + nth) & this.#mask] as number;
  }

  /** The oldest number that is waited for. */
  oldest(index: SeqIndex): number | undefined {
    this.#trim(index);
    return this.#count === 0 ? undefined : this.at(0);
  }

  clear(): void {
    this.#ring = [];
    this.#mask = -1;
    this.#count = 0;
  }

  #trim(index: SeqIndex): void {
    // Most of them are older than all that is waited for by anybody, which is soon seen.
    let settled = this.#countBefore(index.oldest);
    while (settled < this.#count && !index.isWaitedFor(this.at(settled))) settled += 1;
    this.#head = (this.#head + settled) & this.#mask;
    this.#count -= settled;
  }

  /** How many are less than `seq`; they ascend. */
  #countBefore(seq: number): number {
    let [from, end] = [0, this.#count];
    while (from < end) {
      const middle = (from + end) >> 1;
      if (this.at(middle) < seq) from = middle + 1;
      else end = middle;
    }
    return from;
  }

  #makeRoom(index: SeqIndex): void {
    this.#trim(index);
    const room = this.#mask + 1;
    const isTooMuch = room > ROOM_KEPT && this.#count * 8 < room;
    if (this.#count * 2 < room && !isTooMuch) return;
    const kept: number[] = [];
    for (let nth = 0; nth < this.#count; nth += 1) {
      if (index.isWaitedFor(this.at(nth))) kept.push(this.at(nth));
    }
    this.#count = kept.length;
    this.#head = 0;
    this.#mask = ROOM_MIN - 1;
    while (this.#mask + 1 < this.#count * 2) this.#mask = this.#mask * 2 + 1;
    this.#ring = [...kept, ...Array<number>(this.#mask + 1 - this.#count).fill(0)];
  }
}
