/** Trace ids of subscriptions, polls, copies and trigger events; unique in one world. */
export class TraceIds {
  #next = 0;
  readonly #failures = new Map<unknown, number>();

  take(): number {
    this.#next += 1;
    return this.#next;
  }

  /** Returns the number of an error: the same for the same object, wherever it is seen. */
  failureOf(error: unknown): number {
    const known = this.#failures.get(error);
    if (known !== undefined) return known;
    const number = this.#failures.size + 1;
    this.#failures.set(error, number);
    return number;
  }
}
