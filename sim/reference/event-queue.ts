/** An item of a subscriber's queue: a raw event, in ack mode with its id, or a failure. */
export type QueuedItem =
  | { readonly kind: "event"; readonly raw: unknown; readonly eventId: number | undefined }
  | { readonly kind: "failure"; readonly error: unknown };

/** The part of asyncio's bounded queue that a subscriber needs; size 0 means unbounded (C-039). */
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
   * Empties the queue and puts the failure, which fits however full the queue was (C-028).
   */
  putFailure(error: unknown): void {
    this.#items = [];
    this.put({ kind: "failure", error });
  }

  /** Waits for the next item and returns it; undefined once the queue is closed. */
  async get(): Promise<QueuedItem | undefined> {
    const item = this.#isClosed ? undefined : (this.#items.shift() ?? (await this.#arrival()));
    return this.#isClosed ? undefined : item;
  }

  /** Ends all reads with undefined. What is put afterwards still counts towards the size. */
  close(): void {
    this.#isClosed = true;
    for (const getter of this.#getters.splice(0)) getter(undefined);
  }

  #arrival(): Promise<QueuedItem | undefined> {
    return new Promise((resolve) => this.#getters.push(resolve));
  }
}
