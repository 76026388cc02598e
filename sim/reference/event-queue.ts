/**
 * What a subscriber's queue holds: a raw event, in ack mode with its id, or the failure that ends
 * it.
 */
export type QueuedItem =
  | { readonly kind: "event"; readonly raw: unknown; readonly eventId: number | undefined }
  | { readonly kind: "failure"; readonly error: unknown };

/**
 * asyncio's bounded queue, as far as a subscriber needs it; a size of 0 is no bound (spec C-039).
 */
export class EventQueue {
  readonly #maxSize: number;
  #items: QueuedItem[] = [];
  #getters: ((item: QueuedItem | undefined) => void)[] = [];
  #isClosed = false;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get isFull(): boolean {
    return this.#maxSize > 0 && this.#items.length >= this.#maxSize;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  put(item: QueuedItem): void {
    const getter = this.#getters.shift();
    if (getter === undefined) this.#items.push(item);
    else getter(item);
  }

  /**
   * Drains the queue, then puts the failure: one item is left, however full it was (spec C-028).
   */
  putFailure(error: unknown): void {
    this.#items = [];
    this.put({ kind: "failure", error });
  }

  /** The next item, waited for where there is none; undefined once the queue is closed. */
  async get(): Promise<QueuedItem | undefined> {
    const item = this.#isClosed ? undefined : (this.#items.shift() ?? (await this.#arrival()));
    return this.#isClosed ? undefined : item;
  }

  /** Nobody reads any more; who waits gets nothing. It still counts what is put. */
  close(): void {
    this.#isClosed = true;
    for (const getter of this.#getters.splice(0)) getter(undefined);
  }

  #arrival(): Promise<QueuedItem | undefined> {
    return new Promise((resolve) => this.#getters.push(resolve));
  }
}
