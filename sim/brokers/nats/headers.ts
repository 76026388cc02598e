import { NotModelled } from "../not-modelled.ts";

type Match = "exact" | "canonical" | "insensitive";

/**
 * The headers of a message, with the interface of `MsgHdrs`. Names are matched exactly: any other
 * way is refused by name.
 */
export class NatsHeaders {
  readonly #values = new Map<string, string[]>();

  constructor(entries: readonly (readonly [name: string, value: string])[]) {
    for (const [name, value] of entries) this.append(name, value);
  }

  get hasError(): boolean {
    return false;
  }

  /** Headers of a message have no code of the server. */
  get code(): number {
    return 0;
  }

  get status(): string {
    return "0";
  }

  get description(): string {
    return "";
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

  /** Returns the headers as they are sent; nothing where there are none. */
  toString(): string {
    if (this.#values.size === 0) return "";
    const lines = [...this.#values].flatMap(([name, all]) => all.map((one) => `${name}: ${one}`));
    return ["NATS/1.0", ...lines, "", ""].join("\r\n");
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
    this.#values.set(name, [...(this.#values.get(name) ?? []), trimmed(value)]);
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

/** The parameter has the library's name, which the error of a value that is no text shows. */
function trimmed(k: string): string {
  return k.trim();
}
