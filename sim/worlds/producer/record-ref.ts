/** What every published record carries, findable in whatever the producer makes of it. */
const REF = /ref-\d{6}/;
const DEPTH_MAX = 6;
const LOOKS_MAX = 2_000;

/**
 * The ref token in a value: looks into objects, arrays, maps and sets, and decodes byte arrays.
 */
export function refWithin(value: unknown): string | undefined {
  return new Search().within(value, DEPTH_MAX);
}

class Search {
  readonly #seen = new Set<object>();
  #looks = 0;

  within(value: unknown, depth: number): string | undefined {
    this.#looks += 1;
    if (typeof value === "string") return REF.exec(value)?.[0];
    if (typeof value !== "object" || value === null) return undefined;
    if (depth === 0 || this.#looks > LOOKS_MAX || this.#seen.has(value)) return undefined;
    this.#seen.add(value);
    if (value instanceof Uint8Array) return REF.exec(new TextDecoder().decode(value))?.[0];
    if (value instanceof ArrayBuffer) return this.within(new Uint8Array(value), depth);
    const parts: Iterable<unknown> = isWalkable(value) ? value : Object.values(value);
    for (const part of parts) {
      const found = this.within(part, depth - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function isWalkable(value: object): value is Iterable<unknown> {
  return Array.isArray(value) || value instanceof Map || value instanceof Set;
}
