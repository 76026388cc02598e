import type { ArgumentReader } from "./arguments.ts";
import { ReplyError } from "./reply-error.ts";

/** The fewest arguments of each command. Source: redis, src/commands.def, arity */
const FEWEST: Readonly<Record<string, number>> = {
  ...{ xack: 3, xadd: 4, xautoclaim: 5, xclaim: 5, xdel: 2, xlen: 1, xpending: 2, xrange: 3 },
  ...{ xread: 3, xreadgroup: 6, xrevrange: 3, xtrim: 3, xgroup: 1, xinfo: 1, xsetid: 2 },
  ...{ "xinfo|stream": 1, "xinfo|groups": 1, "xinfo|consumers": 2 },
  ...{ set: 2, get: 1, getdel: 1, setnx: 2, setex: 3, psetex: 3, del: 1, unlink: 1, exists: 1 },
  ...{ mget: 1, mset: 2, persist: 1 },
  ...{ type: 1, expire: 2, pexpire: 2, ttl: 1, pttl: 1, incr: 1, incrby: 2, decr: 1, decrby: 2 },
  ...{ "xgroup|create": 3, "xgroup|setid": 3, "xgroup|destroy": 2 },
  ...{ "xgroup|createconsumer": 3, "xgroup|delconsumer": 3 },
  ...{ hset: 3, hmset: 3, hsetnx: 3, hget: 2, hmget: 2, hgetall: 1, hdel: 2, hexists: 2 },
  ...{ hlen: 1, hstrlen: 2, hkeys: 1, hvals: 1, hincrby: 3, hincrbyfloat: 3, lpush: 2 },
  ...{ rpush: 2, lpushx: 2, rpushx: 2, lpop: 1, rpop: 1, llen: 1, lrange: 3, ltrim: 3 },
  ...{ lindex: 2, lset: 3, lrem: 3, linsert: 4, lpos: 2, lmove: 4, rpoplpush: 2, lmpop: 3 },
  ...{ sadd: 2, srem: 2, sismember: 2, smismember: 2, smembers: 1, scard: 1, smove: 3 },
  ...{ sinter: 1, sunion: 1, sdiff: 1, sinterstore: 2, sunionstore: 2, sdiffstore: 2 },
  ...{ sintercard: 2, zadd: 3, zincrby: 3, zrem: 2, zcard: 1, zscore: 2, zmscore: 2 },
  ...{ zcount: 3, zlexcount: 3, zrank: 2, zrevrank: 2, zrange: 3, zrevrange: 3 },
  ...{ zrangebyscore: 3, zrevrangebyscore: 3, zrangebylex: 3, zrevrangebylex: 3 },
  ...{ zrangestore: 4, zpopmin: 1, zpopmax: 1, zmpop: 3, zremrangebyrank: 3 },
  ...{ zremrangebyscore: 3, zremrangebylex: 3, rename: 2, renamenx: 2 },
};

/** The most arguments of those that have a fixed number of them. */
const MOST: Readonly<Record<string, number>> = {
  ...{ xlen: 1, get: 1, getdel: 1, setnx: 2, setex: 3, psetex: 3, type: 1, ttl: 1, pttl: 1 },
  ...{ incr: 1, incrby: 2, decr: 1, decrby: 2, ping: 1, time: 0, persist: 1 },
  ...{ "xinfo|groups": 1, "xinfo|consumers": 2 },
  ...{ "xgroup|destroy": 2, "xgroup|createconsumer": 3, "xgroup|delconsumer": 3 },
  ...{ hsetnx: 3, hget: 2, hgetall: 1, hexists: 2, hlen: 1, hstrlen: 2, hkeys: 1, hvals: 1 },
  ...{ hincrby: 3, hincrbyfloat: 3, llen: 1, lrange: 3, ltrim: 3, lindex: 2, lset: 3, lrem: 3 },
  ...{ linsert: 4, lmove: 4, rpoplpush: 2, sismember: 2, smembers: 1, scard: 1, smove: 3 },
  ...{ zincrby: 3, zcard: 1, zscore: 2, zcount: 3, zlexcount: 3, zremrangebyrank: 3 },
  ...{ zremrangebyscore: 3, zremrangebylex: 3, rename: 2, renamenx: 2 },
};

/** @throws {ReplyError} when fewer arguments are left than the command has, or too many */
export function assertArity(command: string, words: Pick<ArgumentReader, "left">): void {
  const isTooMany = words.left > (MOST[command] ?? Number.MAX_SAFE_INTEGER);
  if (words.left >= (FEWEST[command] ?? 0) && !isTooMany) return;
  throw wrongArity(command);
}

const SUBCOMMANDS: Readonly<Record<"xgroup" | "xinfo", readonly string[]>> = {
  xgroup: ["CREATE", "SETID", "DESTROY", "CREATECONSUMER", "DELCONSUMER", "HELP"],
  xinfo: ["STREAM", "GROUPS", "CONSUMERS", "HELP"],
};

/** @throws {ReplyError} for a subcommand that is none, or has not the arguments that it needs */
export function assertSubcommand(command: "xgroup" | "xinfo", words: ArgumentReader): void {
  const [word = "", ...others] = words.ahead();
  if (!SUBCOMMANDS[command].includes(word.toUpperCase())) {
    const help = command.toUpperCase();
    throw new ReplyError(`ERR unknown subcommand '${word}'. Try ${help} HELP.`);
  }
  assertArity(`${command}|${word.toLowerCase()}`, { left: others.length });
}

export function wrongArity(command: string): ReplyError {
  return new ReplyError(`ERR wrong number of arguments for '${command}' command`);
}
