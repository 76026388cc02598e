import type { RedisArgument, RedisCallback, RedisKey, RedisValue } from "./arguments.ts";
import { RedisHashes } from "./redis-hashes.ts";
import type { CommandSender } from "./command-sender.ts";

type Reply = Promise<number>;

/**
 * What a client of ioredis does with lists.
 *
 * @example
 * ```ts
 * import type { RedisLists } from "faultlane/check";
 *
 * async function bury(client: RedisLists, letter: string) {
 *   await client.lpush("orders:dead", letter);
 *   await client.ltrim("orders:dead", 0, 999);
 * }
 * console.log(bury.length); // => 2
 * ```
 */
export class RedisLists extends RedisHashes {
  readonly #connection: CommandSender;

  /** @internal */
  constructor(connection: CommandSender) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * Sends LPUSH.
   *
   * @internal
   */
  lpush(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("lpush", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends RPUSH.
   *
   * @internal
   */
  rpush(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("rpush", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends LPUSHX.
   *
   * @internal
   */
  lpushx(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("lpushx", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends RPUSHX.
   *
   * @internal
   */
  rpushx(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("rpushx", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends LPOP.
   *
   * @internal
   */
  lpop(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string | null>;
  /**
   * Sends LPOP with a count.
   *
   * @internal
   */
  lpop(
    ...args: [key: RedisKey, count: RedisValue, callback?: RedisCallback]
  ): Promise<string[] | null>;
  lpop(...args: [key: RedisKey, ...RedisArgument[]]): Promise<never> {
    return this.#connection.command("lpop", args) as Promise<never>;
  }

  /**
   * Sends RPOP.
   *
   * @internal
   */
  rpop(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string | null>;
  /**
   * Sends RPOP with a count.
   *
   * @internal
   */
  rpop(
    ...args: [key: RedisKey, count: RedisValue, callback?: RedisCallback]
  ): Promise<string[] | null>;
  rpop(...args: [key: RedisKey, ...RedisArgument[]]): Promise<never> {
    return this.#connection.command("rpop", args) as Promise<never>;
  }

  /**
   * Sends LLEN.
   *
   * @internal
   */
  llen(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("llen", args) as Reply;
  }

  /**
   * Sends LRANGE.
   *
   * @internal
   */
  lrange(
    ...args: [key: RedisKey, start: RedisValue, stop: RedisValue, callback?: RedisCallback]
  ): Promise<string[]> {
    return this.#connection.command("lrange", args) as Promise<string[]>;
  }

  /**
   * Sends LTRIM.
   *
   * @internal
   */
  ltrim(
    ...args: [key: RedisKey, start: RedisValue, stop: RedisValue, callback?: RedisCallback]
  ): Promise<"OK"> {
    return this.#connection.command("ltrim", args) as Promise<"OK">;
  }

  /**
   * Sends LINDEX.
   *
   * @internal
   */
  lindex(
    ...args: [key: RedisKey, index: RedisValue, callback?: RedisCallback]
  ): Promise<string | null> {
    return this.#connection.command("lindex", args) as Promise<string | null>;
  }

  /**
   * Sends LSET.
   *
   * @internal
   */
  lset(
    ...args: [key: RedisKey, index: RedisValue, element: RedisValue, callback?: RedisCallback]
  ): Promise<"OK"> {
    return this.#connection.command("lset", args) as Promise<"OK">;
  }

  /**
   * Sends LREM.
   *
   * @internal
   */
  lrem(
    ...args: [key: RedisKey, count: RedisValue, element: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("lrem", args) as Reply;
  }

  /**
   * Sends LINSERT.
   *
   * @internal
   */
  linsert(...args: [key: RedisKey, ...RedisArgument[]]): Reply {
    return this.#connection.command("linsert", args) as Reply;
  }

  /**
   * Sends LPOS.
   *
   * @internal
   */
  lpos(...args: [key: RedisKey, element: RedisValue, ...RedisArgument[]]): Promise<number | null>;
  /**
   * Sends LPOS with COUNT.
   *
   * @internal
   */
  lpos(...args: [key: RedisKey, element: RedisValue, ...RedisArgument[]]): Promise<number[]>;
  lpos(...args: [key: RedisKey, ...RedisArgument[]]): Promise<never> {
    return this.#connection.command("lpos", args) as Promise<never>;
  }

  /**
   * Sends LMOVE.
   *
   * @internal
   */
  lmove(...args: [key: RedisKey, ...RedisArgument[]]): Promise<string | null> {
    return this.#connection.command("lmove", args) as Promise<string | null>;
  }

  /**
   * Sends RPOPLPUSH.
   *
   * @internal
   */
  rpoplpush(
    ...args: [source: RedisKey, destination: RedisKey, callback?: RedisCallback]
  ): Promise<string | null> {
    return this.#connection.command("rpoplpush", args) as Promise<string | null>;
  }

  /**
   * Sends LMPOP.
   *
   * @internal
   */
  lmpop(...args: RedisArgument[]): Promise<[key: string, items: string[]] | null> {
    return this.#connection.command("lmpop", args) as Promise<
      [key: string, items: string[]] | null
    >;
  }
}
