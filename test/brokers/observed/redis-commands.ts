import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { type Observation, outcomeOf } from "./observation.ts";

type Play = Observation<RedisClient>["play"];

/** Replaces the ids of entries, which depend on the time, by their order of appearance. */
function withoutIds(value: unknown): unknown {
  const seen: string[] = [];
  const text = JSON.stringify(value, (_, one: unknown) => {
    if (typeof one !== "string" || !/^\d{6,}-\d+$/.test(one)) return one;
    if (!seen.includes(one)) seen.push(one);
    return `id${seen.indexOf(one)}`;
  });
  return JSON.parse(text) as unknown;
}

function told(script: (client: RedisClient, stage: Parameters<Play>[0]) => Promise<unknown>): Play {
  return async (stage) => withoutIds(await script(stage.client, stage));
}

/** Returns the results of a pipeline with the messages of errors. */
function messagesOf(results: readonly (readonly [Error | null, unknown])[]): unknown {
  return results.map(([error, value]) => error?.message ?? value);
}

async function idsOf(client: RedisClient): Promise<readonly string[]> {
  const args = ["GROUP", "triggerer", "a", "STREAMS", "orders", ">"] as const;
  return (await client.xreadgroup(...args))?.[0]?.[1].map(([id]) => id) ?? [];
}

/** Pipelines, transactions, strings, and what a client learns of streams. */
export const REDIS_COMMANDS: readonly Observation<RedisClient>[] = [
  {
    name: "a pipeline has a result or an error for each command",
    play: told(async (client, { publish }) => {
      await publish(2);
      const [first = "", second = ""] = await idsOf(client);
      const pipeline = client.pipeline([["xack", "orders", "triggerer", first]]);
      pipeline.call("XACK", "orders", "none", second).call("xrange", "orders", "bad", "+");
      return [pipeline.length, messagesOf(await pipeline.exec())];
    }),
    real: [3, [1, 0, "ERR Invalid stream ID specified as stream command argument"]],
  },
  {
    name: "a transaction is executed as a whole, and one error does not end it",
    play: told(async (client, { publish }) => {
      await publish(1);
      const [first = ""] = await idsOf(client);
      const commands = [
        ["set", "seen", "1", "EX", 60],
        ["xgroup", "CREATE", "orders", "triggerer", "0"],
        ["xack", "orders", "triggerer", first],
        ["xreadgroup", "GROUP", "triggerer", "a", "BLOCK", 0, "STREAMS", "orders", ">"],
      ];
      const multi = client.multi(commands);
      return [multi.length, messagesOf(await multi.exec())];
    }),
    real: [5, ["OK", "BUSYGROUP Consumer Group name already exists", 1, null]],
  },
  {
    name: "an error of a pipeline stands alone, and one of a transaction does not name its command",
    play: told(async (client) => {
      const shown = async (results: Promise<readonly (readonly unknown[])[]>): Promise<unknown> =>
        (await results).map((one) => [one.length, Object.keys(one[0] ?? {})]);
      const commands = [
        ["xlen", "orders"],
        ["xrange", "orders", "bad", "+"],
      ];
      return [
        await shown(client.pipeline(commands).exec()),
        await shown(client.multi(commands).exec()),
      ];
    }),
    real: [
      [
        [2, []],
        [1, ["command"]],
      ],
      [
        [2, []],
        [1, []],
      ],
    ],
  },
  {
    name: "a transaction with a command that has too few arguments is discarded",
    play: told(async (client) => {
      const commands = [
        ["set", "seen", "1"],
        ["xadd", "orders", "*"],
      ];
      return [await outcomeOf(() => client.multi(commands).exec()), await client.get("seen")];
    }),
    real: [
      {
        name: "ReplyError",
        message: "EXECABORT Transaction discarded because of previous errors.",
      },
      null,
    ],
  },
  {
    name: "SET with NX, XX, GET and times; what is left of them",
    play: told(async (client, { pass }) => {
      const seen: unknown[] = [
        await client.set("a", "1", "NX", "EX", 100),
        await client.set("a", "2", "NX"),
        await client.set("a", "3", "XX", "GET"),
        await client.set("b", "1", "XX"),
        await client.set("a", "4", "KEEPTTL"),
        await client.ttl("a"),
        await client.set("a", "5"),
        await client.ttl("a"),
        await client.ttl("b"),
        await client.psetex("c", 20, "1"),
        await client.get("c"),
      ];
      await pass(60);
      seen.push(await client.get("c"), await client.exists("a", "a", "c"), await client.pttl("c"));
      return seen;
    }),
    real: ["OK", null, "1", null, "OK", -1, "OK", -1, -2, "OK", "1", null, 2, -2],
  },
  {
    name: "SET with what it does not take",
    play: told(async (client) => [
      await outcomeOf(() => client.set("a", "1", "NX", "XX")),
      await outcomeOf(() => client.set("a", "1", "EX", 0)),
      await outcomeOf(() => client.set("a", "1", "EX", 1, "PX", 1)),
      await outcomeOf(() => client.set("a", "1", "EX")),
      await outcomeOf(() => client.setex("a", -1, "1")),
      await outcomeOf(() => client.call("GET")),
    ]),
    real: [
      { name: "ReplyError", message: "ERR syntax error" },
      { name: "ReplyError", message: "ERR invalid expire time in 'set' command" },
      { name: "ReplyError", message: "ERR syntax error" },
      { name: "ReplyError", message: "ERR syntax error" },
      { name: "ReplyError", message: "ERR invalid expire time in 'setex' command" },
      { name: "ReplyError", message: "ERR wrong number of arguments for 'get' command" },
    ],
  },
  {
    name: "several strings at once, and a key that expires no more",
    play: told(async (client, { pass }) => {
      const many = new Map<string, string | number>([
        ["a", 5],
        ["f", "6"],
      ]);
      const seen: unknown[] = [
        await client.mset("a", "1", "b", 2),
        await client.mset({ c: 3, d: "4" }),
        await client.mset(["e", "5", "e", "6"]),
        await client.mset(many),
        await client.call("mset", { g: ["7", "8"] } as never),
        await client.mget("a", "b", "none", "orders"),
        await client.mget(["c", "d", "e", "f", "g"]),
        await client
          .multi([
            ["mset", { h: "8" } as never],
            ["mget", "h"],
            ["persist", "h"],
          ])
          .exec(),
        await client
          .pipeline([
            ["mset", "i", "9"],
            ["mget", "h", "i"],
          ])
          .exec(),
        await outcomeOf(() => client.mset("a")),
        await outcomeOf(() => client.mset("a", "1", "b")),
        await outcomeOf(() => client.mset({})),
        await outcomeOf(() => client.call("MSET", { a: "1" } as never)),
        await outcomeOf(() => client.mset(null as never, "1")),
        await outcomeOf(() => client.mget()),
        await outcomeOf(() => client.persist("a", "b" as never)),
        await client.persist("a"),
        await client.persist("none"),
        await client.persist("orders"),
      ];
      await client.pexpire("a", 60);
      await client.pexpire("orders", 60);
      seen.push(await client.persist("a"), await client.persist("orders"), await client.ttl("a"));
      await client.pexpire("b", 60);
      seen.push(await client.mset("b", "3"));
      await client.xadd("taken", "1-1", "a", "1");
      seen.push(await client.mset("taken", "3"), await client.type("taken"));
      await pass(120);
      seen.push(await client.mget("a", "b"), await client.exists("orders"));
      const called: unknown[] = [];
      await client.mset({ j: "1" }, (_error: unknown, reply: unknown) => void called.push(reply));
      return [...seen, called, await client.get("j")];
    }),
    real: [
      ...["OK", "OK", "OK", "OK", "OK"],
      ["5", "2", null, null],
      ["3", "4", "6", "6", "7,8"],
      [
        [null, "OK"],
        [null, ["8"]],
        [null, 0],
      ],
      [
        [null, "OK"],
        [null, ["8", "9"]],
      ],
      { name: "ReplyError", message: "ERR wrong number of arguments for 'mset' command" },
      { name: "ReplyError", message: "ERR wrong number of arguments for 'mset' command" },
      { name: "ReplyError", message: "ERR wrong number of arguments for 'mset' command" },
      { name: "ReplyError", message: "ERR wrong number of arguments for 'mset' command" },
      "OK",
      { name: "ReplyError", message: "ERR wrong number of arguments for 'mget' command" },
      { name: "ReplyError", message: "ERR wrong number of arguments for 'persist' command" },
      ...[0, 0, 0, 1, 1, -1, "OK", "OK", "string"],
      ["5", "3"],
      1,
      ["OK"],
      "1",
    ],
  },
  {
    name: "counters, and keys that are deleted",
    play: told(async (client) => [
      await client.incr("n"),
      await client.incrby("n", 5),
      await client.decr("n"),
      await client.get("n"),
      await client.setnx("n", 9),
      await client.expire("n", 100),
      await client.expire("none", 100),
      await client.pexpire("n", 0),
      await client.get("n"),
      await client.set("text", "x"),
      await outcomeOf(() => client.incr("text")),
      await client.getdel("text"),
      await client.del("text", "none"),
      await client.unlink("n"),
      await client.ping(),
      await client.ping("hello"),
      (await client.time()).length,
    ]),
    real: [
      1,
      6,
      5,
      "5",
      0,
      1,
      0,
      1,
      null,
      "OK",
      { name: "ReplyError", message: "ERR value is not an integer or out of range" },
      "x",
      0,
      0,
      "PONG",
      "hello",
      2,
    ],
  },
  {
    name: "a key is a stream or a string",
    play: told(async (client, { publish }) => {
      await publish(1);
      await client.set("text", "x");
      const group = ["GROUP", "triggerer", "a"] as const;
      const seen = [
        [await client.type("orders"), await client.type("text"), await client.type("none")],
        await outcomeOf(() => client.get("orders")),
        await outcomeOf(() => client.set("orders", "1", "GET")),
        await outcomeOf(() => client.xadd("text", "*", "a", "1")),
        await outcomeOf(() => client.xread("STREAMS", "text", "0")),
        await outcomeOf(() => client.xreadgroup(...group, "STREAMS", "text", ">")),
        await client.set("orders", "1"),
        await client.type("orders"),
        await outcomeOf(() => client.xreadgroup(...group, "STREAMS", "orders", ">")),
      ];
      return seen;
    }),
    real: [
      ["stream", "string", "none"],
      {
        name: "ReplyError",
        message: "WRONGTYPE Operation against a key holding the wrong kind of value",
      },
      {
        name: "ReplyError",
        message: "WRONGTYPE Operation against a key holding the wrong kind of value",
      },
      {
        name: "ReplyError",
        message: "WRONGTYPE Operation against a key holding the wrong kind of value",
      },
      {
        name: "ReplyError",
        message: "WRONGTYPE Operation against a key holding the wrong kind of value",
      },
      {
        name: "ReplyError",
        message: "WRONGTYPE Operation against a key holding the wrong kind of value",
      },
      "OK",
      "string",
      {
        name: "ReplyError",
        message: "WRONGTYPE Operation against a key holding the wrong kind of value",
      },
    ],
  },
  {
    name: "XREAD from an id, behind the last, and what it refuses",
    play: told(async (client, { publish, pass }) => {
      await publish(2);
      const all = await client.xread("STREAMS", "orders", "0");
      const one = await client.xread("COUNT", 1, "STREAMS", "orders", "0");
      const none = await client.xread("STREAMS", "orders", "$");
      const reader = client.duplicate();
      const waiting = reader.xread("BLOCK", 2_000, "STREAMS", "orders", "$");
      await pass(100);
      await publish(1);
      const woken = await waiting;
      await reader.quit();
      return [
        ...[all, one, none, woken],
        await outcomeOf(() => client.xread("STREAMS", "orders", ">")),
        await outcomeOf(() => client.xread("GROUP", "g", "c", "STREAMS", "orders", "0")),
        await outcomeOf(() => client.xread("STREAMS", "orders")),
      ];
    }),
    real: [
      [
        [
          "orders",
          [
            ["id0", ["ref", "ref-000001", "key", "key-1"]],
            ["id1", ["ref", "ref-000002", "key", "key-1"]],
          ],
        ],
      ],
      [["orders", [["id0", ["ref", "ref-000001", "key", "key-1"]]]]],
      null,
      [["orders", [["id2", ["ref", "ref-000003", "key", "key-1"]]]]],
      {
        name: "ReplyError",
        message:
          "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.",
      },
      {
        name: "ReplyError",
        message: "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.",
      },
      { name: "ReplyError", message: "ERR wrong number of arguments for 'xread' command" },
    ],
  },
  {
    name: "XADD with ids of one's own",
    play: told(async (client) => [
      await client.xadd("own", "5-1", "a", "1"),
      await client.xadd("own", "5-*", "a", "1"),
      await outcomeOf(() => client.xadd("own", "5-2", "a", "1")),
      await outcomeOf(() => client.xadd("own", "0-0", "a", "1")),
      await client.xadd("own", "6-*", "a", "1"),
      await client.xadd("own", "7", "a", "1"),
      await client.xsetid("own", "9-9"),
      await outcomeOf(() => client.xsetid("own", "1-1")),
      await outcomeOf(() => client.xsetid("none", "1-1")),
      await outcomeOf(() => client.xadd("own", "8-1", "a", "1")),
      await client.xrange("own", "-", "+"),
    ]),
    real: [
      "5-1",
      "5-2",
      {
        name: "ReplyError",
        message: "ERR The ID specified in XADD is equal or smaller than the target stream top item",
      },
      { name: "ReplyError", message: "ERR The ID specified in XADD must be greater than 0-0" },
      "6-0",
      "7-0",
      "OK",
      {
        name: "ReplyError",
        message: "ERR The ID specified in XSETID is smaller than the target stream top item",
      },
      { name: "ReplyError", message: "ERR no such key" },
      {
        name: "ReplyError",
        message: "ERR The ID specified in XADD is equal or smaller than the target stream top item",
      },
      [
        ["5-1", ["a", "1"]],
        ["5-2", ["a", "1"]],
        ["6-0", ["a", "1"]],
        ["7-0", ["a", "1"]],
      ],
    ],
  },
  {
    name: "XINFO: lengths, groups and their lag, while entries are read and deleted",
    play: told(async (client, { publish }) => {
      await publish(3);
      const before = await client.xinfo("GROUPS", "orders");
      const [first = "", second = ""] = await idsOf(client);
      await client.xack("orders", "triggerer", first);
      const read = await client.xinfo("GROUPS", "orders");
      await client.xdel("orders", second);
      const stream = await client.xinfo("STREAM", "orders");
      await publish(1);
      const deleted = await client.xinfo("GROUPS", "orders");
      await client.xgroup("CREATE", "orders", "late", "$", "ENTRIESREAD", 2);
      await client.xtrim("orders", "MAXLEN", 1);
      return [before, read, stream, deleted, await client.xinfo("GROUPS", "orders")];
    }),
    real: [
      [
        [
          "name",
          "triggerer",
          "consumers",
          0,
          "pending",
          0,
          "last-delivered-id",
          "0-0",
          "entries-read",
          null,
          "lag",
          3,
        ],
      ],
      [
        [
          "name",
          "triggerer",
          "consumers",
          1,
          "pending",
          2,
          "last-delivered-id",
          "id0",
          "entries-read",
          3,
          "lag",
          0,
        ],
      ],
      [
        "length",
        2,
        "radix-tree-keys",
        1,
        "radix-tree-nodes",
        2,
        "last-generated-id",
        "id0",
        "max-deleted-entry-id",
        "id1",
        "entries-added",
        3,
        "recorded-first-entry-id",
        "id2",
        "groups",
        1,
        "first-entry",
        ["id2", ["ref", "ref-000001", "key", "key-1"]],
        "last-entry",
        ["id0", ["ref", "ref-000003", "key", "key-1"]],
      ],
      [
        [
          "name",
          "triggerer",
          "consumers",
          1,
          "pending",
          2,
          "last-delivered-id",
          "id0",
          "entries-read",
          3,
          "lag",
          1,
        ],
      ],
      [
        [
          "name",
          "late",
          "consumers",
          0,
          "pending",
          0,
          "last-delivered-id",
          "id3",
          "entries-read",
          2,
          "lag",
          2,
        ],
        [
          "name",
          "triggerer",
          "consumers",
          1,
          "pending",
          2,
          "last-delivered-id",
          "id0",
          "entries-read",
          3,
          "lag",
          1,
        ],
      ],
    ],
  },
  {
    name: "XINFO of a new stream, of consumers, and of what is not there",
    play: told(async (client, { publish }) => {
      await publish(1);
      await idsOf(client);
      await client.xgroup("CREATECONSUMER", "orders", "triggerer", "B");
      const consumers = (await client.xinfo("CONSUMERS", "orders", "triggerer")) as unknown[][];
      await client.xgroup("CREATE", "fresh", "g", "$", "MKSTREAM");
      return [
        consumers.map(([, name, , pending]) => [name, pending]),
        await client.xinfo("STREAM", "fresh"),
        await client.xinfo("GROUPS", "fresh"),
        await outcomeOf(() => client.xinfo("STREAM", "none")),
        await outcomeOf(() => client.xinfo("CONSUMERS", "orders", "none")),
        await outcomeOf(() => client.xinfo("CONSUMERS", "orders")),
        await outcomeOf(() => client.xinfo("WHAT", "orders")),
      ];
    }),
    real: [
      [
        ["B", 0],
        ["a", 1],
      ],
      [
        "length",
        0,
        "radix-tree-keys",
        0,
        "radix-tree-nodes",
        1,
        "last-generated-id",
        "0-0",
        "max-deleted-entry-id",
        "0-0",
        "entries-added",
        0,
        "recorded-first-entry-id",
        "0-0",
        "groups",
        1,
        "first-entry",
        null,
        "last-entry",
        null,
      ],
      [
        [
          "name",
          "g",
          "consumers",
          0,
          "pending",
          0,
          "last-delivered-id",
          "0-0",
          "entries-read",
          null,
          "lag",
          0,
        ],
      ],
      { name: "ReplyError", message: "ERR no such key" },
      {
        name: "ReplyError",
        message: "NOGROUP No such consumer group 'none' for key name 'orders'",
      },
      {
        name: "ReplyError",
        message: "ERR wrong number of arguments for 'xinfo|consumers' command",
      },
      { name: "ReplyError", message: "ERR unknown subcommand 'WHAT'. Try XINFO HELP." },
    ],
  },
  {
    name: "a stream that is deleted takes its groups with it",
    play: told(async (client, { publish, pass }) => {
      await publish(1);
      const reader = client.duplicate();
      const group = ["GROUP", "triggerer", "a"] as const;
      await reader.xreadgroup(...group, "STREAMS", "orders", ">");
      const waiting = outcomeOf(() =>
        reader.xreadgroup(...group, "BLOCK", 2_000, "STREAMS", "orders", ">"),
      );
      await pass(100);
      const deleted = await client.del("orders");
      const seen = await waiting;
      await reader.quit();
      return [deleted, seen, await client.xlen("orders"), await client.exists("orders")];
    }),
    real: [1, { name: "ReplyError", message: "UNBLOCKED the stream key no longer exists" }, 0, 0],
  },
  {
    name: "a reader whose group is destroyed is told",
    play: told(async (client, { pass }) => {
      const reader = client.duplicate();
      const waiting = outcomeOf(() =>
        reader.xreadgroup("GROUP", "triggerer", "a", "BLOCK", 2_000, "STREAMS", "orders", ">"),
      );
      await pass(100);
      await client.xgroup("DESTROY", "orders", "triggerer");
      const seen = await waiting;
      await reader.quit();
      return seen;
    }),
    real: {
      name: "ReplyError",
      message: "NOGROUP the consumer group this client was blocked on no longer exists",
    },
  },
  {
    name: "a lazy duplicate connects when it is told to",
    play: told(async (client, { pass }) => {
      const log: string[] = [];
      const lazy = client.duplicate({ lazyConnect: true });
      lazy.on("ready", () => log.push("ready"));
      await pass(50);
      log.push(lazy.status);
      await lazy.connect();
      log.push(lazy.status);
      await lazy.quit();
      return log;
    }),
    real: ["wait", "ready", "ready"],
  },
];
