import type * as fc from "fast-check";
import type { Drawn } from "./odd-values.ts";
import { c, maybe, of, type Words, words } from "./redis-slips-words.ts";
import { named } from "./slips-steps.ts";

const key = (own: string): fc.Arbitrary<Drawn> =>
  of(own, own, own, own, own, "text", "orders", "none");
const [hash, list, set, zset] = [key("hash"), key("list"), key("set"), key("zset")];
const field = of("a", "a", "b", "__proto__", "toString", 1, "");
const value = of("v", "1", "", "größe", 7, named("buffer"));
const member = of("1", "2", 3, "a");
const index = of(0, 1, -1, -2, "0", "x", 1.5);
const count = of(1, 2, 0, -1, "x");
const score = of(1, 2, 2.5, 0.1, "3", "-inf", "+inf", "x");
const by = of(1, -2, "x", 1.5);

/** Commands of hashes, lists, sets and sorted sets; but for what has no order that is defined. */
export const REDIS_SLIPS_COLLECTIONS: readonly (readonly [weight: number, string, Words])[] = [
  [4, "hset", words(hash, field, value, maybe(field, value))],
  [
    3,
    "hset",
    words(
      hash,
      of({ a: "1", b: 2 }, { toString: "1" }, {}, ["a", "1"], named("map"), named("long list")),
    ),
  ],
  [1, "hmset", words(hash, of({ a: "1", b: null }, named("map")))],
  [1, "hsetnx", words(hash, field, value)],
  [2, "hget", words(hash, field)],
  [1, "hmget", words(hash, field, maybe(field))],
  [4, "hgetall", words(hash)],
  [1, "hkeys", words(hash)],
  [1, "hvals", words(hash)],
  [1, "hlen", words(hash)],
  [1, "hexists", words(hash, field)],
  [1, "hstrlen", words(hash, field)],
  [2, "hdel", words(hash, field, maybe(field))],
  [2, "hincrby", words(hash, field, by)],
  [1, "hincrbyfloat", words(hash, field, by)],
  [3, "lpush", words(list, value, maybe(value))],
  [2, "rpush", words(list, value, maybe(value))],
  [1, "rpushx", words(list, value)],
  [2, "lpop", words(list, maybe(count))],
  [1, "rpop", words(list, maybe(count))],
  [1, "llen", words(list)],
  [2, "lrange", words(list, index, index)],
  [1, "ltrim", words(list, index, index)],
  [1, "lindex", words(list, index)],
  [1, "lset", words(list, index, value)],
  [1, "lrem", words(list, count, value)],
  [1, "linsert", words(list, of("BEFORE", "AFTER", "x"), value, value)],
  [1, "lpos", words(list, value, maybe("RANK", by), maybe("COUNT", count))],
  [1, "lmove", words(list, list, of("LEFT", "RIGHT"), of("LEFT", "RIGHT", "x"))],
  [1, "rpoplpush", words(list, list)],
  [1, "lmpop", words(count, list, of("LEFT", "RIGHT"))],
  [3, "sadd", words(set, member, maybe(member))],
  [1, "srem", words(set, member)],
  [2, "sismember", words(set, member)],
  [1, "smismember", words(set, member, maybe(member))],
  [1, "scard", words(set)],
  [1, "smove", words(set, set, member)],
  [1, "sunionstore", words(of("set", "none"), set, maybe(set))],
  [1, "sintercard", words(of(1, 1, 2), set, maybe(set), maybe("LIMIT", count))],
  [
    4,
    "zadd",
    words(zset, maybe(of("NX", "XX", "GT", "LT")), maybe("CH"), maybe("INCR"), score, member),
  ],
  [1, "zincrby", words(zset, score, member)],
  [1, "zrem", words(zset, member)],
  [1, "zcard", words(zset)],
  [1, "zscore", words(zset, member)],
  [1, "zmscore", words(zset, member, maybe(member))],
  [1, "zcount", words(zset, score, score)],
  [1, "zrank", words(zset, member)],
  [3, "zrange", words(zset, index, index, maybe("REV"), maybe("WITHSCORES"), maybe("WITHSCORES"))],
  [
    2,
    "zrangebyscore",
    words(zset, score, score, maybe("WITHSCORES"), maybe("LIMIT", count, count)),
  ],
  [1, "zrevrange", words(zset, index, index, maybe("WITHSCORES"))],
  [1, "zrangestore", words(of("zset", "none"), zset, index, index)],
  [2, "zpopmin", words(zset, maybe(count))],
  [1, "zpopmax", words(zset, maybe(count))],
  [1, "zmpop", words(count, zset, of("MIN", "MAX"), maybe("COUNT", count))],
  [1, "zremrangebyscore", words(zset, score, score)],
  [
    1,
    "rename",
    words(of("hash", "list", "set", "zset", "none"), of("hash", "list", "set", "zset")),
  ],
  [1, "persist", words(c<Drawn>("hash"))],
];
