import { describe, expect, test } from "vitest";
import type { RedisClient } from "../../sim/brokers/redis/client.ts";
import { redis } from "../../sim/brokers/redis/model.ts";
import { rangeEnd } from "../../sim/brokers/redis/stream-id.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const COMMANDS = {
  xlen: ["orders"],
  xadd: ["orders", "*", "a", "1"],
  xack: ["orders", "triggerer", "1-1"],
  xreadgroup: ["GROUP", "triggerer", "one", "STREAMS", "orders", ">"],
} as const;
const READ = ["GROUP", "triggerer", "one", "COUNT", 10] as const;

function refsIn(reply: [string, [string, string[] | null][]][] | null): (string | undefined)[] {
  return (reply ?? []).flatMap(([, items]) => items.map(([, fields]) => fields?.[1]));
}

test("MSET takes its pairs out of an object only where there is nothing else", async () => {
  const seen = await new BrokerStage(redis()).play(async (client) => [
    await client.mset({ a: "1", b: "2" }),
    // An object beside a value is a text, as any argument is.
    await client.mset({ a: "3" }, "x"),
    await client.mget("a", "b", "[object Object]"),
  ]);
  expect(seen).toEqual(["OK", "OK", ["1", "2", "x"]]);
});

test("a pipeline calls back who was added after it was sent, and nobody twice", async () => {
  const seen = await new BrokerStage(redis()).play(async (client) => {
    const told: string[] = [];
    const say = (what: string) => (): void => void told.push(what);
    const pipeline = client.pipeline().call("type", "a", say("first"));
    await pipeline.exec();
    pipeline.call("type", "b", say("second"));
    await pipeline.exec();
    await client.ping();
    return told;
  });
  expect(seen).toEqual(["first", "second"]);
});

describe("a Redis stream", () => {
  test("has a sibling read nothing where a program has deleted the group", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(1);
    await stage.play((client) => client.xgroup("DESTROY", "orders", "triggerer"));
    for (const { strike } of stage.broker.disturbances) strike();
    expect(stage.broker.owed()).toEqual([]);
  });

  test("delivers what is new once, and keeps it pending until it is acknowledged", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(2);
    const seen = await stage.play(async (client) => {
      const first = await client.xreadgroup(...READ, "STREAMS", "orders", ">");
      const second = await client.xreadgroup(...READ, "STREAMS", "orders", ">");
      const ids = (first?.[0]?.[1] ?? []).map(([id]) => id);
      const acked = [
        await client.xack("orders", "triggerer", ids[0]),
        await client.xack("orders", "triggerer", ids[0]),
      ];
      const again = await client.xreadgroup(...READ, "STREAMS", "orders", "0");
      const [count] = await client.xpending("orders", "triggerer");
      await client.quit();
      return { first: refsIn(first), second, acked, again: refsIn(again), count };
    });
    expect(seen).toEqual({
      first: ["ref-000001", "ref-000002"],
      second: null,
      acked: [1, 0],
      again: ["ref-000002"],
      count: 1,
    });
    expect(stage.broker.owed()).toEqual(["ref-000002"]);
    expect(stage.told("settle", ({ ref, refused }) => `${ref} ${refused}`)).toEqual([
      "ref-000001 ",
      "ref-000001 NoEffect",
    ]);
    expect(stage.told("settled", ({ consumer }) => consumer)).toEqual(["client-1/one"]);
  });

  test("lists what is pending from one id to another, with both", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(3);
    const seen = await stage.play(async (client) => {
      const reply = await client.xreadgroup(...READ, "STREAMS", "orders", ">");
      const ids = (reply?.[0]?.[1] ?? []).map(([id]) => id);
      const pending = async (from: string, to: string): Promise<readonly number[]> => {
        const lines = (await client.xpending("orders", "triggerer", from, to, 10)) as unknown[][];
        return lines.map(([id]) => ids.indexOf(id as string));
      };
      const [first = "", second = "", third = ""] = ids;
      const ranges = [await pending(first, second), await pending(second, second)];
      ranges.push(await pending(second, third), await pending(first, first));
      await client.quit();
      return ranges;
    });
    expect(seen).toEqual([[0, 1], [1], [1, 2], [0]]);
  });

  test("before Redis 7 a deleted entry is claimed as null, and is idle from then on", async () => {
    const stage = new BrokerStage(redis({ majorVersion: 6 }));
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      const reply = await client.xreadgroup(...READ, "STREAMS", "orders", ">");
      const [id = ""] = reply?.[0]?.[1]?.[0] ?? [];
      await client.xdel("orders", id);
      await pass(life, 5_000);
      const idle = async (): Promise<readonly unknown[]> => {
        const lines = (await client.xpending("orders", "triggerer", "-", "+", 10)) as unknown[][];
        return lines.map(([, consumer, ms]) => [consumer, Number(ms) >= 5_000]);
      };
      const before = await idle();
      const claimed = await client.xclaim("orders", "triggerer", "two", 1_000, id);
      const after = await idle();
      await client.quit();
      return { before, claimed, after };
    });
    expect(seen).toEqual({ before: [["one", true]], claimed: [null], after: [["two", false]] });
  });

  test("blocks until something comes, and holds up what was sent behind it", async () => {
    const stage = new BrokerStage(redis());
    stage.world.schedule(700, { lane: "test" }, () => stage.publish(1));
    const seen = await stage.play(async (client, life) => {
      const read = client.xreadgroup(...READ, "BLOCK", 5_000, "STREAMS", "orders", ">");
      const behind = client.xlen("orders").then(() => life.world.now >= 700);
      const beside = client.duplicate();
      await beside.xlen("orders");
      const besideAt = life.world.now;
      const refs = refsIn(await read);
      const openBefore = stage.links[0]?.open();
      await Promise.all([client.quit(), beside.quit()]);
      return { refs, behind: await behind, isBesideQuick: besideAt < 100, openBefore };
    });
    expect(seen).toEqual({
      refs: ["ref-000001"],
      behind: true,
      isBesideQuick: true,
      openBefore: ["a connection", "a connection"],
    });
    expect(stage.links[0]?.open()).toEqual([]);
  });

  test("gives what a dead consumer left to who claims it after the idle time", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(4);
    stage.broker.disturbances[0]?.strike();
    const seen = await stage.play(async (client, life) => {
      const early = await client.xautoclaim("orders", "triggerer", "one", 60_000, "0");
      await pass(life, 60_000);
      const [cursor, entries, deleted] = await client.xautoclaim(
        "orders",
        "triggerer",
        "one",
        60_000,
        "0",
        "COUNT",
        2,
      );
      const kept = await client.xautoclaim("orders", "triggerer", "one", 0, "0", "JUSTID");
      const lines = await client.xpending("orders", "triggerer", "-", "+", 10);
      await client.quit();
      return {
        early: early[1],
        count: (entries as unknown[]).length,
        isMore: cursor !== "0-0",
        deleted,
        kept: (kept[1] as unknown[]).length,
        deliveries: lines.map((line) => (line as unknown[])[3]),
      };
    });
    expect(seen).toEqual({
      early: [],
      count: 2,
      isMore: true,
      deleted: [],
      kept: 3,
      deliveries: [2, 2, 1],
    });
  });

  test("keeps an id pending whose body is gone, until it is acknowledged or claimed", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(3);
    const seen = await stage.play(async (client) => {
      const first = await client.xreadgroup(...READ, "STREAMS", "orders", ">");
      const ids = (first?.[0]?.[1] ?? []).map(([id]) => id);
      await client.xdel("orders", ids[0]);
      stage.broker.disturbances[1]?.strike();
      const again = await client.xreadgroup(...READ, "STREAMS", "orders", "0");
      const owed = stage.broker.owed();
      const [, , deleted] = await client.xautoclaim("orders", "triggerer", "one", 0, "0");
      await client.quit();
      return { again: refsIn(again), owed, deleted: (deleted as unknown[]).length };
    });
    expect(seen).toEqual({
      again: [undefined, undefined, "ref-000003"],
      owed: ["ref-000001", "ref-000003"],
      deleted: 2,
    });
    expect(stage.told("expired", ({ ref }) => ref)).toEqual(["ref-000002"]);
    expect(stage.broker.owed()).toEqual(["ref-000003"]);
  });

  test("returns nil for a deleted entry before Redis 7, and keeps it pending", async () => {
    const stage = new BrokerStage(redis({ majorVersion: 6 }));
    stage.publish(1);
    const seen = await stage.play(async (client) => {
      const first = await client.xreadgroup(...READ, "STREAMS", "orders", ">");
      await client.xdel("orders", first?.[0]?.[1]?.[0]?.[0]);
      const [, claimed] = await client.xautoclaim("orders", "triggerer", "one", 0, "0");
      const [pending] = await client.xpending("orders", "triggerer");
      return { claimed, pending };
    });
    expect(seen).toEqual({ claimed: [null], pending: 1 });
    expect(stage.broker.owed()).toEqual(["ref-000001"]);
  });

  test("settles at delivery with NOACK, and forgets what a deleted consumer had", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(2);
    await stage.play(async (client) => {
      await client.xreadgroup("GROUP", "triggerer", "one", "COUNT", 1, "STREAMS", "orders", ">");
      await client.xreadgroup(...READ, "NOACK", "STREAMS", "orders", ">");
      await client.xgroup("DELCONSUMER", "orders", "triggerer", "one");
      await client.quit();
    });
    expect(stage.told("settled", ({ ref, why = "" }) => `${ref}: ${why}`)).toEqual([
      "ref-000002: it is read with NOACK",
      "ref-000001: its consumer is deleted",
    ]);
  });

  test.each([
    ["deleted", (client: RedisClient, id: string) => client.xdel("orders", id)],
    ["trimmed", (client: RedisClient) => client.xtrim("orders", "MAXLEN", 0)],
  ] as const)("says of what is settled because it was %s that it was", async (what, remove) => {
    const stage = new BrokerStage(redis());
    stage.publish(1);
    await stage.play(async (client) => {
      const first = await client.xreadgroup(...READ, "STREAMS", "orders", ">");
      const id = first?.[0]?.[1]?.[0]?.[0] ?? "";
      await remove(client, id);
      // There is nothing left that could be deleted.
      await client.xdel("orders", id);
      // Removed while it is pending, it is found to be gone by who claims it.
      await client.xclaim("orders", "triggerer", "one", 0, id);
      stage.publish(1);
      const [next] = await client.xrange("orders", "-", "+");
      await remove(client, next?.[0] ?? "");
      await client.quit();
    });
    expect(stage.told("settled", ({ ref, why = "" }) => `${ref}: ${why}`)).toEqual([
      `ref-000001: it was ${what}`,
      `ref-000002: it was ${what}`,
    ]);
  });

  test("takes an entry of another stream for a dead letter", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(1);
    await stage.play((client) => client.xadd("orders:dead", "*", "body", "ref-000001"));
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
    // It is pending still, and comes again.
    expect(stage.broker.owed()).toEqual(["ref-000001"]);
  });

  test("refuses with a ReplyError, which is not tried again", async () => {
    const stage = new BrokerStage(redis());
    const refusals = await stage.play(async (client) => {
      const names: string[] = [];
      for (const refused of [
        client.xgroup("CREATE", "orders", "triggerer", "$"),
        client.xreadgroup("GROUP", "nobody", "one", "STREAMS", "orders", ">"),
        client.xreadgroup("GROUP", "triggerer", "one", "STREAMS", "orders"),
      ]) {
        await refused.catch((error: Error) => names.push(`${error.name} ${error.message}`));
      }
      return names.map((name) => name.split(" ").slice(0, 2).join(" "));
    });
    expect(refusals).toEqual(["ReplyError BUSYGROUP", "ReplyError NOGROUP", "ReplyError ERR"]);
  });

  test("executes a command again whose reply was lost, until it gives up", async () => {
    const stage = new BrokerStage(redis());
    stage.publish(2);
    stage.strike("broker.fetch", { kind: "fail", when: "after" });
    const args = ["GROUP", "triggerer", "one", "COUNT", 1, "STREAMS", "orders", ">"] as const;
    const refs = await stage.play(async (client) => refsIn(await client.xreadgroup(...args)));
    expect(refs).toEqual(["ref-000002"]);
    expect(stage.told("delivered", ({ ref }) => ref)).toEqual(["ref-000001", "ref-000002"]);
    stage.strike("broker.fetch", { kind: "fail", when: "before" }, 1, 9);
    const failure = stage.play((client) => client.xreadgroup(...args));
    await expect(failure).rejects.toMatchObject({ name: "MaxRetriesPerRequestError" });
  });

  test.each([
    ["EX", 10, 10_000],
    ["PX", 10_000, 10_000],
    ["EXAT", 10, 10_000],
    ["PXAT", 10_000, 10_000],
  ] as const)("SET with %s %i lives for so long", async (unit, amount, livesMs) => {
    const stage = new BrokerStage(redis());
    const left = await stage.play(async (client) => {
      const isPlace = unit.endsWith("AT");
      const fromMs = isPlace ? stage.world.wallMs : 0;
      const until = amount + (unit.startsWith("EX") ? Math.ceil(fromMs / 1_000) : fromMs);
      await client.set("key", "1", unit, until);
      const ms = await client.pttl("key");
      await client.quit();
      return ms;
    });
    // A second that has begun counts as a whole one, and the way there takes its time.
    expect(left).toBeGreaterThan(livesMs - 1_000);
    expect(left).toBeLessThanOrEqual(livesMs + 1_000);
  });

  test.each([
    [["xlen", "xadd", "xack"], "broker.settle"],
    [["xack", "xadd"], "broker.settle"],
    [["xlen", "xadd"], "broker.produce"],
    [["xadd", "xreadgroup"], "broker.produce"],
    [["xlen", "xreadgroup"], "broker.fetch"],
    [["xlen"], "broker.session"],
  ] as const)(
    "a transaction of %j is struck at the gravest of its sites",
    async (names, gravest) => {
      const sites = ["broker.settle", "broker.produce", "broker.fetch", "broker.session"] as const;
      for (const site of sites) {
        const stage = new BrokerStage(redis());
        await stage.play(async (client) => {
          // A connection is made before, which is not to be struck.
          await client.xlen("orders");
          stage.strike(site, { kind: "delay", ms: 5 });
          await client.multi(names.map((name) => [name, ...COMMANDS[name]])).exec();
        });
        const struck = stage.told("fault", ({ site: at }) => at);
        expect([site, struck]).toEqual([site, site === gravest ? [site] : []]);
      }
    },
  );
});

test("the ends of a range are whole ids: one that leaves its own out ends right before it", () => {
  expect(["5", "5-3", "(5-3", "(5-1", "(5-0", "(5"].map(rangeEnd)).toEqual([
    ...["5-9007199254740991", "5-3", "5-2", "5-0", "4-9007199254740991", "4-9007199254740991"],
  ]);
  expect(() => rangeEnd("(0-0")).toThrow("invalid end ID");
});

test("the commands of a pipeline follow each other in one expression", async () => {
  type Chain = Record<"xadd" | "xlen", (...args: readonly unknown[]) => Chain> & {
    exec(): Promise<readonly (readonly [unknown, unknown])[]>;
  };
  const results = await new BrokerStage(redis()).play(async (client) => {
    const chain = client.pipeline() as unknown as Chain;
    const added = chain.xadd("s", "1-1", "a", "1").xadd("s", "1-2", "a", "2").xlen("s");
    return (await added.exec()).map(([, value]) => value);
  });
  expect(results).toEqual(["1-1", "1-2", 2]);
});

test.each([
  [7, 0],
  [8, 1],
])(
  "in version %i a consumer whose read brings nothing counts as %i",
  async (majorVersion, count) => {
    const consumers = await new BrokerStage(redis({ majorVersion })).play(async (client) => {
      await client.xgroup("CREATE", "s", "g", "0", "MKSTREAM");
      await client.xreadgroup("GROUP", "g", "one", "STREAMS", "s", ">");
      return (await client.xinfo("CONSUMERS", "s", "g")) as unknown[];
    });
    expect(consumers).toHaveLength(count);
  },
);
