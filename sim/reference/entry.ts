/** One subscriber's part in one event: is its window closed, what is not confirmed. */
export interface ReferenceBinding {
  isClosed: boolean;
  readonly seqs: Set<number>;
}

/** One broadcast event, with everybody who still has to resolve it, by bare trigger id (E-06). */
export interface ReferenceEntry {
  readonly eventId: number;
  readonly brokerPayload: unknown;
  readonly lane: string;
  readonly createdAt: number;
  readonly pending: Map<number, ReferenceBinding>;
  acked: number;
  failed: number;
  rejected: number;
}

/** What a queue holds: an event, or the failure that took the place of all of them. */
export type ReferenceItem =
  | { readonly kind: "event"; readonly raw: unknown; readonly eventId: number | undefined }
  | { readonly kind: "failure"; readonly error: unknown };

/** A subscriber's bounded queue; one reader waits at a time. */
export class ReferenceQueue {
  readonly #maxSize: number;
  #items: ReferenceItem[] = [];
  #reader: ((item: ReferenceItem) => void) | undefined;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get isFull(): boolean {
    return this.#maxSize > 0 && this.#items.length >= this.#maxSize;
  }

  put(item: ReferenceItem): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#items.push(item);
    else reader(item);
  }

  /** Drops what is queued and puts the failure in its place. */
  fail(error: unknown): void {
    this.#items = [];
    this.put({ kind: "failure", error });
  }

  take(read: (item: ReferenceItem) => void): void {
    const item = this.#items.shift();
    if (item === undefined) this.#reader = read;
    else read(item);
  }
}
