/** Taken items that a queue keeps in front before it is moved to the front again. */
const TRIM_AT = 256;

/** First in, first out; adding and taking cost O(1), however long the queue is. */
export class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    // What was taken is not held on to.
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
