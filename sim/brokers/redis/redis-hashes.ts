import type { RedisArgument, RedisCallback, RedisKey, RedisValue } from "./arguments.ts";
import type { CommandSender } from "./command-sender.ts";
import { spelledOut } from "./spelled-out.ts";

type Reply = Promise<number>;

/**
 * What a client of ioredis does with hashes.
 *
 * @example
 * ```ts
 * import type { RedisHashes } from "faultlane/check";
 *
 * function countAttempt(client: RedisHashes, id: string) {
 *   return client.hincrby("attempts", id, 1);
 * }
 * console.log(countAttempt.length); // => 2
 * ```
 */
export class RedisHashes {
  readonly #connection: CommandSender;

  /** @internal */
  constructor(connection: CommandSender) {
    this.#connection = connection;
  }

  /**
   * Sends HSET, whose fields may be an object or a map, too.
   *
   * @internal
   */
  hset(...args: [key: RedisKey, ...(RedisArgument | object)[]]): Reply {
    return this.#connection.command("hset", spelledOut("hset", args as RedisArgument[])) as Reply;
  }

  /**
   * Sends HMSET, whose fields may be an object or a map, too.
   *
   * @internal
   */
  hmset(...args: [key: RedisKey, ...(RedisArgument | object)[]]): Promise<"OK"> {
    return this.#connection.command(
      "hmset",
      spelledOut("hmset", args as RedisArgument[]),
    ) as Promise<"OK">;
  }

  /**
   * Sends HSETNX.
   *
   * @internal
   */
  hsetnx(
    ...args: [key: RedisKey, field: RedisValue, value: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("hsetnx", args) as Reply;
  }

  /**
   * Sends HGET.
   *
   * @internal
   */
  hget(
    ...args: [key: RedisKey, field: RedisValue, callback?: RedisCallback]
  ): Promise<string | null> {
    return this.#connection.command("hget", args) as Promise<string | null>;
  }

  /**
   * Sends HMGET.
   *
   * @internal
   */
  hmget(
    ...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]
  ): Promise<(string | null)[]> {
    return this.#connection.command("hmget", args as RedisArgument[]) as Promise<(string | null)[]>;
  }

  /**
   * Sends HGETALL.
   *
   * @internal
   */
  hgetall(...args: [key: RedisKey, callback?: RedisCallback]): Promise<Record<string, string>> {
    return this.#connection.command("hgetall", args) as Promise<Record<string, string>>;
  }

  /**
   * Sends HDEL.
   *
   * @internal
   */
  hdel(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("hdel", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends HEXISTS.
   *
   * @internal
   */
  hexists(...args: [key: RedisKey, field: RedisValue, callback?: RedisCallback]): Reply {
    return this.#connection.command("hexists", args) as Reply;
  }

  /**
   * Sends HLEN.
   *
   * @internal
   */
  hlen(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("hlen", args) as Reply;
  }

  /**
   * Sends HSTRLEN.
   *
   * @internal
   */
  hstrlen(...args: [key: RedisKey, field: RedisValue, callback?: RedisCallback]): Reply {
    return this.#connection.command("hstrlen", args) as Reply;
  }

  /**
   * Sends HKEYS.
   *
   * @internal
   */
  hkeys(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string[]> {
    return this.#connection.command("hkeys", args) as Promise<string[]>;
  }

  /**
   * Sends HVALS.
   *
   * @internal
   */
  hvals(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string[]> {
    return this.#connection.command("hvals", args) as Promise<string[]>;
  }

  /**
   * Sends HINCRBY.
   *
   * @internal
   */
  hincrby(
    ...args: [key: RedisKey, field: RedisValue, by: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("hincrby", args) as Reply;
  }

  /**
   * Sends HINCRBYFLOAT.
   *
   * @internal
   */
  hincrbyfloat(
    ...args: [key: RedisKey, field: RedisValue, by: RedisValue, callback?: RedisCallback]
  ): Promise<string> {
    return this.#connection.command("hincrbyfloat", args) as Promise<string>;
  }
}
