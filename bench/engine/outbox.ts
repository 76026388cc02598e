import { invariant } from "../../src/invariant.ts";

/** Sequence numbers of one fetch, in the order in which they were bound; its room is made once. */
export class Outbox {
  count = 0;
  readonly #seqs: Int32Array;

  constructor(capacity: number) {
    this.#seqs = new Int32Array(capacity);
  }

  put(seq: number | null): void {
    invariant(seq !== null && this.count < this.#seqs.length, "What is derived is bound once");
    this.#seqs[this.count] = seq;
    this.count += 1;
  }

  /** A view, no copy: it is read before anything else is put. */
  view(from: number, end: number): Int32Array {
    return this.#seqs.subarray(from, end);
  }
}
