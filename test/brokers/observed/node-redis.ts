import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import { NODE_REDIS_CALLS } from "./node-redis-calls.ts";
import { NODE_REDIS_COLLECTIONS } from "./node-redis-collections.ts";
import { NODE_REDIS_COMMANDS } from "./node-redis-commands.ts";
import { NODE_REDIS_LIFE } from "./node-redis-life.ts";
import type { Observed, ObservedStage } from "./observation.ts";
import { NODE_REDIS_ODDS } from "./redis-odd.ts";

const GROUP = "triggerer";
const ORDERS = { key: "orders", id: ">" };
const REF = { ref: "ref-000001", key: "key-1" };
const BOTH = [
  { id: "#1", message: REF },
  { id: "#2", message: { ...REF, ref: "ref-000002" } },
];

/** What tells an error of node-redis: its class, where the library is loaded, and its message. */
async function told(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return (await call()) ?? "nothing";
  } catch (error) {
    const { name, message } = error as Error;
    return [(error as object).constructor.name, name, message];
  }
}

async function connected({ client }: ObservedStage<NodeRedisClient>): Promise<NodeRedisClient> {
  client.on("error", () => undefined);
  return client.connect();
}

/** Ids depend on the time: tells entries by their order. */
function withoutIds(value: unknown, ids: readonly string[]): unknown {
  const text = JSON.stringify(value, (_, one: unknown) => {
    const at = typeof one === "string" ? ids.indexOf(one) : -1;
    return at === -1 ? one : `#${at + 1}`;
  });
  return JSON.parse(text) as unknown;
}

async function idsOf(client: NodeRedisClient): Promise<readonly string[]> {
  return (await client.xRange("orders", "-", "+")).map(({ id }) => id);
}

/** What node-redis showed on a Redis server. */
export const NODE_REDIS: Observed<NodeRedisClient> = {
  server: "Redis 7.0.15 with @redis/client 6.3.1",
  observations: [
    ...NODE_REDIS_ODDS,
    {
      name: "a client connects once, and nothing is sent before",
      play: async ({ client }) => {
        client.on("error", () => undefined);
        const before = [client.isOpen, client.isReady, await told(() => client.xLen("orders"))];
        const isSame = (await client.connect()) === client;
        const again = await told(() => client.connect());
        return [before, isSame, again, client.isOpen, client.isReady];
      },
      real: [
        [false, false, ["ClientClosedError", "Error", "The client is closed"]],
        true,
        ["Error", "Error", "Socket already opened"],
        true,
        true,
      ],
    },
    {
      name: "entries are read, and read again as pending",
      play: async (stage) => {
        const client = await connected(stage);
        await stage.publish(2);
        const ids = await idsOf(client);
        const seen = [
          await client.xReadGroup(GROUP, "a", ORDERS, { COUNT: 1 }),
          await client.xReadGroup(GROUP, "a", [ORDERS], { COUNT: 10 }),
          await client.xReadGroup(GROUP, "a", ORDERS),
          await client.xReadGroup(GROUP, "a", { key: "orders", id: "0" }),
          await client.xPending("orders", GROUP),
          await client.xAck("orders", GROUP, [...ids]),
          await client.xPending("orders", GROUP),
        ];
        return withoutIds(seen, ids);
      },
      real: [
        [{ name: "orders", messages: [{ id: "#1", message: REF }] }],
        [{ name: "orders", messages: [{ id: "#2", message: { ...REF, ref: "ref-000002" } }] }],
        null,
        [
          {
            name: "orders",
            messages: [
              { id: "#1", message: REF },
              { id: "#2", message: { ...REF, ref: "ref-000002" } },
            ],
          },
        ],
        {
          ...{ pending: 2, firstId: "#1", lastId: "#2" },
          consumers: [{ name: "a", deliveriesCounter: 2 }],
        },
        2,
        { pending: 0, firstId: null, lastId: null, consumers: null },
      ],
    },
    {
      name: "a deleted entry that is read as pending is more than the library can take",
      play: async (stage) => {
        const client = await connected(stage);
        await stage.publish(2);
        const ids = await idsOf(client);
        await client.xReadGroup(GROUP, "a", ORDERS);
        await client.xDel("orders", ids[0] ?? "");
        const pending = { key: "orders", id: "0" };
        const seen = [
          await told(() => client.xReadGroup(GROUP, "a", pending)),
          await client.xAutoClaim("orders", GROUP, "b", 0, "0-0", { COUNT: 10 }),
        ];
        return withoutIds(seen, ids);
      },
      real: [
        ["TypeError", "TypeError", "Cannot read properties of null (reading 'length')"],
        {
          nextId: "0-0",
          messages: [{ id: "#2", message: { ...REF, ref: "ref-000002" } }],
          deletedMessages: ["#1"],
        },
      ],
    },
    {
      name: "options that are null are none",
      play: async (stage) => {
        const client = await connected(stage);
        await stage.publish(2);
        const ids = await idsOf(client);
        const none = null as never;
        const read = await client.xReadGroup(GROUP, "a", ORDERS, none);
        const seen = [
          await client.xRead({ key: "orders", id: "0" }, none),
          await client.xRange("orders", "-", "+", none),
          await client.xAutoClaim("orders", GROUP, "b", 0, "0-0", none),
          await client.xClaim("orders", GROUP, "c", 0, ids, none),
          (await client.xPendingRange("orders", GROUP, "-", "+", 5, none)).length,
          await client.xTrim("orders", "MAXLEN", 1, none),
          await client.set("text", "1", none),
          typeof (await client.xAdd("orders", "*", { a: "1" }, none)),
        ];
        return withoutIds([read, ...seen], ids);
      },
      real: [
        [{ name: "orders", messages: BOTH }],
        [{ name: "orders", messages: BOTH }],
        BOTH,
        { nextId: "0-0", messages: BOTH, deletedMessages: [] },
        BOTH,
        ...[2, 1, "OK", "string"],
      ],
    },
    {
      name: "claims, of entries and of ids alone",
      play: async (stage) => {
        const client = await connected(stage);
        await stage.publish(2);
        const ids = await idsOf(client);
        const [first = "", second = ""] = ids;
        await client.xReadGroup(GROUP, "a", ORDERS);
        const seen = [
          await client.xClaim("orders", GROUP, "b", 0, first),
          await client.xClaimJustId("orders", GROUP, "b", 0, [first, second]),
          await client.xAutoClaimJustId("orders", GROUP, "c", 60_000, "0", { COUNT: 0 }),
          await client.xClaim("orders", GROUP, "c", 0, second, { RETRYCOUNT: 7, IDLE: 90_000 }),
          (await client.xPendingRange("orders", GROUP, "-", "+", 9, { consumer: "c" })).map(
            (one) => [one.id, one.consumer, one.deliveriesCounter],
          ),
          (await client.xPendingRange("orders", GROUP, "-", "+", 9, { IDLE: 60_000 })).length,
        ];
        return withoutIds(seen, ids);
      },
      real: [
        [{ id: "#1", message: REF }],
        ["#1", "#2"],
        { nextId: "0-0", messages: [], deletedMessages: [] },
        [{ id: "#2", message: { ...REF, ref: "ref-000002" } }],
        [["#2", "c", 7]],
        1,
      ],
    },
    {
      name: "streams are added to, trimmed and read as a whole",
      play: async (stage) => {
        const client = await connected(stage);
        const dead = "orders:dead";
        await client.xAdd(dead, "*", { ref: "a" });
        const TRIM = { strategy: "MAXLEN", strategyModifier: "=", threshold: 2 } as const;
        await client.xAdd(dead, "*", { ref: "b" });
        await client.xAdd(dead, "*", { ref: "c" }, { TRIM });
        return [
          await client.xAddNoMkStream("nowhere", "*", { ref: "a" }),
          await client.xLen(dead),
          (await client.xRange(dead, "-", "+")).map(({ message }) => message),
          (await client.xRevRange(dead, "+", "-", { COUNT: 1 })).map(({ message }) => message),
          await client.xRange(dead, "-", "+", { COUNT: 0 }),
          await client.xTrim(dead, "MAXLEN", 1),
          await client.xLen(dead),
        ];
      },
      real: [null, 2, [{ ref: "b" }, { ref: "c" }], [{ ref: "c" }], null, 1, 1],
    },
    {
      name: "groups and their consumers",
      play: async (stage) => {
        const client = await connected(stage);
        return [
          await client.xGroupCreate("other", "second", "$", { MKSTREAM: true }),
          await told(() => client.xGroupCreate("other", "second", "$")),
          await client.xGroupCreateConsumer("other", "second", "a"),
          await client.xGroupDelConsumer("other", "second", "a"),
          await client.xGroupSetId("other", "second", "0"),
          await client.xGroupDestroy("other", "second"),
        ];
      },
      real: [
        "OK",
        ["SimpleError", "Error", "BUSYGROUP Consumer Group name already exists"],
        ...[1, 0, "OK", 1],
      ],
    },
    {
      name: "what the server refuses, and what the library does not send",
      play: async (stage) => {
        const client = await connected(stage);
        const number = 5 as unknown as string;
        return [
          await told(() => client.xReadGroup("nobody", "a", ORDERS)),
          await told(() => client.xAck("orders", GROUP, "nonsense")),
          await told(() => client.xAdd("orders:dead", "*", { ref: number })),
          await told(() => client.xAck("orders", GROUP, number)),
          await told(() => client.xReadGroup(GROUP, number, ORDERS)),
        ];
      },
      real: [
        [
          ...["SimpleError", "Error"],
          "NOGROUP No such key 'orders' or consumer group 'nobody' in XREADGROUP with GROUP option",
        ],
        ["SimpleError", "Error", "ERR Invalid stream ID specified as stream command argument"],
        notEncoded(4),
        notEncoded(3),
        notEncoded(3),
      ],
    },
    {
      name: "close() waits for a blocking read, and takes nothing more",
      play: async (stage) => {
        const client = await connected(stage);
        const reader = await client
          .duplicate()
          .on("error", () => undefined)
          .connect();
        const reading = reader.xReadGroup(GROUP, "a", ORDERS, { BLOCK: 0 });
        await stage.pass(100);
        let isClosed = false;
        const closing = reader.close().then(() => (isClosed = true));
        await stage.pass(200);
        const seen = [isClosed, reader.isOpen, await told(() => reader.xLen("orders"))];
        await stage.publish(1);
        const read = (await reading)?.flatMap(({ messages }) => messages).length;
        await closing;
        return [...seen, read, isClosed, await told(() => reader.close())];
      },
      real: [
        ...[false, false, ["ClientClosedError", "Error", "The client is closed"], 1, true],
        ["ClientClosedError", "Error", "The client is closed"],
      ],
    },
    {
      name: "destroy() waits for nothing, and the client can connect again",
      play: async (stage) => {
        const client = await connected(stage);
        const events: string[] = [];
        for (const event of ["connect", "ready", "end"]) client.on(event, () => events.push(event));
        const reading = told(() => client.xReadGroup(GROUP, "a", ORDERS, { BLOCK: 0 }));
        await stage.pass(100);
        client.destroy();
        const seen = [client.isOpen, client.isReady, await reading];
        client.destroy();
        await client.connect();
        return [...seen, await client.xLen("orders"), events];
      },
      real: [
        ...[false, false, ["DisconnectsClientError", "Error", "Disconnects client"], 0],
        ["end", "connect", "ready"],
      ],
    },
    {
      name: "a duplicate is not connected, and has no listeners",
      play: async (stage) => {
        const client = await connected(stage);
        const other = client.duplicate();
        return [other.isOpen, other.isReady, await told(() => other.xLen("orders"))];
      },
      real: [false, false, ["ClientClosedError", "Error", "The client is closed"]],
    },
    ...NODE_REDIS_COMMANDS,
    ...NODE_REDIS_COLLECTIONS,
    ...NODE_REDIS_LIFE,
    NODE_REDIS_CALLS,
  ],
};

function notEncoded(at: number): readonly string[] {
  const message = `"arguments[${at}]" must be of type "string | Buffer", got number instead.`;
  return ["TypeError", "TypeError", message];
}
