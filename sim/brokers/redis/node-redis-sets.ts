import type { NodeRedisSender } from "./node-redis-connection.ts";
import { NodeRedisLists } from "./node-redis-lists.ts";
import { numberedKeys, type LimitOption, limitWords } from "./node-redis-collection-words.ts";
import { type Word, type Words, listOf } from "./node-redis-words.ts";

/**
 * What a client of node-redis does with sets.
 *
 * @example
 * ```ts
 * import type { NodeRedisSets } from "faultlane/check";
 *
 * async function isNew(client: NodeRedisSets, id: string) {
 *   return (await client.sAdd("seen", id)) === 1;
 * }
 * console.log(isNew.length); // => 2
 * ```
 */
export class NodeRedisSets extends NodeRedisLists {
  readonly #sender: NodeRedisSender;

  /** @internal */
  constructor(sender: NodeRedisSender) {
    super(sender);
    this.#sender = sender;
  }

  /**
   * Sends SADD.
   *
   * @internal
   */
  sAdd(key: Word, members: Words): Promise<number> {
    return this.#send("sadd", [key, ...listOf(members)]) as Promise<number>;
  }

  /**
   * Sends SREM.
   *
   * @internal
   */
  sRem(key: Word, members: Words): Promise<number> {
    return this.#send("srem", [key, ...listOf(members)]) as Promise<number>;
  }

  /**
   * Sends SISMEMBER.
   *
   * @internal
   */
  sIsMember(key: Word, member: Word): Promise<number> {
    return this.#send("sismember", [key, member]) as Promise<number>;
  }

  /**
   * Sends SMISMEMBER.
   *
   * @internal
   */
  smIsMember(key: Word, members: Words): Promise<number[]> {
    return this.#send("smismember", [key, ...listOf(members)]) as Promise<number[]>;
  }

  /**
   * Sends SMEMBERS.
   *
   * @internal
   */
  sMembers(key: Word): Promise<string[]> {
    return this.#send("smembers", [key]) as Promise<string[]>;
  }

  /**
   * Sends SCARD.
   *
   * @internal
   */
  sCard(key: Word): Promise<number> {
    return this.#send("scard", [key]) as Promise<number>;
  }

  /**
   * Sends SMOVE.
   *
   * @internal
   */
  sMove(source: Word, destination: Word, member: Word): Promise<number> {
    return this.#send("smove", [source, destination, member]) as Promise<number>;
  }

  /**
   * Sends SINTER.
   *
   * @internal
   */
  sInter(keys: Words): Promise<string[]> {
    return this.#send("sinter", [...listOf(keys)]) as Promise<string[]>;
  }

  /**
   * Sends SINTERSTORE.
   *
   * @internal
   */
  sInterStore(destination: Word, keys: Words): Promise<number> {
    return this.#send("sinterstore", [destination, ...listOf(keys)]) as Promise<number>;
  }

  /**
   * Sends SUNION.
   *
   * @internal
   */
  sUnion(keys: Words): Promise<string[]> {
    return this.#send("sunion", [...listOf(keys)]) as Promise<string[]>;
  }

  /**
   * Sends SUNIONSTORE.
   *
   * @internal
   */
  sUnionStore(destination: Word, keys: Words): Promise<number> {
    return this.#send("sunionstore", [destination, ...listOf(keys)]) as Promise<number>;
  }

  /**
   * Sends SDIFF.
   *
   * @internal
   */
  sDiff(keys: Words): Promise<string[]> {
    return this.#send("sdiff", [...listOf(keys)]) as Promise<string[]>;
  }

  /**
   * Sends SDIFFSTORE.
   *
   * @internal
   */
  sDiffStore(destination: Word, keys: Words): Promise<number> {
    return this.#send("sdiffstore", [destination, ...listOf(keys)]) as Promise<number>;
  }

  /**
   * Sends SINTERCARD.
   *
   * @internal
   */
  sInterCard(keys: Words, options?: LimitOption | number): Promise<number> {
    return this.#send("sintercard", [
      ...numberedKeys(keys),
      ...limitWords(options),
    ]) as Promise<number>;
  }

  #send(name: string, words: readonly Word[]): Promise<unknown> {
    return this.#sender.send(words, 1, (to, sent) => to.call(name, ...sent));
  }
}
