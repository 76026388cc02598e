import type { NodeRedisSender } from "./node-redis-connection.ts";
import { pairsAsObject } from "./node-redis-scores.ts";
import { type FieldsGiven, fieldWords } from "./node-redis-collection-words.ts";
import { type Word, type Words, listOf } from "./node-redis-words.ts";

/**
 * What a client of node-redis does with hashes.
 *
 * @example
 * ```ts
 * import type { NodeRedisHashes } from "faultlane/check";
 *
 * function countAttempt(client: NodeRedisHashes, id: string) {
 *   return client.hIncrBy("attempts", id, 1);
 * }
 * console.log(countAttempt.length); // => 2
 * ```
 */
export class NodeRedisHashes {
  readonly #sender: NodeRedisSender;

  /** @internal */
  constructor(sender: NodeRedisSender) {
    this.#sender = sender;
  }

  /**
   * Sends HSET.
   *
   * @internal
   */
  hSet(key: Word, ...fields: FieldsGiven): Promise<number> {
    return this.#send("hset", [key, ...fieldWords(fields)]) as Promise<number>;
  }

  /**
   * Sends HSETNX.
   *
   * @internal
   */
  hSetNX(key: Word, field: Word, value: Word): Promise<number> {
    return this.#send("hsetnx", [key, field, value]) as Promise<number>;
  }

  /**
   * Sends HGET.
   *
   * @internal
   */
  hGet(key: Word, field: Word): Promise<string | null> {
    return this.#send("hget", [key, field]) as Promise<string | null>;
  }

  /**
   * Sends HMGET.
   *
   * @internal
   */
  hmGet(key: Word, fields: Words): Promise<(string | null)[]> {
    return this.#send("hmget", [key, ...listOf(fields)]) as Promise<(string | null)[]>;
  }

  /**
   * Sends HGETALL.
   *
   * @internal
   */
  hGetAll(key: Word): Promise<Record<string, string>> {
    return this.#send("hgetall", [key]).then(pairsAsObject);
  }

  /**
   * Sends HDEL.
   *
   * @internal
   */
  hDel(key: Word, fields: Words): Promise<number> {
    return this.#send("hdel", [key, ...listOf(fields)]) as Promise<number>;
  }

  /**
   * Sends HEXISTS.
   *
   * @internal
   */
  hExists(key: Word, field: Word): Promise<number> {
    return this.#send("hexists", [key, field]) as Promise<number>;
  }

  /**
   * Sends HLEN.
   *
   * @internal
   */
  hLen(key: Word): Promise<number> {
    return this.#send("hlen", [key]) as Promise<number>;
  }

  /**
   * Sends HSTRLEN.
   *
   * @internal
   */
  hStrLen(key: Word, field: Word): Promise<number> {
    return this.#send("hstrlen", [key, field]) as Promise<number>;
  }

  /**
   * Sends HKEYS.
   *
   * @internal
   */
  hKeys(key: Word): Promise<string[]> {
    return this.#send("hkeys", [key]) as Promise<string[]>;
  }

  /**
   * Sends HVALS.
   *
   * @internal
   */
  hVals(key: Word): Promise<string[]> {
    return this.#send("hvals", [key]) as Promise<string[]>;
  }

  /**
   * Sends HINCRBY.
   *
   * @internal
   */
  hIncrBy(key: Word, field: Word, by: number): Promise<number> {
    return this.#send("hincrby", [key, field, by.toString()]) as Promise<number>;
  }

  /**
   * Sends HINCRBYFLOAT.
   *
   * @internal
   */
  hIncrByFloat(key: Word, field: Word, by: number): Promise<string> {
    return this.#send("hincrbyfloat", [key, field, by.toString()]) as Promise<string>;
  }

  #send(name: string, words: readonly Word[]): Promise<unknown> {
    return this.#sender.send(words, 1, (to, sent) => to.call(name, ...sent));
  }
}
