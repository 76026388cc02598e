import type { RedisArgument, RedisCallback, RedisValue } from "./arguments.ts";
import { COMMANDS } from "./commands.ts";
import { NotModelled } from "../not-modelled.ts";
import type { EntryReply } from "./stream-server.ts";

/** The entries that XREADGROUP returns, by stream. */
export type StreamReply = [key: string, items: EntryReply[]][];

/** Sends commands of the model's by their names in small letters. */
export interface CommandSender {
  command(name: string, args: readonly RedisArgument[]): Promise<unknown>;
}

type Reply = Promise<number>;
type RedisKey = string | Uint8Array;

/**
 * The commands of a connection to a Redis server, with the arguments of ioredis 6.
 *
 * Streams and consumer groups; strings with their expiry, by which a producer tells what it has
 * seen; `del`, `exists` and `type` of both.
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
export class RedisCommands {
  readonly #connection: CommandSender;

  /** @internal */
  constructor(connection: CommandSender) {
    this.#connection = connection;
  }

  /**
   * Sends a command by its name, in capitals or not.
   *
   * @internal
   */
  call(name: string, ...args: RedisArgument[]): Promise<unknown> {
    const known = name.toLowerCase();
    if (COMMANDS[known] === undefined) {
      throw new NotModelled(`Redis.call("${name}")`, "brokers.redis");
    }
    return this.#connection.command(known, args);
  }

  /**
   * Sends XRANGE.
   *
   * @internal
   */
  xrange(key: RedisKey, ...args: RedisArgument[]): Promise<EntryReply[]> {
    return this.#connection.command("xrange", [key, ...args]) as Promise<EntryReply[]>;
  }

  /**
   * Sends XREVRANGE.
   *
   * @internal
   */
  xrevrange(key: RedisKey, ...args: RedisArgument[]): Promise<EntryReply[]> {
    return this.#connection.command("xrevrange", [key, ...args]) as Promise<EntryReply[]>;
  }

  /**
   * Sends XADD.
   *
   * @internal
   */
  xadd(key: RedisKey, ...args: RedisArgument[]): Promise<string | null> {
    return this.#connection.command("xadd", [key, ...args]) as Promise<string | null>;
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
  xack(key: RedisKey, group: RedisKey, ...ids: RedisArgument[]): Reply {
    return this.#connection.command("xack", [key, group, ...ids]) as Reply;
  }

  /**
   * Sends XCLAIM.
   *
   * @internal
   */
  xclaim(key: RedisKey, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#connection.command("xclaim", [key, ...args]) as Promise<unknown[]>;
  }

  /**
   * Sends XAUTOCLAIM.
   *
   * @internal
   */
  xautoclaim(key: RedisKey, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#connection.command("xautoclaim", [key, ...args]) as Promise<unknown[]>;
  }

  /**
   * Sends XPENDING.
   *
   * @internal
   */
  xpending(key: RedisKey, ...args: RedisArgument[]): Promise<unknown[]> {
    return this.#connection.command("xpending", [key, ...args]) as Promise<unknown[]>;
  }

  /**
   * Sends XTRIM.
   *
   * @internal
   */
  xtrim(key: RedisKey, ...args: RedisArgument[]): Reply {
    return this.#connection.command("xtrim", [key, ...args]) as Reply;
  }

  /**
   * Sends XDEL.
   *
   * @internal
   */
  xdel(key: RedisKey, ...ids: RedisArgument[]): Reply {
    return this.#connection.command("xdel", [key, ...ids]) as Reply;
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
  xsetid(key: RedisKey, id: RedisValue): Promise<"OK"> {
    return this.#connection.command("xsetid", [key, id]) as Promise<"OK">;
  }

  /**
   * Sends SET.
   *
   * @internal
   */
  set(key: RedisKey, value: RedisValue, ...args: RedisArgument[]): Promise<string | null> {
    return this.#connection.command("set", [key, value, ...args]) as Promise<string | null>;
  }

  /**
   * Sends GET.
   *
   * @internal
   */
  get(key: RedisKey): Promise<string | null> {
    return this.#connection.command("get", [key]) as Promise<string | null>;
  }

  /**
   * Sends GETDEL.
   *
   * @internal
   */
  getdel(key: RedisKey): Promise<string | null> {
    return this.#connection.command("getdel", [key]) as Promise<string | null>;
  }

  /**
   * Sends SETNX.
   *
   * @internal
   */
  setnx(key: RedisKey, value: RedisValue): Reply {
    return this.#connection.command("setnx", [key, value]) as Reply;
  }

  /**
   * Sends SETEX.
   *
   * @internal
   */
  setex(key: RedisKey, time: RedisValue, value: RedisValue): Promise<"OK"> {
    return this.#connection.command("setex", [key, time, value]) as Promise<"OK">;
  }

  /**
   * Sends PSETEX.
   *
   * @internal
   */
  psetex(key: RedisKey, time: RedisValue, value: RedisValue): Promise<"OK"> {
    return this.#connection.command("psetex", [key, time, value]) as Promise<"OK">;
  }

  /**
   * Sends INCR.
   *
   * @internal
   */
  incr(key: RedisKey): Reply {
    return this.#connection.command("incr", [key]) as Reply;
  }

  /**
   * Sends DECR.
   *
   * @internal
   */
  decr(key: RedisKey): Reply {
    return this.#connection.command("decr", [key]) as Reply;
  }

  /**
   * Sends TTL.
   *
   * @internal
   */
  ttl(key: RedisKey): Reply {
    return this.#connection.command("ttl", [key]) as Reply;
  }

  /**
   * Sends PTTL.
   *
   * @internal
   */
  pttl(key: RedisKey): Reply {
    return this.#connection.command("pttl", [key]) as Reply;
  }

  /**
   * Sends INCRBY.
   *
   * @internal
   */
  incrby(key: RedisKey, by: RedisValue): Reply {
    return this.#connection.command("incrby", [key, by]) as Reply;
  }

  /**
   * Sends DECRBY.
   *
   * @internal
   */
  decrby(key: RedisKey, by: RedisValue): Reply {
    return this.#connection.command("decrby", [key, by]) as Reply;
  }

  /**
   * Sends EXPIRE.
   *
   * @internal
   */
  expire(key: RedisKey, time: RedisValue): Reply {
    return this.#connection.command("expire", [key, time]) as Reply;
  }

  /**
   * Sends PEXPIRE.
   *
   * @internal
   */
  pexpire(key: RedisKey, time: RedisValue): Reply {
    return this.#connection.command("pexpire", [key, time]) as Reply;
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
   * Sends TYPE.
   *
   * @internal
   */
  type(key: RedisKey): Promise<string> {
    return this.#connection.command("type", [key]) as Promise<string>;
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
  time(): Promise<number[]> {
    return this.#connection.command("time", []) as Promise<number[]>;
  }
}
