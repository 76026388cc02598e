import type { RedisArgument, RedisCallback, RedisKey, RedisValue } from "./arguments.ts";
import type { CommandSender } from "./command-sender.ts";
import { isRefused } from "./commands.ts";
import { NotModelled } from "../not-modelled.ts";
import { RedisKeys } from "./redis-keys.ts";
import { spelledOut } from "./spelled-out.ts";
import type { EntryReply } from "./stream-server.ts";

/** The entries that XREADGROUP returns, by stream. */
export type StreamReply = [key: string, items: EntryReply[]][];

type Reply = Promise<number>;

/**
 * The commands of a connection to a Redis server, with the arguments of ioredis 6.
 *
 * Streams and consumer groups; strings, hashes, lists, sets and sorted sets; the commands of keys,
 * whatever they hold.
 *
 * @example
 * ```ts
 * import type { RedisCommands } from "faultlane/check";
 *
 * async function isNew(client: RedisCommands, id: string) {
 *   return (await client.set(`seen:${id}`, "1", "EX", 3_600, "NX")) === "OK";
 * }
 * console.log(isNew.length); // => 2
 * ```
 */
export class RedisCommands extends RedisKeys {
  readonly #connection: CommandSender;

  /** @internal */
  constructor(connection: CommandSender) {
    super(connection);
    this.#connection = connection;
  }

  /**
   * Sends a command by its name, in capitals or not. The server refuses a name that is none.
   *
   * @throws {NotModelled} for a command that the model does not have
   *
   * @internal
   */
  call(name: string, ...args: RedisArgument[]): Promise<unknown> {
    if (isRefused(name)) throw new NotModelled(`Redis.call("${name}")`, "brokers.redis");
    return this.#connection.command(name, spelledOut(name, args));
  }

  /**
   * Sends XRANGE.
   *
   * @internal
   */
  xrange(...args: [key: RedisKey, ...RedisArgument[]]): Promise<EntryReply[]> {
    return this.#connection.command("xrange", args) as Promise<EntryReply[]>;
  }

  /**
   * Sends XREVRANGE.
   *
   * @internal
   */
  xrevrange(...args: [key: RedisKey, ...RedisArgument[]]): Promise<EntryReply[]> {
    return this.#connection.command("xrevrange", args) as Promise<EntryReply[]>;
  }

  /**
   * Sends XADD.
   *
   * @internal
   */
  xadd(...args: [key: RedisKey, ...RedisArgument[]]): Promise<string | null> {
    return this.#connection.command("xadd", args) as Promise<string | null>;
  }

  /**
   * Sends XREADGROUP.
   *
   * @internal
   */
  xreadgroup(...args: RedisArgument[]): Promise<StreamReply | null> {
    return this.#connection.command("xreadgroup", args) as Promise<StreamReply | null>;
  }

  /**
   * Sends XREAD; what it returns is not delivered to a group.
   *
   * @internal
   */
  xread(...args: RedisArgument[]): Promise<StreamReply | null> {
    return this.#connection.command("xread", args) as Promise<StreamReply | null>;
  }

  /**
   * Sends XACK.
   *
   * @internal
   */
  xack(...args: [key: RedisKey, group: RedisKey, ...RedisArgument[]]): Reply {
    return this.#connection.command("xack", args) as Reply;
  }

  /**
   * Sends XCLAIM.
   *
   * @internal
   */
  xclaim(...args: [key: RedisKey, ...RedisArgument[]]): Promise<unknown[]> {
    return this.#connection.command("xclaim", args) as Promise<unknown[]>;
  }

  /**
   * Sends XAUTOCLAIM.
   *
   * @internal
   */
  xautoclaim(...args: [key: RedisKey, ...RedisArgument[]]): Promise<unknown[]> {
    return this.#connection.command("xautoclaim", args) as Promise<unknown[]>;
  }

  /**
   * Sends XPENDING.
   *
   * @internal
   */
  xpending(...args: [key: RedisKey, ...RedisArgument[]]): Promise<unknown[]> {
    return this.#connection.command("xpending", args) as Promise<unknown[]>;
  }

  /**
   * Sends XTRIM.
   *
   * @internal
   */
  xtrim(...args: [key: RedisKey, ...RedisArgument[]]): Reply {
    return this.#connection.command("xtrim", args) as Reply;
  }

  /**
   * Sends XDEL.
   *
   * @internal
   */
  xdel(...args: [key: RedisKey, ...RedisArgument[]]): Reply {
    return this.#connection.command("xdel", args) as Reply;
  }

  /**
   * Sends XLEN.
   *
   * @internal
   */
  xlen(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("xlen", args) as Reply;
  }

  /**
   * Sends XGROUP.
   *
   * @internal
   */
  xgroup(...args: [subcommand: string, ...RedisArgument[]]): Promise<unknown> {
    return this.#connection.command("xgroup", args);
  }

  /**
   * Sends XINFO.
   *
   * @internal
   */
  xinfo(...args: [subcommand: string, ...RedisArgument[]]): Promise<unknown> {
    return this.#connection.command("xinfo", args);
  }

  /**
   * Sends XSETID.
   *
   * @internal
   */
  xsetid(...args: [key: RedisKey, id: RedisValue, ...RedisArgument[]]): Promise<"OK"> {
    return this.#connection.command("xsetid", args) as Promise<"OK">;
  }

  /**
   * Sends SET.
   *
   * @internal
   */
  set(...args: [key: RedisKey, value: RedisValue, ...RedisArgument[]]): Promise<string | null> {
    return this.#connection.command("set", args) as Promise<string | null>;
  }

  /**
   * Sends GET.
   *
   * @internal
   */
  get(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string | null> {
    return this.#connection.command("get", args) as Promise<string | null>;
  }

  /**
   * Sends GETDEL.
   *
   * @internal
   */
  getdel(...args: [key: RedisKey, callback?: RedisCallback]): Promise<string | null> {
    return this.#connection.command("getdel", args) as Promise<string | null>;
  }

  /**
   * Sends MGET.
   *
   * @internal
   */
  mget(...args: (RedisArgument | readonly RedisKey[])[]): Promise<(string | null)[]> {
    return this.call("mget", ...(args as RedisArgument[])) as Promise<(string | null)[]>;
  }

  /**
   * Sends MSET, whose pairs may be an object or a map, too.
   *
   * @internal
   */
  mset(...args: (RedisArgument | object)[]): Promise<"OK"> {
    return this.call("mset", ...(args as RedisArgument[])) as Promise<"OK">;
  }

  /**
   * Sends SETNX.
   *
   * @internal
   */
  setnx(...args: [key: RedisKey, value: RedisValue, callback?: RedisCallback]): Reply {
    return this.#connection.command("setnx", args) as Reply;
  }

  /**
   * Sends SETEX.
   *
   * @internal
   */
  setex(
    ...args: [key: RedisKey, time: RedisValue, value: RedisValue, callback?: RedisCallback]
  ): Promise<"OK"> {
    return this.#connection.command("setex", args) as Promise<"OK">;
  }

  /**
   * Sends PSETEX.
   *
   * @internal
   */
  psetex(
    ...args: [key: RedisKey, time: RedisValue, value: RedisValue, callback?: RedisCallback]
  ): Promise<"OK"> {
    return this.#connection.command("psetex", args) as Promise<"OK">;
  }

  /**
   * Sends INCR.
   *
   * @internal
   */
  incr(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("incr", args) as Reply;
  }

  /**
   * Sends DECR.
   *
   * @internal
   */
  decr(...args: [key: RedisKey, callback?: RedisCallback]): Reply {
    return this.#connection.command("decr", args) as Reply;
  }

  /**
   * Sends INCRBY.
   *
   * @internal
   */
  incrby(...args: [key: RedisKey, by: RedisValue, callback?: RedisCallback]): Reply {
    return this.#connection.command("incrby", args) as Reply;
  }

  /**
   * Sends DECRBY.
   *
   * @internal
   */
  decrby(...args: [key: RedisKey, by: RedisValue, callback?: RedisCallback]): Reply {
    return this.#connection.command("decrby", args) as Reply;
  }

  /**
   * Sends PING.
   *
   * @internal
   */
  ping(...args: RedisArgument[]): Promise<string> {
    return this.#connection.command("ping", args) as Promise<string>;
  }

  /**
   * Sends TIME.
   *
   * @internal
   */
  time(...args: [callback?: RedisCallback]): Promise<number[]> {
    return this.#connection.command("time", args) as Promise<number[]>;
  }
}
