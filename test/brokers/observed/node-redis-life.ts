import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import { type Observation, outcomeOf } from "./observation.ts";
import { multiOf } from "./node-redis-commands.ts";

const ENTRY = ["1-0", ["a", "1"]];
const DESTROYED = { name: "Error", message: "Disconnects client" };
/** Longer than it takes until a read waits, or a command is executed. */
const MEANWHILE_MS = 60;

/** What a client says of itself while it connects and closes, and commands by their words. */
export const NODE_REDIS_LIFE: readonly Observation<NodeRedisClient>[] = [
  {
    name: "what a client says of itself while it connects and closes",
    async play({ client }) {
      const told: string[] = [];
      for (const event of ["connect", "ready", "end"]) client.on(event, () => told.push(event));
      const seen: string[] = [];
      const look = (): void => void seen.push(`${client.isOpen}/${client.isReady}`);
      const connecting = client.connect();
      look();
      await connecting;
      look();
      const idle = client.close();
      look();
      await idle;
      await client.connect();
      const reply = client.ping();
      const busy = client.close();
      look();
      await Promise.all([reply, busy]);
      look();
      return [seen, told];
    },
    real: [
      ["true/false", "true/true", "false/false", "false/true", "false/false"],
      ["connect", "ready", "end", "connect", "ready", "end"],
    ],
  },
  {
    name: "a client that is destroyed while it connects gets its connection all the same",
    async play({ client }) {
      const told: string[] = [];
      for (const event of ["connect", "ready", "end"]) client.on(event, () => told.push(event));
      const connecting = client.connect();
      client.destroy();
      told.push("destroyed");
      await connecting;
      const seen = [client.isOpen, client.isReady];
      // So that no connection is left.
      await client.connect();
      client.destroy();
      return [seen, told];
    },
    real: [
      [false, true],
      ["end", "destroyed", "connect", "ready", "connect", "ready", "end"],
    ],
  },
  {
    name: "commands of a transaction by their words, and a command that is none",
    async play({ client }) {
      await client.connect();
      const words = ["XADD", "s", "1-0", "a", "1"];
      const seen = [
        await client.multi().addCommand(words).addCommand(["xlen", "s"]).execTyped(),
        await client.multi().addCommand(["xlen", "s"]).execAsPipelineTyped(),
        await outcomeOf(() => client.sendCommand(["Nothing", "x"])),
      ];
      client.destroy();
      return seen;
    },
    real: [
      ["1-0", 1],
      [1],
      {
        name: "Error",
        message: "ERR unknown command 'Nothing', with args beginning with: 'x' ",
      },
    ],
  },
  {
    name: "what the server gives as names and values is an object, in replies to words",
    async play({ client }) {
      await client.connect();
      await client.xAdd("orders", "1-0", { a: "1" });
      const group = ["XREADGROUP", "GROUP", "triggerer", "w", "STREAMS", "orders"];
      const sent = [
        ["xread", "COUNT", "1", "STREAMS", "orders", "0"],
        ["XREAD", "STREAMS", "orders", "9"],
        [...group, ">"],
        [...group, "0"],
        ["XINFO", "groups", "orders"],
        ["XRANGE", "orders", "-", "+"],
      ];
      const seen: unknown[] = [];
      for (const words of sent) seen.push(await client.sendCommand(words));
      const info = (await client.sendCommand(["XINFO", "STREAM", "orders"])) as object;
      const { length, "first-entry": first } = info as Record<string, unknown>;
      const read = ["XREAD", "STREAMS", "orders", "0"];
      seen.push([length, first], await client.multi().addCommand(read).exec());
      client.destroy();
      return seen;
    },
    real: [
      { orders: [ENTRY] },
      null,
      { orders: [ENTRY] },
      { orders: [ENTRY] },
      [
        {
          ...{ name: "triggerer", consumers: 1, pending: 1 },
          ...{ "last-delivered-id": "1-0", "entries-read": 1, lag: 0 },
        },
      ],
      [ENTRY],
      [1, ENTRY],
      [{ orders: [ENTRY] }],
    ],
  },
  {
    name: "what was sent right before destroy(), or is behind a blocking read, is not executed",
    async play({ client, pass }) {
      await client.connect();
      const [other, reader] = [client.duplicate(), client.duplicate()];
      for (const one of [other, reader]) await one.on("error", () => undefined).connect();
      const calls = [outcomeOf(() => other.xAdd("orders", "1-0", { a: "1" }))];
      other.destroy();
      calls.push(outcomeOf(() => reader.xRead({ key: "orders", id: "$" }, { BLOCK: 0 })));
      calls.push(outcomeOf(() => reader.xAdd("orders", "2-0", { a: "1" })));
      await pass(MEANWHILE_MS);
      reader.destroy();
      const seen = await Promise.all(calls);
      await pass(MEANWHILE_MS);
      const left = await client.xLen("orders");
      client.destroy();
      return [seen, left];
    },
    real: [[DESTROYED, DESTROYED, DESTROYED], 0],
  },
  {
    name: "a transaction with a command that its user may not run is discarded",
    async play({ client, operate }) {
      await client.connect();
      await operate("the user may not read groups for a while");
      const multi = client.multi().addCommand(["xadd", "k", "1-1", "a", "1"]);
      const outcome = await outcomeOf(() => multi.addCommand(["xack", "k", "g", "1-0"]).exec());
      const seen = [outcome, await client.xLen("k")];
      client.destroy();
      return seen;
    },
    real: [
      { name: "Error", message: "NOPERM this user has no permissions to run the 'xack' command" },
      0,
    ],
  },
  {
    name: "commands about no keys are sent, and refused",
    async play({ client }) {
      await client.connect();
      const seen = [
        await outcomeOf(() => client.del([])),
        await outcomeOf(() => client.unlink([])),
        await outcomeOf(() => client.exists([])),
      ];
      client.destroy();
      return seen;
    },
    real: ["del", "unlink", "exists"].map((name) => ({
      ...{ name: "Error", message: `ERR wrong number of arguments for '${name}' command` },
    })),
  },
  {
    name: "words that are no list, and a time that is no date",
    async play({ client }) {
      await client.connect();
      const seen: unknown[] = [];
      for (const words of [undefined, null, "PING", { length: 1, 0: "PING" }, Buffer.from("P")]) {
        const given = words as unknown as string[];
        for (const call of [
          () => client.sendCommand(given),
          () => client.multi().sendCommand(given).exec(),
          // The library's words for what is nothing are others here.
          ...(words ? [() => client.multi().addCommand(given).exec()] : []),
        ]) {
          seen.push(await outcomeOf(call));
        }
      }
      await client.xGroupCreate("orders", "g", "0", { MKSTREAM: true });
      for (const time of [{}, { getTime: () => 5 }, null, new Date(5)]) {
        const TIME = time as unknown as Date;
        seen.push(await outcomeOf(() => client.xClaim("orders", "g", "a", 0, "1-1", { TIME })));
      }
      seen.push(await multiOf(client).xLen("orders").ping().execAsPipeline());
      client.destroy();
      return seen;
    },
    real: [
      { name: "TypeError", message: "Cannot read properties of undefined (reading 'length')" },
      { name: "TypeError", message: "Cannot read properties of undefined (reading 'slice')" },
      { name: "TypeError", message: "Cannot read properties of null (reading 'length')" },
      { name: "TypeError", message: "Cannot read properties of null (reading 'slice')" },
      ...[1, 2, 3].map(() => ({
        name: "Error",
        message: "ERR unknown command 'P', with args beginning with: 'I' 'N' 'G' ",
      })),
      ...["PONG", { name: "TypeError", message: "args.slice is not a function" }, ["PONG"]],
      ...[1, 2, 3].map(() => ({
        name: "TypeError",
        message: '"arguments[0]" must be of type "string | Buffer", got number instead.',
      })),
      { name: "Error", message: "ERR Invalid TIME option argument for XCLAIM" },
      { name: "Error", message: "ERR Invalid TIME option argument for XCLAIM" },
      { name: "TypeError", message: "Cannot read properties of null (reading 'toString')" },
      ...[[], [0, "PONG"]],
    ],
  },
  {
    name: "a string takes over when the stream in its place would have expired",
    async play({ client, pass }) {
      await client.connect();
      await client.xAdd("a", "*", { ref: "1" });
      await client.expire("a", 100);
      const seen: unknown[] = [
        await client.set("a", "v", { KEEPTTL: true, condition: "NX" }),
        await client.set("a", "v", { KEEPTTL: true }),
        await client.ttl("a"),
        await client.type("a"),
      ];
      await client.xAdd("b", "*", { ref: "1" });
      await client.pExpire("b", 50);
      seen.push(await client.set("b", "v", { KEEPTTL: true, XX: true }));
      await pass(200);
      seen.push(await client.get("b"));
      client.destroy();
      return seen;
    },
    real: [null, "OK", 100, "string", "OK", null],
  },
];
