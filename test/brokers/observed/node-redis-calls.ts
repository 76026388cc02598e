import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import type { Observation } from "./observation.ts";

type Call = readonly [method: string, ...args: readonly unknown[]];

const LONG_MS = 100_000;
const NEW = { key: "s", id: ">" };
const A = { a: "1" };

/** Calls with each of their options, one after the other on the same keys. */
const CALLS: readonly Call[] = [
  ["xAddNoMkStream", "s", "1-1", A],
  ["xAdd", "s", "1-1", A, { NOMKSTREAM: true }],
  ["xAddNoMkStream", "s", "1-2", A],
  ...["1-3", "2-0", "2-1", "3-0"].map((id): Call => ["xAdd", "s", id, { a: id, b: "2" }]),
  ["xAdd", "s", "4-0", A, { TRIM: { strategy: "MAXLEN", strategyModifier: "=", threshold: 6 } }],
  ["xAdd", "s", "4-1", A, { TRIM: { strategy: "MINID", threshold: 1 } }],
  ["xAdd", "s", "4-2", A, { TRIM: { threshold: 1 } }],
  [
    "xAdd",
    ...["s", "4-2", A],
    { TRIM: { strategy: "MAXLEN", strategyModifier: "~", threshold: 1, limit: 5 } },
  ],
  ["xAdd", "s", "4-3", A, { TRIM: { strategy: "MAXLEN", threshold: 1, limit: 5 } }],
  ["xRange", "s", "-", "+", { COUNT: 2 }],
  ["xRange", "s", "2", "2"],
  ["xRevRange", "s", "+", "-", { COUNT: 2 }],
  ["xRevRange", "s", "2", "1", { COUNT: 0 }],
  ["xGroupCreate", "s", "g", "0", { ENTRIESREAD: 2 }],
  ["xGroupCreate", "t", "g", "$", { MKSTREAM: true }],
  ["xGroupCreate", "u", "g", "$", { MKSTREAM: false }],
  ["xGroupCreate", "t", "h", "0", { MKSTREAM: true, ENTRIESREAD: 0 }],
  ["xInfoGroups", "s"],
  ["xInfoGroups", "t"],
  ["xReadGroup", "g", "a", NEW, { COUNT: 2 }],
  ["xReadGroup", "g", "a", [NEW], { COUNT: 1, NOACK: true }],
  ["xReadGroup", "g", "b", [NEW, { key: "t", id: ">" }], { COUNT: 1, NOACK: false }],
  ["xReadGroup", "g", "b", { key: "t", id: ">" }, { BLOCK: 5 }],
  ["xReadGroup", "g", "a", { key: "s", id: "0" }, { COUNT: 1 }],
  ["xPending", "s", "g"],
  ["xPending", "t", "g"],
  ["xPendingRange", "s", "g", "-", "+", 10, { IDLE: LONG_MS }],
  ["xPendingRange", "s", "g", "-", "+", 0],
  ["xPendingRange", "s", "g", "-", "+", 10, { consumer: "nobody" }],
  ["xClaim", "s", "g", "c", 0, "1-1"],
  ["xClaim", "s", "g", "c", 0, ["1-1", "1-2"], { IDLE: 0 }],
  ["xClaim", "s", "g", "c", LONG_MS, "1-3"],
  ["xClaim", "s", "g", "c", 0, "1-3", { IDLE: LONG_MS }],
  ["xPendingRange", "s", "g", "-", "+", 10, { IDLE: LONG_MS, consumer: "nobody" }],
  ["xClaimJustId", "s", "g", "d", LONG_MS, "1-3"],
  ["xClaimJustId", "s", "g", "d", 0, "1-3", { TIME: new Date(0), RETRYCOUNT: 7 }],
  ["xClaimJustId", "s", "g", "d", 0, "1-3", { TIME: 5 }],
  ["xClaimJustId", "s", "g", "d", 0, "4-1"],
  ["xClaimJustId", "s", "g", "d", 0, "4-1", { FORCE: true, LASTID: "4-1" }],
  ["xInfoGroups", "s"],
  ["xAutoClaim", "s", "g", "e", 0, "0", { COUNT: 1 }],
  ["xAutoClaim", "s", "g", "e", 0, "(1-3", { COUNT: 0 }],
  ["xAutoClaim", "s", "g", "e", LONG_MS, "-"],
  ["xAutoClaimJustId", "s", "g", "e", 0, "0", { COUNT: 2 }],
  ["xAutoClaimJustId", "s", "g", "e", 0, "9"],
  ["xDel", "s", ["1-3", "9-9"]],
  ["xDel", "s", "9-9"],
  ["xAutoClaim", "s", "g", "e", 0, "0"],
  ["xAck", "s", "g", ["1-2", "1-3", "9-9"]],
  ["xAck", "s", "g", "9-9"],
  ["xGroupCreateConsumer", "s", "g", "z"],
  ["xGroupCreateConsumer", "s", "g", "z"],
  ["xGroupDelConsumer", "s", "g", "e"],
  ["xGroupSetId", "s", "g", "0"],
  ["xGroupDestroy", "s", "h"],
  [
    "xRead",
    [
      { key: "s", id: "4-0" },
      { key: "t", id: "0" },
    ],
    { COUNT: 1 },
  ],
  ["xRead", { key: "t", id: "$" }, { BLOCK: 5 }],
  ["xRead", { key: "t", id: "0" }],
  ["xTrim", "s", "MAXLEN", 5],
  ["xTrim", "s", "MAXLEN", 3, { strategyModifier: "=", LIMIT: 1 }],
  ["xTrim", "s", "MAXLEN", 0, { strategyModifier: "~", LIMIT: 1 }],
  ["xTrim", "s", "MINID", "4-1", { strategyModifier: "=" }],
  ["xLen", "s"],
  ["set", "k", 5, { EX: 100 }],
  ["set", "k", "6", { KEEPTTL: true, GET: true }],
  ["ttl", "k"],
  ["set", "k", "7", { expiration: "KEEPTTL" }],
  ["ttl", "k"],
  ["set", "k", "8", { expiration: { type: "KEEPTTL" }, condition: "XX" }],
  ["ttl", "k"],
  ["set", "k", "9", { NX: true, XX: true }],
  ["set", "k", "9", { condition: "NX", XX: true }],
  ["set", "k", "9", { XX: true, PX: 200_000 }],
  ["ttl", "k"],
  ["set", "k", "9", { EX: 50, PX: 200_000 }],
  ["ttl", "k"],
  ["set", "k", "9", { EX: 50, KEEPTTL: true }],
  ["set", "k", "9", { EXAT: 1 }],
  ["get", "k"],
  ["set", "l", "1", { PXAT: 99_999_999_999_999 }],
  ["set", "l", "2", { GET: true }],
  ["ttl", "l"],
  ["set", "m", new Uint8Array([65])],
  ["get", "m"],
  ["set", "m", true],
  ["get", 5],
];

async function answered(client: NodeRedisClient, [method, ...args]: Call): Promise<unknown> {
  const call = Reflect.get(client, method) as (...given: readonly unknown[]) => Promise<unknown>;
  try {
    return (await call.apply(client, args)) ?? "nothing";
  } catch (error) {
    return [(error as object).constructor.name, (error as Error).message];
  }
}

/** Each option that a method of node-redis has. */
export const NODE_REDIS_CALLS: Observation<NodeRedisClient> = {
  name: "methods with each of their options, call by call",
  async play({ client }) {
    client.on("error", () => undefined);
    const connected = await client.connect();
    const seen: unknown[] = [];
    for (const call of CALLS) seen.push([call[0], await answered(connected, call)]);
    return JSON.parse(JSON.stringify(seen)) as unknown;
  },
  real: [
    ["xAddNoMkStream", "nothing"],
    ["xAdd", "1-1"],
    ["xAddNoMkStream", "1-2"],
    ["xAdd", "1-3"],
    ["xAdd", "2-0"],
    ["xAdd", "2-1"],
    ["xAdd", "3-0"],
    ["xAdd", "4-0"],
    ["xAdd", "4-1"],
    [
      "xAdd",
      ["TypeError", '"arguments[2]" must be of type "string | Buffer", got undefined instead.'],
    ],
    ["xAdd", "4-2"],
    [
      "xAdd",
      ["SimpleError", "ERR syntax error, LIMIT cannot be used without the special ~ option"],
    ],
    [
      "xRange",
      [
        { id: "1-2", message: { a: "1" } },
        { id: "1-3", message: { a: "1-3", b: "2" } },
      ],
    ],
    [
      "xRange",
      [
        { id: "2-0", message: { a: "2-0", b: "2" } },
        { id: "2-1", message: { a: "2-1", b: "2" } },
      ],
    ],
    [
      "xRevRange",
      [
        { id: "4-2", message: { a: "1" } },
        { id: "4-1", message: { a: "1" } },
      ],
    ],
    ["xRevRange", "nothing"],
    ["xGroupCreate", "OK"],
    ["xGroupCreate", "OK"],
    [
      "xGroupCreate",
      [
        "SimpleError",
        "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
      ],
    ],
    ["xGroupCreate", "OK"],
    [
      "xInfoGroups",
      [
        {
          name: "g",
          consumers: 0,
          pending: 0,
          "last-delivered-id": "0-0",
          "entries-read": 2,
          lag: 7,
        },
      ],
    ],
    [
      "xInfoGroups",
      [
        {
          name: "g",
          consumers: 0,
          pending: 0,
          "last-delivered-id": "0-0",
          "entries-read": null,
          lag: 0,
        },
        {
          name: "h",
          consumers: 0,
          pending: 0,
          "last-delivered-id": "0-0",
          "entries-read": 0,
          lag: 0,
        },
      ],
    ],
    [
      "xReadGroup",
      [
        {
          name: "s",
          messages: [
            { id: "1-2", message: { a: "1" } },
            { id: "1-3", message: { a: "1-3", b: "2" } },
          ],
        },
      ],
    ],
    ["xReadGroup", [{ name: "s", messages: [{ id: "2-0", message: { a: "2-0", b: "2" } }] }]],
    ["xReadGroup", [{ name: "s", messages: [{ id: "2-1", message: { a: "2-1", b: "2" } }] }]],
    ["xReadGroup", "nothing"],
    ["xReadGroup", [{ name: "s", messages: [{ id: "1-2", message: { a: "1" } }] }]],
    [
      "xPending",
      {
        pending: 3,
        firstId: "1-2",
        lastId: "2-1",
        consumers: [
          { name: "a", deliveriesCounter: 2 },
          { name: "b", deliveriesCounter: 1 },
        ],
      },
    ],
    ["xPending", { pending: 0, firstId: null, lastId: null, consumers: null }],
    ["xPendingRange", []],
    ["xPendingRange", []],
    ["xPendingRange", []],
    ["xClaim", []],
    ["xClaim", [{ id: "1-2", message: { a: "1" } }]],
    ["xClaim", []],
    ["xClaim", [{ id: "1-3", message: { a: "1-3", b: "2" } }]],
    ["xPendingRange", []],
    ["xClaimJustId", ["1-3"]],
    ["xClaimJustId", ["1-3"]],
    ["xClaimJustId", ["1-3"]],
    ["xClaimJustId", []],
    ["xClaimJustId", ["4-1"]],
    [
      "xInfoGroups",
      [
        {
          name: "g",
          consumers: 4,
          pending: 4,
          "last-delivered-id": "4-1",
          "entries-read": 6,
          lag: 3,
        },
      ],
    ],
    [
      "xAutoClaim",
      { nextId: "1-3", messages: [{ id: "1-2", message: { a: "1" } }], deletedMessages: [] },
    ],
    [
      "xAutoClaim",
      {
        nextId: "0-0",
        messages: [
          { id: "2-1", message: { a: "2-1", b: "2" } },
          { id: "4-1", message: { a: "1" } },
        ],
        deletedMessages: [],
      },
    ],
    [
      "xAutoClaim",
      {
        nextId: "0-0",
        messages: [{ id: "1-3", message: { a: "1-3", b: "2" } }],
        deletedMessages: [],
      },
    ],
    ["xAutoClaimJustId", { nextId: "2-1", messages: ["1-2", "1-3"], deletedMessages: [] }],
    ["xAutoClaimJustId", { nextId: "0-0", messages: [], deletedMessages: [] }],
    ["xDel", 1],
    ["xDel", 0],
    [
      "xAutoClaim",
      {
        nextId: "0-0",
        messages: [
          { id: "1-2", message: { a: "1" } },
          { id: "2-1", message: { a: "2-1", b: "2" } },
          { id: "4-1", message: { a: "1" } },
        ],
        deletedMessages: ["1-3"],
      },
    ],
    ["xAck", 1],
    ["xAck", 0],
    ["xGroupCreateConsumer", 1],
    ["xGroupCreateConsumer", 0],
    ["xGroupDelConsumer", 2],
    ["xGroupSetId", "OK"],
    ["xGroupDestroy", 0],
    ["xRead", [{ name: "s", messages: [{ id: "4-1", message: { a: "1" } }] }]],
    ["xRead", "nothing"],
    ["xRead", "nothing"],
    ["xTrim", 2],
    ["xTrim", 2],
    ["xTrim", 0],
    ["xTrim", 1],
    ["xLen", 2],
    ["set", "OK"],
    ["set", "5"],
    ["ttl", 100],
    ["set", "OK"],
    ["ttl", 100],
    ["set", "OK"],
    ["ttl", 100],
    ["set", "nothing"],
    ["set", "nothing"],
    ["set", "OK"],
    ["ttl", 200],
    ["set", "OK"],
    ["ttl", 50],
    ["set", "OK"],
    ["set", "OK"],
    ["get", "nothing"],
    ["set", "OK"],
    ["set", "1"],
    ["ttl", -1],
    ["set", ["TypeError", '"arguments[2]" must be of type "string | Buffer", got object instead.']],
    ["get", "nothing"],
    [
      "set",
      ["TypeError", '"arguments[2]" must be of type "string | Buffer", got boolean instead.'],
    ],
    ["get", ["TypeError", '"arguments[1]" must be of type "string | Buffer", got number instead.']],
  ],
};
