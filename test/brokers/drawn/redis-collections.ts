import * as fc from "fast-check";
import { command, maybe, type Weighted, words } from "./redis-words.ts";

const field = fc.constantFrom("a", "b", "c", "ä", "");
const member = fc.constantFrom("a", "b", "c", "10", "9", "-3", "ä", "\u{1F600}", "\uFFFD", "");
const integer = fc.integer({ min: -12, max: 12 });
const value = fc.constantFrom("v", "5", "-2", "1.5", "", "9223372036854775807");
const by = fc.constantFrom(1, -1, 3, "9223372036854775807", "-9223372036854775808", "x", "1.5");
const float = fc.constantFrom("1.5", "-0.1", "1e3", "0.00000001", "3", "x", "inf", "", ".5", "5.");
const index = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: -4, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom("x", 100, -100) },
);
const count = fc.constantFrom(0, 1, 1, 2, 3, -1, "x");
const numkeys = fc.constantFrom(1, 1, 1, 2, 0, "x");
const score = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("1.5", "0.1", "inf", "-inf", "1e21", "1e-7", "-0", "1700000000123"),
  },
  { weight: 1, arbitrary: fc.constantFrom("x", "", "nan", "1e400", "0x10", " 1") },
);
const bound = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("-inf", "+inf", "(1", "(-1", "1.5", "(", "") },
  { weight: 3, arbitrary: score },
);
const end = fc.constantFrom("-", "+", "[a", "(a", "[b", "(b", "[ä", "[", "a", "", "--");
/** Of each kind a key of its own, and keys that hold something else. */
const key = (own: string) =>
  fc.constantFrom(own, own, own, own, own, own, "more", "more", "text", "orders", "other", "none");
const [hash, list, set, zset] = [key("hash"), key("list"), key("set"), key("zset")];
const any = fc.constantFrom("hash", "list", "set", "zset", "ints", "more", "text", "none");
/** What is put in the place of whatever is there. */
const target = fc.constantFrom("more", "more", "set", "zset", "hash", "text");
const several = fc.array(set, { minLength: 1, maxLength: 3 });
const members = fc.array(member, { minLength: 1, maxLength: 3 });
const limit = maybe(
  "LIMIT",
  fc.constantFrom(0, 1, 2, -1, "x"),
  fc.constantFrom(0, 1, 2, -1, -2, "x"),
);
const scores = maybe(fc.constantFrom("WITHSCORES", "withscores", "WITHSCORE"));
const side = fc.constantFrom("LEFT", "RIGHT", "left", "x");

const HASHES: Weighted = [
  [5, command("hset", hash, field, value, maybe(field, value))],
  [1, command("hset", hash, field, value, maybe(field))],
  [1, command("hset", hash, fc.constantFrom({ a: "1", b: 2 }, { c: ["x", "y"] }, {}))],
  [1, command("hmset", hash, field, value, maybe(field))],
  [1, command("hsetnx", hash, field, value)],
  [2, command(fc.constantFrom("hget", "hexists", "hstrlen"), hash, field)],
  [1, command("hmget", hash, fc.array(field, { maxLength: 3 }))],
  [3, command(fc.constantFrom("hgetall", "hkeys", "hvals", "hlen"), hash)],
  [2, command("hdel", hash, fc.array(field, { maxLength: 2 }))],
  [3, command("hincrby", hash, field, by)],
  [2, command("hincrbyfloat", hash, field, float)],
];

const LISTS: Weighted = [
  [4, command(fc.constantFrom("lpush", "rpush"), list, members)],
  [1, command(fc.constantFrom("lpushx", "rpushx"), list, members)],
  [3, command(fc.constantFrom("lpop", "rpop"), list, maybe(count))],
  [1, command("llen", list)],
  [3, command("lrange", list, index, index)],
  [1, command("ltrim", list, index, index)],
  [1, command("lindex", list, index)],
  [1, command("lset", list, index, member)],
  [1, command("lrem", list, count, member)],
  [1, command("linsert", list, fc.constantFrom("BEFORE", "AFTER", "before", "x"), member, member)],
  [
    2,
    command(
      ...["lpos", list, member, maybe("RANK", fc.constantFrom(1, 2, -1, -2, 0, "x"))],
      ...[maybe("COUNT", count), maybe("MAXLEN", count), maybe("COUNT")],
    ),
  ],
  [1, command("lmove", list, list, side, side)],
  [1, command("rpoplpush", list, list)],
  [1, command("lmpop", numkeys, list, maybe(list), side, maybe("COUNT", count))],
];

const SETS: Weighted = [
  [4, command("sadd", set, members)],
  [2, command("sadd", "ints", fc.array(integer, { minLength: 1, maxLength: 4 }))],
  [1, command("srem", "ints", integer)],
  [1, command("smembers", "ints")],
  [2, command("srem", set, members)],
  [1, command("sismember", set, member)],
  [1, command("smismember", set, members)],
  [2, command(fc.constantFrom("smembers", "scard"), set)],
  [1, command("smove", set, set, member)],
  [2, command(fc.constantFrom("sinter", "sunion", "sdiff"), several)],
  [1, command(fc.constantFrom("sinter", "sunion", "sdiff"), "ints", "set")],
  [1, command(fc.constantFrom("sinterstore", "sunionstore", "sdiffstore"), target, several)],
  [1, command("sintercard", numkeys, several, maybe("LIMIT", count), maybe("x"))],
];

const SORTED_SETS: Weighted = [
  [5, command("zadd", zset, score, member, maybe(score, member))],
  [
    3,
    command(
      ...["zadd", zset, maybe(fc.constantFrom("NX", "XX", "nx")), maybe("CH")],
      ...[maybe(fc.constantFrom("GT", "LT")), maybe("INCR"), score, member, maybe(score, member)],
    ),
  ],
  [2, command("zincrby", zset, score, member)],
  [1, command("zrem", zset, members)],
  [2, command(fc.constantFrom("zscore", "zrank", "zrevrank"), zset, member, maybe("WITHSCORE"))],
  [1, command("zmscore", zset, members)],
  [1, command("zcard", zset)],
  [2, command(fc.constantFrom("zcount", "zremrangebyscore"), zset, bound, bound)],
  [1, command(fc.constantFrom("zlexcount", "zremrangebylex"), zset, end, end)],
  [1, command("zremrangebyrank", zset, index, index)],
  [2, command(fc.constantFrom("zrange", "zrevrange"), zset, index, index, scores)],
  [1, command("zrange", zset, index, index, maybe("REV"), limit, scores)],
  [3, command("zrange", zset, bound, bound, "BYSCORE", maybe("REV"), limit, scores)],
  [2, command("zrange", zset, end, end, "BYLEX", maybe("REV"), limit, scores)],
  [
    2,
    command(
      fc.constantFrom("zrangebyscore", "zrevrangebyscore"),
      zset,
      bound,
      bound,
      scores,
      limit,
    ),
  ],
  [2, command(fc.constantFrom("zrangebylex", "zrevrangebylex"), zset, end, end, limit, scores)],
  [
    1,
    command(
      "zrangestore",
      target,
      zset,
      bound,
      bound,
      maybe("BYSCORE"),
      maybe("REV"),
      limit,
      scores,
    ),
  ],
  [2, command(fc.constantFrom("zpopmin", "zpopmax"), zset, maybe(count))],
  [
    1,
    command(
      ...["zmpop", numkeys, zset, maybe(zset), fc.constantFrom("MIN", "MAX", "x")],
      ...[maybe("COUNT", count)],
    ),
  ],
];

/** Commands of hashes, lists, sets and sorted sets, and those of keys that hold one. */
export const REDIS_COLLECTIONS: Weighted = [
  ...[...HASHES, ...LISTS, ...SETS, ...SORTED_SETS],
  [2, command(fc.constantFrom("del", "exists", "type", "ttl", "persist"), any)],
  [
    1,
    command(
      "expire",
      any,
      fc.constantFrom(100, 200, 0),
      maybe(fc.constantFrom("NX", "XX", "GT", "LT")),
    ),
  ],
  [1, command(fc.constantFrom("rename", "renamenx"), any, target)],
  [1, command("set", target, "5", maybe("NX"), maybe("GET"), maybe("KEEPTTL"))],
  [1, command(fc.constantFrom("get", "incr", "getdel"), any)],
  [1, command(fc.constantFrom("xlen", "xrange"), any, maybe("-", "+"))],
  [1, command("xadd", "more", "*", "name", "value")],
  [1, words("mget", "text", "hash", "list")],
];

const COMBINED = new Set(["smembers", "sinter", "sunion", "sdiff"]);

/**
 * Before version 7.2 the members of a set come in no order that is defined, unless it has had
 * nothing but integers: "ints" has not.
 */
export function withoutOrder(name: string, args: readonly unknown[], outcome: unknown): unknown {
  const isOrdered = !COMBINED.has(name) || args.every((one) => one === "ints");
  if (isOrdered || !Array.isArray(outcome)) return outcome;
  return (outcome as string[]).toSorted((a, b) => (a < b ? -1 : 1));
}
