import type { RedisArgument, RedisCallback, RedisKey, RedisValue } from "./arguments.ts";
import type { CommandSender } from "./command-sender.ts";
import { RedisSortedSets } from "./redis-sorted-sets.ts";

type Reply = Promise<number>;

/**
 * What a client of ioredis does with keys, whatever they hold.
 *
 * @example
 * ```ts
 * import type { RedisKeys } from "faultlane/check";
 *
 * function forgetLater(client: RedisKeys) {
 *   return client.expire("seen", 3_600, "NX");
 * }
 * console.log(forgetLater.length); // => 1
 * ```
 */
export class RedisKeys extends RedisSortedSets {
  readonly #connection: CommandSender;

  /** @internal */
  constructor(connection: CommandSender) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * Sends PERSIST.
   *
   * @internal
   */
  persist(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("persist", args) as Reply;
  }

  /**
   * Sends TTL.
   *
   * @internal
   */
  ttl(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("ttl", args) as Reply;
  }

  /**
   * Sends PTTL.
   *
   * @internal
   */
  pttl(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("pttl", args) as Reply;
  }

  /**
   * Sends EXPIRE.
   *
   * @internal
   */
  expire(...args: [key: RedisKey, time: RedisValue, ...RedisArgument[]]): Reply {
    return this.#connection.command("expire", args) as Reply;
  }

  /**
   * Sends PEXPIRE.
   *
   * @internal
   */
  pexpire(...args: [key: RedisKey, time: RedisValue, ...RedisArgument[]]): Reply {
    return this.#connection.command("pexpire", args) as Reply;
  }

  /**
   * Sends DEL.
   *
   * @internal
   */
  del(...args: RedisArgument[]): Reply {
    return this.#connection.command("del", args) as Reply;
  }

  /**
   * Sends UNLINK.
   *
   * @internal
   */
  unlink(...args: RedisArgument[]): Reply {
    return this.#connection.command("unlink", args) as Reply;
  }

  /**
   * Sends EXISTS.
   *
   * @internal
   */
  exists(...args: RedisArgument[]): Reply {
    return this.#connection.command("exists", args) as Reply;
  }

  /**
   * Sends RENAME.
   *
   * @internal
   */
  rename(...args: [key: RedisKey, to: RedisKey, callback?: RedisCallback]): Promise<"OK"> {
    return this.#connection.command("rename", args) as Promise<"OK">;
  }

  /**
   * Sends RENAMENX.
   *
   * @internal
   */
  renamenx(...args: [key: RedisKey, to: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("renamenx", args) as Reply;
  }

  /**
   * Sends TYPE.
   *
   * @internal
   */
  type(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string> {
    return this.#connection.command("type", args) as Promise<string>;
  }
}
