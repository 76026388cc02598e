/** The headers of a message, with the reading methods of `MsgHdrs`. */
export class NatsHeaders {
  readonly #entries: readonly (readonly [name: string, value: string])[];

  constructor(entries: readonly (readonly [name: string, value: string])[]) {
    this.#entries = entries;
  }

  /** Returns the first value of a header; empty if there is none. */
  get(name: string): string {
    return this.values(name)[0] ?? "";
  }

  has(name: string): boolean {
    return this.values(name).length > 0;
  }

  values(name: string): string[] {
    return this.#entries.flatMap(([key, value]) => (key === name ? [value] : []));
  }

  keys(): string[] {
    return [...new Set(this.#entries.map(([key]) => key))];
  }
}
