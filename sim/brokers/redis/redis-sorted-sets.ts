import type { RedisArgument, RedisCallback, RedisKey, RedisValue } from "./arguments.ts";
import { RedisSets } from "./redis-sets.ts";
import type { CommandSender } from "./command-sender.ts";

type Reply = Promise<number>;

/**
 * What a client of ioredis does with sorted sets.
 *
 * @example
 * ```ts
 * import type { RedisSortedSets } from "faultlane/check";
 *
 * function due(client: RedisSortedSets, nowMs: number) {
 *   return client.zrangebyscore("retries", "-inf", nowMs, "LIMIT", 0, 10);
 * }
 * console.log(due.length); // => 2
 * ```
 */
export class RedisSortedSets extends RedisSets {
  readonly #connection: CommandSender;

  /** @internal */
  constructor(connection: CommandSender) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * Sends ZADD.
   *
   * @internal
   */
  zadd(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Promise<number>;
  /**
   * Sends ZADD with INCR.
   *
   * @internal
   */
  zadd(
    ...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]
  ): Promise<string | null>;
  zadd(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Promise<never> {
    return this.#connection.command("zadd", args as RedisArgument[]) as Promise<never>;
  }

  /**
   * Sends ZINCRBY.
   *
   * @internal
   */
  zincrby(
    ...args: [key: RedisKey, by: RedisValue, member: RedisValue, callback?: RedisCallback]
  ): Promise<string> {
    return this.#connection.command("zincrby", args) as Promise<string>;
  }

  /**
   * Sends ZREM.
   *
   * @internal
   */
  zrem(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("zrem", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends ZCARD.
   *
   * @internal
   */
  zcard(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("zcard", args) as Reply;
  }

  /**
   * Sends ZSCORE.
   *
   * @internal
   */
  zscore(
    ...args: [key: RedisKey, member: RedisValue, callback?: RedisCallback]
  ): Promise<string | null> {
    return this.#connection.command("zscore", args) as Promise<string | null>;
  }

  /**
   * Sends ZMSCORE.
   *
   * @internal
   */
  zmscore(
    ...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]
  ): Promise<(string | null)[]> {
    return this.#connection.command("zmscore", args as RedisArgument[]) as Promise<
      (string | null)[]
    >;
  }

  /**
   * Sends ZCOUNT.
   *
   * @internal
   */
  zcount(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("zcount", args) as Reply;
  }

  /**
   * Sends ZLEXCOUNT.
   *
   * @internal
   */
  zlexcount(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("zlexcount", args) as Reply;
  }

  /**
   * Sends ZRANK.
   *
   * @internal
   */
  zrank(
    ...args: [key: RedisKey, member: RedisValue, callback?: RedisCallback]
  ): Promise<number | null>;
  /**
   * Sends ZRANK with WITHSCORE.
   *
   * @internal
   */
  zrank(...args: [key: RedisKey, member: RedisValue, ...RedisArgument[]]): Promise<never>;
  zrank(...args: [key: RedisKey, ...RedisArgument[]]): Promise<never> {
    return this.#connection.command("zrank", args) as Promise<never>;
  }

  /**
   * Sends ZREVRANK.
   *
   * @internal
   */
  zrevrank(
    ...args: [key: RedisKey, member: RedisValue, callback?: RedisCallback]
  ): Promise<number | null>;
  /**
   * Sends ZREVRANK with WITHSCORE.
   *
   * @internal
   */
  zrevrank(...args: [key: RedisKey, member: RedisValue, ...RedisArgument[]]): Promise<never>;
  zrevrank(...args: [key: RedisKey, ...RedisArgument[]]): Promise<never> {
    return this.#connection.command("zrevrank", args) as Promise<never>;
  }

  /**
   * Sends ZRANGE.
   *
   * @internal
   */
  zrange(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, ...RedisArgument[]]
  ): Promise<string[]> {
    return this.#connection.command("zrange", args) as Promise<string[]>;
  }

  /**
   * Sends ZREVRANGE.
   *
   * @internal
   */
  zrevrange(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, ...RedisArgument[]]
  ): Promise<string[]> {
    return this.#connection.command("zrevrange", args) as Promise<string[]>;
  }

  /**
   * Sends ZRANGEBYSCORE.
   *
   * @internal
   */
  zrangebyscore(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, ...RedisArgument[]]
  ): Promise<string[]> {
    return this.#connection.command("zrangebyscore", args) as Promise<string[]>;
  }

  /**
   * Sends ZREVRANGEBYSCORE.
   *
   * @internal
   */
  zrevrangebyscore(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, ...RedisArgument[]]
  ): Promise<string[]> {
    return this.#connection.command("zrevrangebyscore", args) as Promise<string[]>;
  }

  /**
   * Sends ZRANGEBYLEX.
   *
   * @internal
   */
  zrangebylex(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, ...RedisArgument[]]
  ): Promise<string[]> {
    return this.#connection.command("zrangebylex", args) as Promise<string[]>;
  }

  /**
   * Sends ZREVRANGEBYLEX.
   *
   * @internal
   */
  zrevrangebylex(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, ...RedisArgument[]]
  ): Promise<string[]> {
    return this.#connection.command("zrevrangebylex", args) as Promise<string[]>;
  }

  /**
   * Sends ZRANGESTORE.
   *
   * @internal
   */
  zrangestore(...args: [destination: RedisKey, source: RedisKey, ...RedisArgument[]]): Reply {
    return this.#connection.command("zrangestore", args) as Reply;
  }

  /**
   * Sends ZPOPMIN.
   *
   * @internal
   */
  zpopmin(...args: [key: RedisKey, ...RedisArgument[]]): Promise<string[]> {
    return this.#connection.command("zpopmin", args) as Promise<string[]>;
  }

  /**
   * Sends ZPOPMAX.
   *
   * @internal
   */
  zpopmax(...args: [key: RedisKey, ...RedisArgument[]]): Promise<string[]> {
    return this.#connection.command("zpopmax", args) as Promise<string[]>;
  }

  /**
   * Sends ZMPOP.
   *
   * @internal
   */
  zmpop(...args: RedisArgument[]): Promise<[key: string, pairs: [string, string][]] | null> {
    return this.#connection.command("zmpop", args) as Promise<
      [key: string, pairs: [string, string][]] | null
    >;
  }

  /**
   * Sends ZREMRANGEBYRANK.
   *
   * @internal
   */
  zremrangebyrank(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("zremrangebyrank", args) as Reply;
  }

  /**
   * Sends ZREMRANGEBYSCORE.
   *
   * @internal
   */
  zremrangebyscore(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("zremrangebyscore", args) as Reply;
  }

  /**
   * Sends ZREMRANGEBYLEX.
   *
   * @internal
   */
  zremrangebylex(
    ...args: [key: RedisKey, min: RedisValue, max: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("zremrangebylex", args) as Reply;
  }
}
