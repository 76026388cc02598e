import * as fc from "fast-check";
import { type Drawn, fields } from "./odd-values.ts";
import { flag, type Given, given, of, often, options } from "./node-redis-slips-words.ts";
import { named } from "./slips-steps.ts";

const key = (own: string): fc.Arbitrary<Drawn> =>
  often(of(own, own, own, own, own, "text", "orders", "none"));
const [hash, list, set, zset] = [key("hash"), key("list"), key("set"), key("zset")];
const field = often(of("a", "a", "b", "__proto__", "toString", ""));
const value = often(of("v", "1", "", "größe", named("buffer")), 12);
const member = often(of("1", "2", "3", "a"));
const several = (one: fc.Arbitrary<Drawn>): fc.Arbitrary<Drawn> =>
  fc.oneof(one, often(fc.array(one, { maxLength: 2 })));
const index = often(of(0, 1, -1, -2, 1.5));
const count = often(of(1, 2, 0, -1));
const by = often(of(1, -2, 1.5));
const score = often(of(1, 2, 2.5, 0.1, named("infinity")));
const bound = often(of(1, 2.5, "(1", "-inf", "+inf", "x", named("infinity")));
const end = often(of("-", "+", "[a", "(1", "x"));
const side = often(of("LEFT", "RIGHT"));
const scored = often(fields({ score, value: member }));
const scoredOnes = fc.oneof(scored, often(fc.array(scored, { maxLength: 2 })));
const limit = often(fields({ offset: often(of(0, 1, -1)), count: often(of(1, 2, -1)) }));
const limited = options({ LIMIT: limit });
const range = options({ BY: often(of("SCORE", "LEX")), REV: flag, LIMIT: limit });
const position = options({ RANK: often(of(1, -1, 2, 0)), MAXLEN: count });
const adding = options({
  ...{ condition: often(of("NX", "XX")), NX: flag, XX: flag, CH: flag },
  ...{ comparison: often(of("LT", "GT")), LT: flag, GT: flag },
});
const given1 = (own: fc.Arbitrary<Drawn>): Given => given(1, own);
const pairs = often(
  of(
    { a: "1", b: 2 },
    {},
    [
      ["a", "1"],
      ["b", 2],
    ],
    ["a", 1],
    ["a"],
    [],
    named("map"),
    { a: null },
  ),
);

/** Methods of hashes, lists, sets and sorted sets; but for what has no order that is defined. */
export const NODE_REDIS_SLIPS_COLLECTIONS: Readonly<
  Record<string, readonly [weight: number, Given]>
> = {
  hSet: [
    4,
    fc.oneof(given(3, hash, often(of("a", "b", 1)), often(of("v", 2))), given(2, hash, pairs)),
  ],
  hSetNX: [1, given(3, hash, field, value)],
  hGet: [1, given(2, hash, field)],
  hmGet: [1, given(2, hash, several(field))],
  hGetAll: [3, given1(hash)],
  hDel: [1, given(2, hash, several(field))],
  hExists: [1, given(2, hash, field)],
  hLen: [1, given1(hash)],
  hStrLen: [1, given(2, hash, field)],
  hKeys: [1, given1(hash)],
  hVals: [1, given1(hash)],
  hIncrBy: [2, given(3, hash, field, by)],
  hIncrByFloat: [1, given(3, hash, field, by)],
  lPush: [3, given(2, list, several(value))],
  rPush: [2, given(2, list, several(value))],
  lPushX: [1, given(2, list, several(value))],
  rPushX: [1, given(2, list, several(value))],
  lPop: [1, given1(list)],
  rPop: [1, given1(list)],
  lPopCount: [1, given(2, list, count)],
  rPopCount: [1, given(2, list, count)],
  lLen: [1, given1(list)],
  lRange: [2, given(3, list, index, index)],
  lTrim: [1, given(3, list, index, index)],
  lIndex: [1, given(2, list, index)],
  lSet: [1, given(3, list, index, value)],
  lRem: [1, given(3, list, count, value)],
  lInsert: [1, given(4, list, often(of("BEFORE", "AFTER")), value, value)],
  lPos: [1, given(2, list, value, position)],
  lPosCount: [1, given(3, list, value, count, position)],
  lMove: [1, given(4, list, list, side, side)],
  rPopLPush: [1, given(2, list, list)],
  lmPop: [1, given(2, several(list), side, options({ COUNT: count }))],
  sAdd: [3, given(2, set, several(member))],
  sRem: [1, given(2, set, several(member))],
  sIsMember: [1, given(2, set, member)],
  smIsMember: [1, given(2, set, several(member))],
  sCard: [1, given1(set)],
  sMove: [1, given(3, set, set, member)],
  sInterStore: [1, given(2, of("none"), several(set))],
  sUnionStore: [1, given(2, of("set", "none"), several(set))],
  sDiffStore: [1, given(2, of("none"), several(set))],
  sInterCard: [1, given(1, several(set), fc.oneof(options({ LIMIT: count }), of(0, 1)))],
  zAdd: [4, given(2, zset, scoredOnes, adding)],
  zAddIncr: [1, given(2, zset, scoredOnes, adding)],
  zIncrBy: [1, given(3, zset, score, member)],
  zRem: [1, given(2, zset, several(member))],
  zCard: [1, given1(zset)],
  zScore: [1, given(2, zset, member)],
  zmScore: [1, given(2, zset, several(member))],
  zCount: [1, given(3, zset, bound, bound)],
  zLexCount: [1, given(3, zset, end, end)],
  zRank: [1, given(2, zset, member)],
  zRankWithScore: [1, given(2, zset, member)],
  zRevRank: [1, given(2, zset, member)],
  zRange: [2, given(3, zset, fc.oneof(index, bound), fc.oneof(index, bound), range)],
  zRangeWithScores: [2, given(3, zset, fc.oneof(index, bound), fc.oneof(index, bound), range)],
  zRangeByScore: [1, given(3, zset, bound, bound, limited)],
  zRangeByScoreWithScores: [2, given(3, zset, bound, bound, limited)],
  zRangeByLex: [1, given(3, zset, end, end, limited)],
  zRangeStore: [1, given(4, of("none"), zset, fc.oneof(index, bound), bound, range)],
  zPopMin: [1, given1(zset)],
  zPopMinCount: [1, given(2, zset, count)],
  zPopMax: [1, given1(zset)],
  zPopMaxCount: [1, given(2, zset, count)],
  zmPop: [1, given(2, several(zset), often(of("MIN", "MAX")), options({ COUNT: count }))],
  zRemRangeByRank: [1, given(3, zset, index, index)],
  zRemRangeByScore: [1, given(3, zset, bound, bound)],
  zRemRangeByLex: [1, given(3, zset, end, end)],
  rename: [
    1,
    given(2, often(of("hash", "list", "set", "zset", "none")), of("hash", "list", "set")),
  ],
  renameNX: [1, given(2, often(of("hash", "list", "set", "zset", "none")), of("hash", "list"))],
  persist: [1, given1(hash)],
};
