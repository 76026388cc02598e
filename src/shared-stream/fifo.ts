/** Removed items stay in the array up to this number before the rest is moved to the front. */
const TRIM_AT = 256;

/** A first-in first-out queue; adding and removing cost O(1) amortised, at any length. */
export class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Removes and returns the oldest item; undefined when the queue is empty. */
  shift(): Item | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    // Lets the garbage collector have the item before the array is trimmed.
    this.#items[this.#head] = undefined as Item;
    this.#head += 1;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head > TRIM_AT && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items.length = 0;
    this.#head = 0;
  }
}
