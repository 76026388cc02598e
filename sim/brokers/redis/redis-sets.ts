import type { RedisArgument, RedisCallback, RedisKey, RedisValue } from "./arguments.ts";
import { RedisLists } from "./redis-lists.ts";
import type { CommandSender } from "./command-sender.ts";

type Reply = Promise<number>;

/**
 * What a client of ioredis does with sets.
 *
 * @example
 * ```ts
 * import type { RedisSets } from "faultlane/check";
 *
 * async function isNew(client: RedisSets, id: string) {
 *   return (await client.sadd("seen", id)) === 1;
 * }
 * console.log(isNew.length); // => 2
 * ```
 */
export class RedisSets extends RedisLists {
  readonly #connection: CommandSender;

  /** @internal */
  constructor(connection: CommandSender) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * Sends SADD.
   *
   * @internal
   */
  sadd(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("sadd", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends SREM.
   *
   * @internal
   */
  srem(...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]): Reply {
    return this.#connection.command("srem", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends SISMEMBER.
   *
   * @internal
   */
  sismember(...args: [key: RedisKey, member: RedisValue, callback?: RedisCallback]): Reply {
    return this.#connection.command("sismember", args) as Reply;
  }

  /**
   * Sends SMISMEMBER.
   *
   * @internal
   */
  smismember(
    ...args: [key: RedisKey, ...(RedisArgument | readonly RedisValue[])[]]
  ): Promise<number[]> {
    return this.#connection.command("smismember", args as RedisArgument[]) as Promise<number[]>;
  }

  /**
   * Sends SMEMBERS.
   *
   * @internal
   */
  smembers(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string[]> {
    return this.#connection.command("smembers", args) as Promise<string[]>;
  }

  /**
   * Sends SCARD.
   *
   * @internal
   */
  scard(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("scard", args) as Reply;
  }

  /**
   * Sends SMOVE.
   *
   * @internal
   */
  smove(
    ...args: [source: RedisKey, destination: RedisKey, member: RedisValue, callback?: RedisCallback]
  ): Reply {
    return this.#connection.command("smove", args) as Reply;
  }

  /**
   * Sends SINTER.
   *
   * @internal
   */
  sinter(...args: (RedisArgument | readonly RedisKey[])[]): Promise<string[]> {
    return this.#connection.command("sinter", args as RedisArgument[]) as Promise<string[]>;
  }

  /**
   * Sends SUNION.
   *
   * @internal
   */
  sunion(...args: (RedisArgument | readonly RedisKey[])[]): Promise<string[]> {
    return this.#connection.command("sunion", args as RedisArgument[]) as Promise<string[]>;
  }

  /**
   * Sends SDIFF.
   *
   * @internal
   */
  sdiff(...args: (RedisArgument | readonly RedisKey[])[]): Promise<string[]> {
    return this.#connection.command("sdiff", args as RedisArgument[]) as Promise<string[]>;
  }

  /**
   * Sends SINTERSTORE.
   *
   * @internal
   */
  sinterstore(...args: [destination: RedisKey, ...(RedisArgument | readonly RedisKey[])[]]): Reply {
    return this.#connection.command("sinterstore", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends SUNIONSTORE.
   *
   * @internal
   */
  sunionstore(...args: [destination: RedisKey, ...(RedisArgument | readonly RedisKey[])[]]): Reply {
    return this.#connection.command("sunionstore", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends SDIFFSTORE.
   *
   * @internal
   */
  sdiffstore(...args: [destination: RedisKey, ...(RedisArgument | readonly RedisKey[])[]]): Reply {
    return this.#connection.command("sdiffstore", args as RedisArgument[]) as Reply;
  }

  /**
   * Sends SINTERCARD.
   *
   * @internal
   */
  sintercard(...args: (RedisArgument | readonly RedisKey[])[]): Reply {
    return this.#connection.command("sintercard", args as RedisArgument[]) as Reply;
  }
}
