import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import type { Observation, ObservedStage } from "./observation.ts";

type Script = (client: NodeRedisClient, stage: ObservedStage<NodeRedisClient>) => Promise<unknown>;

async function told(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return (await call()) ?? "nothing";
  } catch (error) {
    const { message } = error as Error;
    return [(error as object).constructor.name, message];
  }
}

/** Plays on a connected client, and replaces ids by their order of appearance. */
function connected(script: Script): Observation<NodeRedisClient>["play"] {
  return async (stage) => {
    stage.client.on("error", () => undefined);
    const client = await stage.client.connect();
    const seen: string[] = [];
    const text = JSON.stringify(await script(client, stage), (_, one: unknown) => {
      if (typeof one !== "string" || !/^\d{6,}-\d+$/.test(one)) return one;
      if (!seen.includes(one)) seen.push(one);
      return `id${seen.indexOf(one)}`;
    });
    return JSON.parse(text) as unknown;
  };
}

export interface Multi {
  exec(): Promise<unknown[]>;
  execAsPipeline(): Promise<unknown[]>;
  xAck(key: string, group: string, id: string): Multi;
  xRange(key: string, start: string, end: string): Multi;
  xGroupCreate(key: string, group: string, id: string): Multi;
  xAdd(key: string, id: string, message: object): Multi;
  set(key: string, value: string, options?: object): Multi;
  incr(key: string): Multi;
  mSet(pairs: object): Multi;
  mGet(keys: readonly string[]): Multi;
  persist(key: string): Multi;
  xLen(key: string): Multi;
  ping(): Multi;
}

/** A command by the server's name, which the model has and does not type. */
function byName(client: NodeRedisClient, name: string): (...words: string[]) => Promise<unknown> {
  const command = Reflect.get(client, name) as (...words: string[]) => Promise<unknown>;
  return command.bind(client);
}

/** The library types what its transactions have from its commands, which the model does not. */
export function multiOf(client: NodeRedisClient): Multi {
  return client.multi() as unknown as Multi;
}

const UNSENT = [
  "TypeError",
  '"arguments[2]" must be of type "string | Buffer", got undefined instead.',
];

/** Transactions, strings, and what a client learns of streams. */
export const NODE_REDIS_COMMANDS: readonly Observation<NodeRedisClient>[] = [
  {
    name: "a transaction has the replies as the commands have them",
    play: connected(async (client, { publish }) => {
      await publish(1);
      const multi = multiOf(client).set("seen", "1", { EX: 60, NX: true });
      const replies = await multi.xRange("orders", "-", "+").xAck("orders", "none", "1-1").exec();
      return [replies, await multiOf(client).exec(), await multiOf(client).incr("n").exec()];
    }),
    real: [["OK", [{ id: "id0", message: { ref: "ref-000001", key: "key-1" } }], 0], [], [1]],
  },
  {
    name: "a transaction in which a command fails, or cannot be queued",
    play: connected(async (client) => {
      const failing = multiOf(client).incr("n").xGroupCreate("orders", "triggerer", "0");
      const few = multiOf(client).incr("n").xAdd("orders", "*", {});
      return [
        await told(() => failing.exec()),
        await told(() => few.exec()),
        await client.get("n"),
      ];
    }),
    real: [
      ["MultiErrorReply", "1 commands failed, see .replies and .errorIndexes for more information"],
      ["SimpleError", "ERR wrong number of arguments for 'xadd' command"],
      "1",
    ],
  },
  {
    name: "a pipeline of a transaction's commands",
    play: connected(async (client) => {
      const failing = multiOf(client).incr("n").xGroupCreate("orders", "triggerer", "0").incr("n");
      return [
        await multiOf(client).incr("n").incr("n").execAsPipeline(),
        await told(() => failing.execAsPipeline()),
        await client.get("n"),
      ];
    }),
    real: [[1, 2], ["SimpleError", "BUSYGROUP Consumer Group name already exists"], "4"],
  },
  {
    name: "of a transaction with a word that cannot be sent the others are executed",
    play: connected(async (client) => {
      const broken = (): Multi =>
        multiOf(client)
          .incr("n")
          .set("k", undefined as never)
          .incr("n");
      return [
        await told(() => broken().exec()),
        await client.get("n"),
        await told(() => broken().execAsPipeline()),
        await client.get("n"),
        await told(() =>
          multiOf(client)
            .set("k", undefined as never)
            .exec(),
        ),
        await told(() => multiOf(client).incr("n").exec()),
      ];
    }),
    real: [UNSENT, "2", UNSENT, "4", UNSENT, [5]],
  },
  {
    name: "several strings at once by the names of node-redis",
    play: connected(async (client) => [
      await client.mSet({ a: "1", b: "2" }),
      await client.mSet([
        ["c", "3"],
        ["d", "4"],
      ]),
      await client.mSet(["e", "5", "f", "6"]),
      await client.mGet(["a", "c", "none", "orders"]),
      await client.mGet("f"),
      await told(() => client.mSet([])),
      await told(() => client.mSet({})),
      await told(() => client.mSet(["a"])),
      await told(() => client.mSet({ a: 5 as never })),
      await told(() => client.mGet([])),
      await client.expire("a", 100),
      await client.persist("a"),
      await client.persist("a"),
      await multiOf(client).mSet({ g: "7" }).mGet(["g", "a"]).persist("g").exec(),
    ]),
    real: [
      ...["OK", "OK", "OK"],
      ["1", "3", null, null],
      ["6"],
      ["Error", "empty toSet Argument"],
      ["SimpleError", "ERR wrong number of arguments for 'mset' command"],
      ["TypeError", '"arguments[2]" must be of type "string | Buffer", got undefined instead.'],
      ["TypeError", '"arguments[2]" must be of type "string | Buffer", got number instead.'],
      ["SimpleError", "ERR wrong number of arguments for 'mget' command"],
      ...[1, 1, 0],
      ["OK", ["7", "1"], 0],
    ],
  },
  {
    name: "strings by the names of node-redis",
    play: connected(async (client) => [
      await client.set("a", 1, { expiration: { type: "EX", value: 100 }, condition: "NX" }),
      await told(() => client.set("a", "2", { NX: true })),
      await client.set("a", "3", { XX: true, GET: true }),
      await client.ttl("a"),
      await client.setNX("b", "1"),
      await client.setNX("b", "1"),
      await client.setEx("c", 100, "1"),
      await client.pSetEx("c", 100_000, "1"),
      await client.expire("b", 100),
      await client.pTTL("none"),
      await client.incrBy("n", 5),
      await client.decr("n"),
      await client.exists(["a", "b", "none"]),
      await client.getDel("a"),
      await told(() => client.get("a")),
      await client.del("b"),
      await client.type("c"),
      await client.ping(),
      await client.ping("hello"),
    ]),
    real: [
      "OK",
      "nothing",
      "1",
      -1,
      1,
      0,
      "OK",
      "OK",
      1,
      -2,
      5,
      4,
      2,
      "3",
      "nothing",
      1,
      "string",
      "PONG",
      "hello",
    ],
  },
  {
    name: "xRead and xInfo by the names of node-redis",
    play: connected(async (client, { publish }) => {
      await publish(2);
      const read = await client.xRead({ key: "orders", id: "0" }, { COUNT: 1 });
      const none = await told(() => client.xRead([{ key: "orders", id: "$" }], { BLOCK: 20 }));
      await client.xReadGroup("triggerer", "a", { key: "orders", id: ">" });
      const consumers = await client.xInfoConsumers("orders", "triggerer");
      return [
        ...[read, none, await client.xInfoStream("orders"), await client.xInfoGroups("orders")],
        consumers.map(({ name, pending }) => [name, pending]),
        await told(() => client.xInfoStream("none")),
      ];
    }),
    real: [
      [{ name: "orders", messages: [{ id: "id0", message: { ref: "ref-000001", key: "key-1" } }] }],
      "nothing",
      {
        length: 2,
        "radix-tree-keys": 1,
        "radix-tree-nodes": 2,
        "last-generated-id": "id1",
        "max-deleted-entry-id": "0-0",
        "entries-added": 2,
        "recorded-first-entry-id": "id0",
        groups: 1,
        "first-entry": { id: "id0", message: { ref: "ref-000001", key: "key-1" } },
        "last-entry": { id: "id1", message: { ref: "ref-000002", key: "key-1" } },
      },
      [
        {
          name: "triggerer",
          consumers: 1,
          pending: 2,
          "last-delivered-id": "id1",
          "entries-read": 2,
          lag: 0,
        },
      ],
      [["a", 2]],
      ["SimpleError", "ERR no such key"],
    ],
  },
  {
    name: "a command by its words",
    play: connected(async (client) => [
      await client.sendCommand(["XLEN", "orders"]),
      await told(() => client.sendCommand(["XADD", "orders", "*"])),
      await told(() => client.sendCommand(["XLEN", 5 as never])),
      await client.xSetId("orders", "9-9"),
    ]),
    real: [
      0,
      ["SimpleError", "ERR wrong number of arguments for 'xadd' command"],
      ["TypeError", '"arguments[1]" must be of type "string | Buffer", got number instead.'],
      "OK",
    ],
  },
  {
    name: "what is seldom sent, and the older names of a client's end",
    play: connected(async (client) => {
      const other = await client.duplicate().connect();
      const seen = [
        await client.set("a", "1"),
        await client.unlink(["a", "none"]),
        await client.unlink("none"),
        await client.exists("a"),
        await client.set("b", "1"),
        await client.pExpire("b", 100_000),
        await client.pExpire("none", 1),
        await client.ttl("b"),
        await client.decrBy("b", 3),
        await client.decrBy("n", -3),
        await client.type("orders"),
        await client.type("none"),
        await client.MULTI().exec(),
        await byName(client, "GET")("b"),
        await byName(client, "XLEN")("orders"),
        [client.isPubSubActive, client.isWatching, client.isDirtyWatch],
      ];
      const ended = [await told(() => byName(client, "QUIT")()), client.isOpen, client.isReady];
      const closed = [await told(() => client.get("a")), await told(() => client.close())];
      const cut = [await told(() => other.disconnect()), other.isOpen];
      return [seen, ended, closed, cut, await told(() => other.disconnect())];
    }),
    real: [
      ["OK", 1, 0, 0, "OK", 1, 0, 100, -2, 3, "stream", "none", [], "-2", 0, [false, false, false]],
      ["OK", false, false],
      [
        ["ClientClosedError", "The client is closed"],
        ["ClientClosedError", "The client is closed"],
      ],
      ["nothing", false],
      "nothing",
    ],
  },
];
