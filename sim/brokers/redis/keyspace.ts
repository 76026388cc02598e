import { ReplyError, WRONG_TYPE } from "./reply-error.ts";
import { RedisHash } from "./hash.ts";
import { RedisList } from "./list.ts";
import { RedisSet } from "./set.ts";
import { SortedSet } from "./sorted-set.ts";
import { RedisStream } from "./stream.ts";

/** A string and its expiry. */
export interface RedisString {
  readonly kind: "string";
  readonly value: string;
  until: number | undefined;
}

/** What a key may hold; `until`: when it expires by the server's clock, in milliseconds. */
export type Stored = RedisString | RedisHash | RedisList | RedisSet | SortedSet | RedisStream;

type Kind = Stored["kind"];
type Collection = Exclude<Stored, RedisString | RedisStream>;
type OfKind<K extends Kind> = Extract<Stored, { readonly kind: K }>;

const EMPTY: { readonly [K in Exclude<Kind, "string">]: () => OfKind<K> } = {
  hash: () => new RedisHash(),
  list: () => new RedisList(),
  set: () => new RedisSet(),
  zset: () => new SortedSet(),
  stream: () => new RedisStream(),
};

/**
 * The keys of a Redis server: what each holds, and until when.
 *
 * Holds: a key that has expired is there no more, but for a stream, which ends by a timer of its
 * own; a collection that is empty is there no more.
 *
 * Source: redis, db.c, lookupKey and expireIfNeeded
 */
export class Keyspace {
  readonly #stored = new Map<string, Stored>();
  readonly #now: () => number;

  /** `now` returns the server's time in epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns what a key holds, of whatever kind. */
  at(key: string): Stored | undefined {
    const stored = this.#stored.get(key);
    const isOver = stored?.until !== undefined && stored.until <= this.#now();
    if (!isOver || stored.kind === "stream") return stored;
    this.#stored.delete(key);
    return undefined;
  }

  has(key: string): boolean {
    return this.at(key) !== undefined;
  }

  /**
   * Returns what a key holds.
   *
   * @throws {ReplyError} WRONGTYPE, where that is of another kind
   */
  of<K extends Kind>(kind: K, key: string): OfKind<K> | undefined {
    const stored = this.at(key);
    if (stored === undefined || stored.kind === kind) return stored as OfKind<K> | undefined;
    throw new ReplyError(WRONG_TYPE);
  }

  /**
   * Returns the collection or the stream of a key, into which something is about to come.
   *
   * @throws {ReplyError} WRONGTYPE, where the key holds something of another kind
   */
  made<K extends Exclude<Kind, "string">>(kind: K, key: string): OfKind<K> {
    const before = this.of(kind, key);
    if (before !== undefined) return before;
    const made = EMPTY[kind]();
    this.put(key, made);
    return made;
  }

  /** Returns the members of all sorted sets. */
  scored(): readonly string[] {
    return [...this.#stored.keys()].flatMap((key) => {
      const stored = this.at(key);
      return stored?.kind === "zset" ? [...stored.scores.keys()] : [];
    });
  }

  put(key: string, value: Stored): void {
    this.#stored.set(key, value);
  }

  delete(key: string): boolean {
    return this.has(key) && this.#stored.delete(key);
  }

  /** Something was taken out of a collection: it is gone if that was the last. */
  taken(key: string, { size }: Collection): void {
    if (size === 0) this.#stored.delete(key);
  }
}
