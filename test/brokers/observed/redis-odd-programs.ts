import type { Drawn } from "../drawn/odd-values.ts";
import type { Command, RedisStep } from "../drawn/redis-slips-program.ts";

const CALLBACK = { $: "callback" };
const NULL = { $: "null" };

type Given = readonly [method: string, ...given: Drawn[]];

function commands(...all: readonly Given[]): readonly Command[] {
  return all.map(([method, ...given]) => [method, given]);
}

function calls(...all: readonly Given[]): readonly RedisStep[] {
  return commands(...all).map((command) => ["call", "a", command]);
}

function chain(
  [begin, ...first]: Given,
  added: readonly Given[],
  [end, ...last]: Given,
): readonly RedisStep[] {
  return [["chain", "a", [begin, first], commands(...added), [end, last]]];
}

type Programs = Readonly<Record<string, readonly RedisStep[]>>;

const EXEC: Given = ["exec"];
const ADD: Given = ["xadd", "orders", "*", "ref", "v"];
const OWN: Given = ["xadd", "own", "5-1", "ref", "v"];

/** Programs of the kind that is drawn, by ioredis. */
export const REDIS_ODD: Programs = {
  "bytes that are no Buffer, symbols, functions and lists in lists are sent as texts": calls(
    ["set", "bytes", { $: "bytes" }],
    ["get", "bytes"],
    ["set", { $: "map" }, { $: "symbol" }, "x"],
    ["xgroup", CALLBACK, "orders"],
    ["getdel", { $: "long list" }],
    ["incrby", "number", { $: "many digits" }],
    ["setex", "text", "x", { $: "buffer" }],
  ),
  "a pipeline is sent again as a whole, and gives its first replies": [
    ...chain(["pipeline"], [["incr", "number"], EXEC, ["incr", "number"], EXEC], EXEC),
    ...calls(["get", "number"]),
  ],
  "a transaction is sent again as a whole, and gives the replies to all that was sent": [
    ...chain(["multi"], [["incr", "number"], ["incr", "orders"], EXEC, ["decr", "number"]], EXEC),
    ...chain(["multi"], [["incr", "number"], ["xadd", "orders"], EXEC], EXEC),
    ...calls(["get", "number"]),
  ],
  "a list of commands has no name that is no method, and other values are no list": [
    ...chain(["pipeline", [["nosuch"]]], [], EXEC),
    ...chain(["multi", [["XADD"]]], [], EXEC),
    ...chain(["multi", NULL], [["ping"]], EXEC),
    ...chain(["pipeline", "x"], [["ping"]], EXEC),
    ["make", "a", [NULL]],
  ],
  "a callback in a transaction is told that its command was queued, or why not": [
    ...chain(
      ["multi"],
      [
        ["incr", "number", CALLBACK],
        ["xlen", CALLBACK],
      ],
      ["exec", CALLBACK],
    ),
    ...chain(
      ["multi"],
      [
        ["incr", "number", CALLBACK],
        ["ping", CALLBACK],
      ],
      ["exec", CALLBACK],
    ),
  ],
  "all that cannot be queued is told": chain(
    ["multi"],
    [["xlen"], ["nosuch"], ["xgroup", "CREATE", "orders"], ["xinfo", "NOTHING"], ["call", "no"]],
    EXEC,
  ),
  "callbacks of quit, of connect, and behind the end": [
    ["call", "b", ["connect", [CALLBACK]]],
    ...calls(["quit", CALLBACK]),
    ["look", 30],
    ...calls(["get", "text", CALLBACK], ["quit", CALLBACK]),
    ...chain(["multi"], [["incr", "number", CALLBACK]], ["exec", CALLBACK]),
    ...chain(["pipeline"], [["incr", "number", CALLBACK]], ["exec", CALLBACK]),
    ...calls(["connect", CALLBACK]),
    ["look", 30],
  ],
  "what listens has to be a function": calls(
    ["once", "end", "x"],
    ["on", "ready", NULL],
    ["off", "ready", { $: "undefined" }],
    ["addListener", "close", {}],
    ["prependListener", "close", 1],
  ),
  "a command by its name in capitals gives streams and entries in one list": [
    ...calls(
      OWN,
      ["call", "XREAD", "STREAMS", "own", "0"],
      ["call", "xread", "STREAMS", "own", "0"],
    ),
    ...chain(["multi"], [["call", "XREAD", "STREAMS", "own", "0"]], EXEC),
    ...calls(["call", "XREAD", "STREAMS", "none", "0"]),
  ],
  "a stream expires": [
    ...calls(
      ADD,
      ["ttl", "orders"],
      ["expire", "orders", 100],
      ["ttl", "orders"],
      ["expire", "orders", 200, "NX"],
      ["expire", "orders", 200, "LT"],
      ["expire", "orders", 200, "gt"],
      ["ttl", "orders"],
      ["pexpire", "orders", 40, "XX"],
    ),
    ["look", 100],
    ...calls(
      ["exists", "orders"],
      ["xreadgroup", "GROUP", "triggerer", "c", "STREAMS", "orders", ">"],
      ADD,
      ["ttl", "orders"],
      ["expire", "orders", -1],
      ["exists", "orders"],
    ),
  ],
  "a stream that expires or was made anew meanwhile": [
    ...calls(ADD, ["pexpire", "orders", 40], ["del", "orders"], ADD),
    ["look", 100],
    ...calls(["exists", "orders"], ["pexpire", "orders", 40], ["pexpire", "orders", 90_000]),
    ["look", 100],
    ...calls(["exists", "orders"]),
  ],
  "a reader waits for a stream that expires": [
    ...calls(["pexpire", "orders", 30]),
    [
      "begin",
      "b",
      ["xreadgroup", ["GROUP", "triggerer", "c", "BLOCK", 3000, "STREAMS", "orders", ">"]],
    ],
    ["look", 200],
  ],
  "a string expires under a condition": calls(
    ["set", "text", "v"],
    ["expire", "text", 100, "XX"],
    ["expire", "text", 100, "GT"],
    ["expire", "text", 100, "LT"],
    ["expire", "text", 100, "NX"],
    ["expire", "text", 100, "GT"],
    ["expire", "text", 100, "LT"],
    ["expire", "text", 200, "GT"],
    ["expire", "text", 50, "LT", "XX"],
    ["expire", "text", 100, "NX", "GT"],
    ["expire", "text", 100, "GT", "LT"],
    ["expire", "text", "x", "NX", "LT"],
    ["expire", "text", "x", "MORE"],
    ["expire", "text", "x"],
    ["expire", "none", "x", "XX", "LT"],
    ["expire", "none", 100],
    ["ttl", "text"],
    ["pexpire", "text", 0, "LT"],
    ["exists", "text"],
  ),
  "in what order the server looks at arguments": calls(
    ["set", "text", "v"],
    ["set", "text", "v", "EX", "x", "KEEPTTL"],
    ["set", "text", "v", "KEEPTTL", "EX", "x"],
    ["set", "text", "v", "EX", "x", "PX", 5],
    ["set", "text", "v", "EX", "x", "NX", "GET"],
    ["set", "text", "v", "EX", 0, "XX"],
    ["xgroup", "create", "text", "g", "$", "MORE"],
    ["xgroup", "setid", "none", "g", "$", "MORE"],
    ["xgroup", "SetId", "text", "g", "$"],
    ["xgroup", "SETID", "orders", "triggerer", "nonsense"],
    ["xadd", "orders", "LIMIT", 1, "*", "a"],
    ["xadd", "orders", "MAXLEN", 1, "LIMIT", 1, "5-5", "a"],
    ["xadd", "orders", "NOMKSTREAM", "MAXLEN", 1, "nonsense"],
    ["xadd", "orders", "NOMKSTREAM", "MAXLEN", 1, "*"],
    ["xadd", "orders", "MAXLEN", 1, "NOMKSTREAM", "NOMKSTREAM"],
  ),
  "a string that has expired already takes the place of a stream": calls(
    ["set", "orders", "v", "PXAT", 1],
    ["exists", "orders"],
    ["set", "none", "v", "XX", "PXAT", 1],
    ADD,
    ["set", "orders", "v", "NX"],
    ["type", "orders"],
  ),
  "a pipeline that is sent again calls nobody back again": [
    ...chain(["pipeline"], [["incr", "number", CALLBACK], EXEC], ["exec", CALLBACK]),
    ...calls(["get", "number"]),
  ],
};

/** Programs of the kind that is drawn, by node-redis. */
export const NODE_REDIS_ODD: Programs = {
  "what cannot be made words of rejects, and in a transaction throws": [
    ...calls(
      ["connect"],
      ["xAdd", "orders", "*"],
      ["xReadGroup", "triggerer", "c"],
      ["xRead"],
      ["expire", "text"],
      ["incrBy", "text"],
      ["xClaim", "orders", "triggerer", "c"],
      ["xRange", "orders", "-", "+", { COUNT: null }],
      ["set", "text", "v", { EX: null }],
    ),
    ...chain(
      ["multi"],
      [
        ["xAdd", "orders", "*"],
        ["expire", "text"],
        ["xReadGroup", "g", "c"],
      ],
      EXEC,
    ),
  ],
  "a transaction may be sent as a pipeline, and again": [
    ...calls(["connect"]),
    ...chain(["multi"], [["incr", "number"], EXEC], ["exec", true]),
    ...chain(["multi"], [["incr", "number"], ["execAsPipeline"]], EXEC),
    ...chain(["multi"], [["incr", "number"], ["xLen", "number"], EXEC], ["execTyped", 1]),
    ...chain(["multi"], [["sendCommand", ["GET", "number"]]], ["exec", false]),
    ...calls(["get", "number"]),
  ],
  "a transaction without commands, and one of a client that is closed": [
    ...chain(["multi"], [], EXEC),
    ...chain(["multi"], [], ["execAsPipeline"]),
    ...chain(["multi"], [["decr"]], EXEC),
    ...calls(["connect"]),
    ...chain(["multi"], [], EXEC),
    ...chain(["multi"], [["get", "text"], ["decr"]], EXEC),
    ...chain(["multi"], [["addCommand", ["GET", 1]]], EXEC),
  ],
  "options that are as good as true or false": calls(
    ["connect"],
    ["xGroupCreate", "own", "g", "$", { MKSTREAM: 1 }],
    ["xAdd", "own", "5-1", { ref: "v" }],
    ["xReadGroup", "g", "c", { key: "own", id: ">" }, { NOACK: "yes" }],
    ["xPendingRange", "own", "g", "-", "+", 1, { consumer: null }],
    ["xClaim", "own", "g", "c", 0, "5-1", { FORCE: {} }],
    [
      "xAdd",
      "own",
      "5-2",
      { ref: "v" },
      { TRIM: { strategy: "MAXLEN", strategyModifier: "", threshold: 1 } },
    ],
    ["set", "text", "v", { NX: 1, GET: "x" }],
    ["set", "text", "w", { XX: "x", KEEPTTL: 1, condition: "" }],
    ["set", "text", "v", { expiration: null, EX: 100, condition: null }],
    ["ttl", "text"],
  ),
  "modes of EXPIRE, and options of XSETID and XGROUP SETID": calls(
    ["connect"],
    ["set", "text", "v"],
    ["expire", "text", 100, "XX"],
    ["expire", "text", 100, "NX"],
    ["pExpire", "text", 90_000, "LT"],
    ["pExpire", "text", 95_000, 1],
    ["expire", "text", 95, null],
    ["ttl", "text"],
    ["xAdd", "own", "5-1", { ref: "v" }],
    ["xSetId", "own", "6-0", { ENTRIESADDED: 7, MAXDELETEDID: "4-0" }],
    ["xSetId", "own", "6-0", { ENTRIESADDED: 0, MAXDELETEDID: "" }],
    ["xInfoStream", "own"],
    ["xGroupCreate", "own", "g", "0"],
    ["xGroupSetId", "own", "g", "5-1", { ENTRIESREAD: 1 }],
    ["xInfoGroups", "own"],
  ),
  "a stream that is read twice at once is there once": calls(
    ["connect"],
    ["xAdd", "own", "5-1", { ref: "v" }],
    [
      "xRead",
      [
        { key: "own", id: "0" },
        { key: "own", id: "0" },
      ],
    ],
    ["xGroupCreate", "own", "g", "0"],
    [
      "xReadGroup",
      "g",
      "c",
      [
        { key: "own", id: ">" },
        { key: "own", id: "0" },
      ],
    ],
    [
      "xReadGroup",
      "g",
      "c",
      [
        { key: "own", id: "0" },
        { key: "own", id: "7-0" },
      ],
    ],
  ),
  "what listens has to be a function": calls(["on", "error", "x"], ["off", "end", NULL]),
  "an expiration that is no object has no value": [
    ...calls(["connect"], ["set", "text", "v", { expiration: 1.5 }]),
    ...chain(["multi"], [["set", "text", "v", { expiration: true }]], EXEC),
    ...calls(
      ["set", "text", "v", { expiration: "KEEPTTL" }],
      ["set", "text", "v", { expiration: "x" }],
      ["set", "text", "v", { expiration: { type: "KEEPTTL" } }],
      ["set", "text", "v", { expiration: 0 }],
    ),
  ],
};
