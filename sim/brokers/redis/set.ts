import { integerFrom } from "./arguments.ts";

/** So many integers are kept in order. Source: redis.conf, set-max-intset-entries */
const INTEGERS_MAX = 512;

/**
 * A set. As long as it has had nothing but integers, and few of them, its members are in their
 * order; then in that in which they came.
 *
 * A server keeps to the second order from version 7.2 on, and there as long as the members are few
 * and short (`set-max-listpack-entries`, `set-max-listpack-value`); else it has none that is
 * defined.
 *
 * Source: redis, t_set.c and intset.c
 */
export class RedisSet {
  readonly kind = "set";
  until: number | undefined;
  #members: Set<string>;
  #isOfIntegers = true;

  constructor(members: Iterable<string> = []) {
    this.#members = new Set();
    for (const member of members) this.add(member);
  }

  get size(): number {
    return this.#members.size;
  }

  has(member: string): boolean {
    return this.#members.has(member);
  }

  /** Returns whether it is new. */
  add(member: string): boolean {
    if (this.has(member)) return false;
    const isInteger = integerFrom(member) !== undefined;
    if (this.#isOfIntegers && !(isInteger && this.size < INTEGERS_MAX)) {
      this.#members = new Set(this.members());
      this.#isOfIntegers = false;
    }
    this.#members.add(member);
    return true;
  }

  delete(member: string): boolean {
    return this.#members.delete(member);
  }

  members(): readonly string[] {
    const members = [...this.#members];
    return this.#isOfIntegers
      ? members.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
      : members;
  }
}
