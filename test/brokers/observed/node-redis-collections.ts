import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import type { Observation } from "./observation.ts";

type Command = readonly [name: string, ...words: readonly unknown[]];
type Calls = Readonly<Record<string, (...words: readonly unknown[]) => unknown>>;

async function played(client: object, commands: readonly Command[]): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for (const [name, ...words] of commands) {
    try {
      const reply = await (client as Calls)[name]?.(...words);
      told.push(reply === Number.POSITIVE_INFINITY ? "endless" : reply);
    } catch (error) {
      told.push((error as Error).message);
    }
  }
  return told;
}

/** Sends commands one after the other, each with what came of it. */
function inTurn(...commands: readonly Command[]): Observation<NodeRedisClient>["play"] {
  return async ({ client }) => await played(await client.connect(), commands);
}

/** Hashes, lists, sets and sorted sets by the names of node-redis. */
export const NODE_REDIS_COLLECTIONS: readonly Observation<NodeRedisClient>[] = [
  {
    name: "hashes and lists by the names of node-redis",
    play: inTurn(
      ["hSet", "attempts", "a", 1],
      ["hSet", "attempts", { b: 2, c: "x" }],
      ["hSet", "attempts", new Map([["d", "4"]])],
      ["hSet", "attempts", [["e", "5"], "f", 6]],
      ["hSet", "attempts", ["g"]],
      ["hGetAll", "attempts"],
      ["hGetAll", "none"],
      ["hIncrBy", "attempts", "a", 2],
      ["hIncrByFloat", "attempts", "a", 0.5],
      ["hmGet", "attempts", ["a", "none"]],
      ["hDel", "attempts", ["a", "b"]],
      ["sendCommand", ["HGETALL", "attempts"]],
      ["lPush", "dead", ["a", "b"]],
      ["rPush", "dead", "c"],
      ["lRange", "dead", 0, -1],
      ["lPosCount", "dead", "a", 0, { RANK: 1 }],
      ["lPopCount", "dead", 2],
      ["lPop", "dead"],
      ["rPopCount", "dead", 1],
      ["lmPop", ["dead", "none"], "LEFT", { COUNT: 1 }],
    ),
    real: [
      1,
      2,
      1,
      2,
      "ERR wrong number of arguments for 'hset' command",
      { a: "1", b: "2", c: "x", d: "4", e: "5", f: "6" },
      {},
      3,
      "3.5",
      ["3.5", null],
      2,
      { c: "x", d: "4", e: "5", f: "6" },
      2,
      3,
      ["b", "a", "c"],
      [1],
      ["b", "a"],
      "c",
      null,
      null,
    ],
  },
  {
    name: "sets and sorted sets by the names of node-redis",
    play: inTurn(
      ["sAdd", "seen", ["2", "1"]],
      ["sIsMember", "seen", "1"],
      ["smIsMember", "seen", ["1", "3"]],
      ["sMembers", "seen"],
      ["sInterCard", ["seen", "none"], { LIMIT: 1 }],
      [
        "zAdd",
        "retries",
        [
          { score: 2.5, value: "b" },
          { score: Number.POSITIVE_INFINITY, value: "c" },
        ],
      ],
      ["zAdd", "retries", { score: 1, value: "a" }, { NX: true, CH: true }],
      ["zAddIncr", "retries", { score: 1, value: "a" }, { condition: "XX" }],
      ["zScore", "retries", "b"],
      ["zScore", "retries", "c"],
      ["zRem", "retries", "c"],
      ["zmScore", "retries", ["a", "none"]],
      ["zRange", "retries", "-inf", 2, { BY: "SCORE" }],
      ["zRangeByScoreWithScores", "retries", 0, 3, { LIMIT: { offset: 0, count: 1 } }],
      ["zRangeWithScores", "retries", 0, 1, { REV: true, BY: "LEX" }],
      ["zRank", "retries", "b"],
      ["zRankWithScore", "retries", "b"],
      ["sendCommand", ["ZRANGE", "retries", "0", "1", "WITHSCORES"]],
      ["sendCommand", ["ZSCORE", "retries", "b"]],
      ["sendCommand", ["ZADD", "retries", "INCR", "0.5", "b"]],
      ["zPopMin", "retries"],
      ["zPopMinCount", "retries", 1],
      ["zmPop", ["none", "retries"], "MIN"],
      ["zPopMax", "retries"],
      ["zmPop", "retries", "MIN"],
      ["rename", "seen", "renamed"],
      ["type", "renamed"],
    ),
    real: [
      2,
      1,
      [1, 0],
      ["1", "2"],
      0,
      2,
      1,
      2,
      2.5,
      "endless",
      1,
      [2, null],
      ["a"],
      [{ value: "a", score: 2 }],
      "ERR syntax error, WITHSCORES not supported in combination with BYLEX",
      1,
      "ERR wrong number of arguments for 'zrank' command",
      [
        ["a", 2],
        ["b", 2.5],
      ],
      2.5,
      3,
      { value: "a", score: 2 },
      [{ value: "b", score: 3 }],
      null,
      null,
      null,
      "OK",
      "set",
    ],
  },
  {
    name: "collections in a transaction of node-redis",
    async play({ client }) {
      await client.connect();
      const multi = client.multi() as unknown as Record<
        string,
        (...words: unknown[]) => typeof multi
      >;
      const commands: readonly Command[] = [
        ["hSet", "attempts", { a: 1 }],
        ["hGetAll", "attempts"],
        ["zAdd", "retries", { score: 1.5, value: "a" }],
        ["zRangeWithScores", "retries", 0, -1],
        ["zScore", "retries", "a"],
        ["addCommand", ["ZSCORE", "retries", "a"]],
        ["zPopMin", "retries"],
      ];
      for (const [name, ...words] of commands) multi[name]?.(...words);
      return await (multi as unknown as { exec(): Promise<unknown[]> }).exec();
    },
    real: [1, { a: "1" }, 1, [{ value: "a", score: 1.5 }], 1.5, 1.5, { value: "a", score: 1.5 }],
  },
];
