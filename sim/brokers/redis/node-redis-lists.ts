import type { NodeRedisSender } from "./node-redis-connection.ts";
import { NodeRedisHashes } from "./node-redis-hashes.ts";
import {
  type PositionOptions,
  positionWords,
  type ListSide,
  numberedKeys,
} from "./node-redis-collection-words.ts";
import { type Word, type Words, listOf, type CountOption, countWords } from "./node-redis-words.ts";

/**
 * What a client of node-redis does with lists.
 *
 * @example
 * ```ts
 * import type { NodeRedisLists } from "faultlane/check";
 *
 * async function bury(client: NodeRedisLists, letter: string) {
 *   await client.lPush("orders:dead", letter);
 *   await client.lTrim("orders:dead", 0, 999);
 * }
 * console.log(bury.length); // => 2
 * ```
 */
export class NodeRedisLists extends NodeRedisHashes {
  readonly #sender: NodeRedisSender;

  /** @internal */
  constructor(sender: NodeRedisSender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Sends LPUSH.
   *
   * @internal
   */
  lPush(key: Word, elements: Words): Promise<number> {
    return this.#send("lpush", [key, ...listOf(elements)]) as Promise<number>;
  }

  /**
   * Sends RPUSH.
   *
   * @internal
   */
  rPush(key: Word, elements: Words): Promise<number> {
    return this.#send("rpush", [key, ...listOf(elements)]) as Promise<number>;
  }

  /**
   * Sends LPUSHX.
   *
   * @internal
   */
  lPushX(key: Word, elements: Words): Promise<number> {
    return this.#send("lpushx", [key, ...listOf(elements)]) as Promise<number>;
  }

  /**
   * Sends RPUSHX.
   *
   * @internal
   */
  rPushX(key: Word, elements: Words): Promise<number> {
    return this.#send("rpushx", [key, ...listOf(elements)]) as Promise<number>;
  }

  /**
   * Sends LPOP.
   *
   * @internal
   */
  lPop(key: Word): Promise<string | null> {
    return this.#send("lpop", [key]) as Promise<string | null>;
  }

  /**
   * Sends LPOP.
   *
   * @internal
   */
  lPopCount(key: Word, count: number): Promise<string[] | null> {
    return this.#send("lpop", [key, count.toString()]) as Promise<string[] | null>;
  }

  /**
   * Sends RPOP.
   *
   * @internal
   */
  rPop(key: Word): Promise<string | null> {
    return this.#send("rpop", [key]) as Promise<string | null>;
  }

  /**
   * Sends RPOP.
   *
   * @internal
   */
  rPopCount(key: Word, count: number): Promise<string[] | null> {
    return this.#send("rpop", [key, count.toString()]) as Promise<string[] | null>;
  }

  /**
   * Sends LLEN.
   *
   * @internal
   */
  lLen(key: Word): Promise<number> {
    return this.#send("llen", [key]) as Promise<number>;
  }

  /**
   * Sends LRANGE.
   *
   * @internal
   */
  lRange(key: Word, start: number, stop: number): Promise<string[]> {
    return this.#send("lrange", [key, start.toString(), stop.toString()]) as Promise<string[]>;
  }

  /**
   * Sends LTRIM.
   *
   * @internal
   */
  lTrim(key: Word, start: number, stop: number): Promise<string> {
    return this.#send("ltrim", [key, start.toString(), stop.toString()]) as Promise<string>;
  }

  /**
   * Sends LINDEX.
   *
   * @internal
   */
  lIndex(key: Word, index: number): Promise<string | null> {
    return this.#send("lindex", [key, index.toString()]) as Promise<string | null>;
  }

  /**
   * Sends LSET.
   *
   * @internal
   */
  lSet(key: Word, index: number, element: Word): Promise<string> {
    return this.#send("lset", [key, index.toString(), element]) as Promise<string>;
  }

  /**
   * Sends LREM.
   *
   * @internal
   */
  lRem(key: Word, count: number, element: Word): Promise<number> {
    return this.#send("lrem", [key, count.toString(), element]) as Promise<number>;
  }

  /**
   * Sends LINSERT.
   *
   * @internal
   */
  lInsert(key: Word, position: "BEFORE" | "AFTER", pivot: Word, element: Word): Promise<number> {
    return this.#send("linsert", [key, position, pivot, element]) as Promise<number>;
  }

  /**
   * Sends LPOS.
   *
   * @internal
   */
  lPos(key: Word, element: Word, options?: PositionOptions): Promise<number | null> {
    return this.#send("lpos", [key, element, ...positionWords(options)]) as Promise<number | null>;
  }

  /**
   * Sends LPOS.
   *
   * @internal
   */
  lPosCount(key: Word, element: Word, count: number, options?: PositionOptions): Promise<number[]> {
    return this.#send("lpos", [
      key,
      element,
      ...positionWords(options),
      "COUNT",
      count.toString(),
    ]) as Promise<number[]>;
  }

  /**
   * Sends LMOVE.
   *
   * @internal
   */
  lMove(source: Word, destination: Word, from: ListSide, to: ListSide): Promise<string | null> {
    return this.#send("lmove", [source, destination, from, to]) as Promise<string | null>;
  }

  /**
   * Sends RPOPLPUSH.
   *
   * @internal
   */
  rPopLPush(source: Word, destination: Word): Promise<string | null> {
    return this.#send("rpoplpush", [source, destination]) as Promise<string | null>;
  }

  /**
   * Sends LMPOP.
   *
   * @internal
   */
  lmPop(
    keys: Words,
    side: ListSide,
    options?: CountOption,
  ): Promise<[key: string, items: string[]] | null> {
    return this.#send("lmpop", [...numberedKeys(keys), side, ...countWords(options)]) as Promise<
      [key: string, items: string[]] | null
    >;
  }

  #send(name: string, words: readonly Word[]): Promise<unknown> {
    return this.#sender.send(words, 1, (to, sent) => to.call(name, ...sent));
  }
}
