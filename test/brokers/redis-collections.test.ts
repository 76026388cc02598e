import { describe, expect, test } from "vitest";
import type { RedisClient } from "../../sim/brokers/redis/client.ts";
import { scoreText } from "../../sim/brokers/redis/floats.ts";
import { longDoubleSum } from "../../sim/brokers/redis/long-double.ts";
import { redis } from "../../sim/brokers/redis/model.ts";
import { RedisSet } from "../../sim/brokers/redis/set.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const EXPIRY_MS = 5_000;

async function messageOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "no error";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a hash", () => {
  test("counts attempts, keeps the order of its fields, and goes with the last one", async () => {
    const seen = await new BrokerStage(redis()).play(async (client) => [
      await client.hset("attempts", { second: 1, first: 1 }),
      await client.hincrby("attempts", "second", 2),
      await client.hgetall("attempts"),
      await client.hdel("attempts", "second", "first"),
      await client.exists("attempts"),
    ]);
    expect(seen).toEqual([2, 3, { second: "3", first: "1" }, 2, 0]);
  });

  test("adds decimal numbers as a long double does", () => {
    expect(longDoubleSum("0.1", "0.2")).toBe("0.3");
    expect(longDoubleSum("9223372036854775807", "1.5")).toBe("9223372036854775808");
    expect(longDoubleSum("-1.5", "1.5")).toBe("0");
    expect(longDoubleSum("0x10", "1e-3")).toBe("16.001");
  });
});

describe("a list", () => {
  test("has dead letters, of which the world is told", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(2);
    await stage.play(async (client) => {
      await client.lpush("orders:dead", "ref-000001", "nothing of the kind");
      await client.rpush("orders:dead", '{"ref":"ref-000002"}');
      await client.lmove("orders:dead", "orders:older", "LEFT", "LEFT");
    });
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001", "ref-000002"]);
  });

  test("has no dead letter of what is cut off, unless it has another", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(3);
    await stage.play(async (client) => {
      for (const ref of ["ref-000001", "ref-000002", "ref-000003", "ref-000002"]) {
        await client.rpush("orders:dead", ref);
      }
      await client.ltrim("orders:dead", 2, 2);
    });
    expect(stage.told("dead-letter-dropped", ({ ref }) => ref)).toEqual([
      "ref-000001",
      "ref-000002",
    ]);
  });

  test("is cut, and taken from at both ends", async () => {
    const seen = await new BrokerStage(redis()).play(async (client) => [
      await client.rpush("list", "a", "b", "c", "d"),
      await client.ltrim("list", 1, -1),
      await client.rpop("list", 2),
      await client.lpop("list"),
      await client.llen("list"),
    ]);
    expect(seen).toEqual([4, "OK", ["d", "c"], "b", 0]);
  });
});

describe("a set", () => {
  test("is in the order of its integers until it has had something else, or many", () => {
    const set = new RedisSet(["10", "9", "-1"]);
    expect(set.members()).toEqual(["-1", "9", "10"]);
    set.add("a");
    set.add("2");
    set.delete("a");
    expect(set.members()).toEqual(["-1", "9", "10", "2"]);
    const many = new RedisSet(Array.from({ length: 513 }, (_, at) => String(513 - at)));
    expect(many.members().slice(0, 2)).toEqual(["2", "3"]);
    expect(many.members().at(-1)).toBe("1");
  });

  test("tells whom it has seen, until it expires", async () => {
    const seen = await new BrokerStage(redis()).play(async (client, life) => {
      const told = [await client.sadd("seen", "a", "b"), await client.sadd("seen", "a")];
      await client.pexpire("seen", EXPIRY_MS);
      await pass(life, EXPIRY_MS);
      return [...told, await client.sismember("seen", "a"), await client.type("seen")];
    });
    expect(seen).toEqual([2, 0, 0, "none"]);
  });
});

describe("a sorted set", () => {
  test("gives what is due once", async () => {
    const due = async (client: RedisClient) => [
      await client.zrangebyscore("retries", "-inf", 20, "LIMIT", 0, 10),
      await client.zrem("retries", "a"),
    ];
    const seen = await new BrokerStage(redis()).play(async (client) => {
      await client.zadd("retries", 30, "c", 10, "a");
      return [await due(client), await due(client), await client.zcard("retries")];
    });
    expect(seen).toEqual([[["a"], 1], [[], 0], 1]);
  });

  test("tells scores as the version does", () => {
    const scores = [0.1, 2.5, 1e21, 1e-7, 1_700_000_000_123, -0, 12_345.678_901_234_5];
    expect(scores.map((one) => scoreText(one, 7))).toEqual([
      ...["0.10000000000000001", "2.5", "1e+21", "9.9999999999999995e-08", "1700000000123", "-0"],
      "12345.6789012345",
    ]);
    expect(scores.map((one) => scoreText(one, 8))).toEqual([
      ...["0.1", "2.5", "1e+21", "1e-7", "1700000000123", "-0", "1.23456789012345e+4"],
    ]);
  });

  test("tells a rank with its score from version 8 on", async () => {
    const ranked = async (client: RedisClient) => {
      await client.zadd("set", 1.5, "a");
      return await messageOrValue(client.zrank("set", "a", "WITHSCORE"));
    };
    const messageOrValue = async (call: Promise<unknown>) =>
      await call.catch((error: unknown) => (error as Error).message);
    expect(await new BrokerStage(redis()).play(ranked)).toEqual([0, "1.5"]);
    expect(await new BrokerStage(redis({ majorVersion: 7 })).play(ranked)).toBe(
      "ERR wrong number of arguments for 'zrank' command",
    );
  });
});

test("without memory nothing is put into a collection, and all can be taken out", async () => {
  const stage = new BrokerStage(redis());
  const seen = await stage.play(async (client) => {
    await client.rpush("list", "a");
    await client.sadd("set", "a");
    const memory = stage.broker.disturbances.find(({ name }) => /memory/.test(name));
    memory?.strike();
    const messages: string[] = [];
    for (const call of [
      client.hset("hash", "a", 1),
      client.lpush("list", "b"),
      client.sadd("set", "b"),
      client.zadd("zset", 1, "a"),
      client.sunionstore("all", "set"),
    ]) {
      messages.push(await messageOf(call));
    }
    return [
      new Set(messages).size,
      messages[0],
      await client.lpop("list"),
      await client.srem("set", "a"),
    ];
  });
  expect(seen).toEqual([1, "OOM command not allowed when used memory > 'maxmemory'.", "a", 1]);
});

test("a stream gives way to what is stored in its place, with its groups", async () => {
  const seen = await new BrokerStage(redis()).play(async (client) => {
    await client.sadd("set", "1");
    return [
      await client.sunionstore("orders", "set"),
      await client.type("orders"),
      await messageOf(client.xlen("orders")),
      await messageOf(client.xgroup("CREATE", "orders", "triggerer", "0")),
      await client.del("orders"),
      await client.xgroup("CREATE", "orders", "triggerer", "0", "MKSTREAM"),
    ];
  });
  const wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
  expect(seen).toEqual([1, "set", wrong, wrong, 1, "OK"]);
});
