import { NotModelled } from "../not-modelled.ts";

type Match = "exact" | "canonical" | "insensitive";

/**
 * The headers of a message, with the interface of `MsgHdrs`. Names are matched exactly: any other
 * way is refused by name.
 */
export class NatsHeaders {
  readonly hasError: boolean = false;
  /** Headers of a message have no code of the server. */
  readonly code: number = 0;
  readonly status: string = "0";
  readonly description: string = "";
  readonly #values = new Map<string, string[]>();

  constructor(entries: readonly (readonly [name: string, value: string])[]) {
    for (const [name, value] of entries) this.append(name, value);
  }

  [Symbol.iterator](): MapIterator<[string, string[]]> {
    return this.#values.entries();
  }

  /** Returns the first value of a header; empty if there is none. */
  get(name: string, match?: Match): string {
    return this.values(name, match)[0] ?? "";
  }

  /** Returns the last value of a header; empty if there is none. */
  last(name: string, match?: Match): string {
    return this.values(name, match).at(-1) ?? "";
  }

  has(name: string, match?: Match): boolean {
    return this.values(name, match).length > 0;
  }

  values(name: string, match?: Match): string[] {
    assertExact(match);
    return [...(this.#values.get(name) ?? [])];
  }

  /** Returns how many names there are. */
  size(): number {
    return this.#values.size;
  }

  keys(): string[] {
    return [...this.#values.keys()];
  }

  set(name: string, value: string, match?: Match): void {
    this.delete(name, match);
    this.append(name, value);
  }

  append(name: string, value: string, match?: Match): void {
    assertExact(match);
    this.#values.set(name, [...(this.#values.get(name) ?? []), value.trim()]);
  }

  delete(name: string, match?: Match): void {
    assertExact(match);
    this.#values.delete(name);
  }
}

/** @throws {NotModelled} for another way to match names */
function assertExact(match: Match = "exact"): void {
  if (match !== "exact") throw new NotModelled(`headers matched by "${match}"`, "brokers.nats");
}
