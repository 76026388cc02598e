import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { type Observation, type Observed, outcomeOf } from "./observation.ts";
import { REDIS_COLLECTIONS } from "./redis-collections.ts";
import { REDIS_COMMANDS } from "./redis-commands.ts";
import { REDIS_ENDINGS } from "./redis-endings.ts";
import { REDIS_NAMES } from "./redis-names.ts";
import { REDIS_ODDS } from "./redis-odd.ts";
import { REDIS_RARELY } from "./redis-rarely.ts";
import { REDIS_MISTAKES } from "./redis-mistakes.ts";

type Play = Observation<RedisClient>["play"];
type Line = [id: string, consumer: string, idle: number, deliveries: number];

const ERROR = "ReplyError ERR";
const GROUP = ["GROUP", "triggerer", "a"] as const;
const STREAMS = ["STREAMS", "orders", ">"] as const;

/** Reads the records as consumer `a`, and returns their ids. */
async function read(client: RedisClient): Promise<string[]> {
  const args = ["GROUP", "triggerer", "a", "COUNT", 10, "STREAMS", "orders", ">"] as const;
  const reply = await client.xreadgroup(...args);
  return reply?.[0]?.[1].map(([id]) => id) ?? [];
}

async function pending(client: RedisClient): Promise<Line[]> {
  return (await client.xpending("orders", "triggerer", "-", "+", 10)) as Line[];
}

function withPending(
  count: number,
  script: (client: RedisClient, ids: readonly string[]) => Promise<unknown>,
): Play {
  return async ({ client, publish, pass }) => {
    await publish(count);
    const ids = await read(client);
    await pass(20);
    return script(client, ids);
  };
}

async function words(call: () => unknown): Promise<string> {
  const { name, message } = (await outcomeOf(call)) as Error;
  return `${name}: ${message}`;
}

async function refusal(call: () => unknown): Promise<string> {
  const { name, message } = (await outcomeOf(call)) as Error;
  return `${name} ${message?.split(" ")[0]}`;
}

/** What ioredis showed on a Redis server. */
export const REDIS: Observed<RedisClient> = {
  server: "redis-server 7.0.15 with ioredis",
  observations: [
    REDIS_MISTAKES,
    ...REDIS_ODDS,
    {
      name: "XACK without an id, and of what is none",
      play: withPending(1, async (client) => [
        await refusal(() => client.xack("orders", "triggerer")),
        await refusal(() => client.xack("orders", "triggerer", "ref-000001")),
      ]),
      real: [ERROR, ERROR],
    },
    {
      name: "XPENDING behind an id",
      play: withPending(3, async (client, ids) => {
        const lines = await client.xpending("orders", "triggerer", `(${ids[0]}`, "+", 10);
        return (lines as Line[]).map(([id]) => ids.indexOf(id));
      }),
      real: [1, 2],
    },
    {
      name: "XCLAIM with RETRYCOUNT, IDLE and FORCE",
      play: withPending(2, async (client, ids) => {
        const [first = "", second = ""] = ids;
        await client.xclaim("orders", "triggerer", "b", 0, first, "RETRYCOUNT", 7);
        const [[, , , deliveries] = []] = await pending(client);
        await client.xclaim("orders", "triggerer", "b", 0, first, "IDLE", 60_000);
        const idle = (await pending(client))[0]?.[2] ?? 0;
        await client.xack("orders", "triggerer", second);
        const none = await client.xclaim("orders", "triggerer", "b", 0, second);
        const forced = await client.xclaim(
          "orders",
          "triggerer",
          "b",
          0,
          second,
          "FORCE",
          "JUSTID",
        );
        return [deliveries, idle >= 60_000, none.length, forced.length];
      }),
      real: [7, true, 0, 1],
    },
    {
      name: "XAUTOCLAIM with COUNT 0",
      play: withPending(1, (client) =>
        refusal(() => client.xautoclaim("orders", "triggerer", "b", 0, "0", "COUNT", 0)),
      ),
      real: ERROR,
    },
    {
      name: "deleted entries while they are pending",
      play: withPending(5, async (client, ids) => {
        await client.xdel("orders", ids[0], ids[2]);
        await client.xreadgroup("GROUP", "triggerer", "a", "STREAMS", "orders", "0");
        const counts = (await pending(client)).map(([, , , deliveries]) => deliveries);
        const [cursor, claimed, deleted] = (await client.xautoclaim(
          ...["orders", "triggerer", "b", 0, "0", "COUNT", 2],
        )) as [string, [string][], string[]];
        const at = (id: string): number => ids.indexOf(id);
        return [counts, at(cursor), claimed.map(([id]) => at(id)), deleted.map(at)];
      }),
      real: [[1, 2, 1, 2, 2], 2, [1], [0]],
    },
    {
      name: "deleted entries are dropped from the pending ones however short they were pending",
      play: withPending(3, async (client, ids) => {
        await client.xdel("orders", ids[0], ids[1]);
        const claimed = await client.xclaim("orders", "triggerer", "b", 60_000, ids[0]);
        const args = ["orders", "triggerer", "b", 60_000, "-"] as const;
        const [, , deleted] = (await client.xautoclaim(...args)) as [string, unknown, string[]];
        return [
          claimed.length,
          deleted.map((id) => ids.indexOf(id)),
          (await pending(client)).length,
        ];
      }),
      real: [0, [1], 1],
    },
    {
      name: "XAUTOCLAIM looks at ten entries for each that it may claim",
      play: async ({ client, publish }) => {
        await publish(12);
        const args = ["GROUP", "triggerer", "a", "STREAMS", "orders", ">"] as const;
        const ids = (await client.xreadgroup(...args))?.[0]?.[1].map(([id]) => id) ?? [];
        const [cursor] = await client.xautoclaim(
          ...["orders", "triggerer", "b", 60_000, "-", "COUNT", 1],
        );
        return ids.indexOf(cursor as string);
      },
      real: 10,
    },
    {
      name: "XCLAIM with FORCE counts as a second delivery",
      play: withPending(1, async (client, ids) => {
        await client.xack("orders", "triggerer", ids[0]);
        await client.xclaim("orders", "triggerer", "b", 0, ids[0], "FORCE");
        return (await pending(client)).map(([, , , deliveries]) => deliveries);
      }),
      real: [2],
    },
    {
      name: "trimming about a length empties a node that it need not keep",
      play: withPending(3, async (client) => [
        await client.xtrim("orders", "MAXLEN", "~", 0),
        await client.xlen("orders"),
      ]),
      real: [3, 0],
    },
    {
      name: "reads without a limit, ranges of a time and of no entries",
      play: async ({ client, publish }) => {
        await publish(2);
        const all = await client.xrange("orders", "-", "+");
        const time = all[1]?.[0].split("-")[0];
        const args = ["GROUP", "triggerer", "a", "COUNT", 0, "STREAMS", "orders", ">"] as const;
        return [
          (await client.xreadgroup(...args))?.[0]?.[1].length,
          (await client.xrange("orders", "-", time)).length,
          await client.xrange("orders", "-", "+", "COUNT", 0),
        ];
      },
      real: [2, 2, null],
    },
    {
      name: "trimming about a length takes whole nodes alone",
      play: withPending(3, async (client) => [
        await client.xtrim("orders", "MAXLEN", "~", 1),
        await client.xlen("orders"),
        typeof (await client.xadd("orders", "MAXLEN", "~", 1, "*", "name", "value")),
        await client.xlen("orders"),
        await client.xtrim("orders", "MAXLEN", 1),
      ]),
      real: [0, 3, "string", 4, 3],
    },
    {
      name: "XRANGE and XREVRANGE, paged behind an id",
      play: withPending(3, async (client, ids) => {
        const at = (entries: readonly (readonly [string, unknown])[]): number[] =>
          entries.map(([id]) => ids.indexOf(id));
        const whole = await client.xrange("orders", ids[0], ids[0]);
        return [
          at(await client.xrange("orders", "-", "+", "COUNT", 2)),
          at(await client.xrange("orders", `(${ids[0]}`, "+")),
          at(await client.xrevrange("orders", "+", "-", "COUNT", 2)),
          whole[0]?.[1]?.slice(0, 2),
          await client.xrange("nothing", "-", "+"),
          await refusal(() => client.xrange("orders", "x", "+")),
        ];
      }),
      real: [[0, 1], [1, 2], [2, 1], ["ref", "ref-000001"], [], ERROR],
    },
    {
      name: "XCLAIM with LASTID moves what the group reads next",
      play: async ({ client, publish }) => {
        await publish(3);
        const args = ["GROUP", "triggerer", "a", "COUNT", 1, "STREAMS", "orders", ">"] as const;
        await client.xreadgroup(...args);
        const ids = (await client.xrange("orders", "-", "+")).map(([id]) => id);
        await client.xclaim("orders", "triggerer", "a", 0, ids[0], "LASTID", ids[1]);
        const reply = await client.xreadgroup(...args);
        return reply?.[0]?.[1].map(([, fields]) => fields?.slice(0, 2));
      },
      real: [["ref", "ref-000003"]],
    },
    {
      name: "a connection's events and status",
      play: async ({ client, pass }) => {
        const other = client.duplicate();
        const seen: string[] = [];
        for (const event of ["connect", "ready", "close", "end"]) {
          other.on(event, () => void seen.push(event));
        }
        let once = 0;
        other.once("ready", () => void (once += 1));
        await pass(500);
        const status = [other.status];
        const again = await outcomeOf(() => other.connect());
        other.disconnect();
        await pass(500);
        return [seen, once, [...status, other.status], (again as Error).message];
      },
      real: [
        ["connect", "ready", "close", "end"],
        1,
        ["ready", "end"],
        "Redis is already connecting/connected",
      ],
    },
    {
      name: "XADD with MINID, NOMKSTREAM, and a name without a value",
      play: async ({ client }) => [
        typeof (await client.xadd("other", "MINID", "~", "5", "*", "name", "value")),
        await client.xadd("none", "NOMKSTREAM", "*", "name", "value"),
        await refusal(() => client.xadd("other", "*", "name")),
      ],
      real: ["string", null, ERROR],
    },
    {
      name: "quit() waits for a blocking read, and a second one is refused",
      async play({ client, pass }) {
        const other = client.duplicate();
        const read = outcomeOf(() => other.xreadgroup(...GROUP, "BLOCK", 200, ...STREAMS));
        await pass(20);
        const quit = other.quit();
        const late = await words(() => other.xlen("orders"));
        const replies = await Promise.all([read, quit]);
        await pass(50);
        return [replies, late, await words(() => other.quit())];
      },
      real: [["nothing", "OK"], "Error: Connection is closed.", "Error: Connection is closed."],
    },
    {
      name: "values without a type, ids and numbers out of range, options of XGROUP CREATE",
      async play({ client }) {
        const values = [null, undefined, true, ["a"]] as unknown as string[];
        for (const value of values) await client.xadd("other", "*", "name", value);
        const tooGreat = "18446744073709551616-0";
        return [
          (await client.xrange("other", "-", "+")).map(([, fields]) => fields),
          await words(() => client.xack("orders", "triggerer", tooGreat)),
          await words(() => client.xreadgroup(...GROUP, "BLOCK", -1, ...STREAMS)),
          await words(() => client.xreadgroup(...GROUP, "BLOCK", "x", ...STREAMS)),
          await client.xgroup("CREATE", "orders", "second", "0", "ENTRIESREAD", 3),
          await words(() => client.xgroup("CREATE", "orders", "third", "0", "NONE")),
          await words(() => client.xgroup("CREATE", "orders", "third", "0", "ENTRIESREAD", -2)),
        ];
      },
      real: [
        ["", "", "true", "a"].map((value) => ["name", value]),
        "ReplyError: ERR Invalid stream ID specified as stream command argument",
        "ReplyError: ERR timeout is negative",
        "ReplyError: ERR timeout is not an integer or out of range",
        "OK",
        "ReplyError: ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.",
        "ReplyError: ERR value for ENTRIESREAD must be positive or -1",
      ],
    },
    {
      name: "an error says which command it was, with its arguments as texts",
      async play({ client }) {
        const stream = ["STREAMS", "orders", "x"];
        const transaction = client.multi([
          ["xlen", "orders"],
          ["xadd", "orders", "*"],
        ]);
        const pipeline = client.pipeline([["xadd", "orders", "0-0", "a", 5]]);
        const queued = await commandOf(() => transaction.exec());
        const [piped] = await pipeline.exec();
        return [
          await commandOf(() => client.xtrim("orders", "MAXLEN", -1)),
          await commandOf(() => client.xadd("orders", "0-0", "a", null as never)),
          await commandOf(() => client.xreadgroup(...GROUP, "BLOCK", 50, ...stream)),
          queued,
          (piped?.[0] as { readonly command?: unknown } | undefined)?.command,
        ];
      },
      real: [
        { name: "xtrim", args: ["orders", "MAXLEN", "-1"] },
        { name: "xadd", args: ["orders", "0-0", "a", ""] },
        {
          name: "xreadgroup",
          args: ["GROUP", "triggerer", "a", "BLOCK", "50", "STREAMS", "orders", "x"],
        },
        { name: "exec", args: [] },
        { name: "xadd", args: ["orders", "0-0", "a", "5"] },
      ],
    },
    ...REDIS_COMMANDS,
    ...REDIS_NAMES,
    ...REDIS_COLLECTIONS,
    ...REDIS_RARELY,
    ...REDIS_ENDINGS,
  ],
};

/** What a refused call's error has for the command. */
async function commandOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return (error as { readonly command?: unknown }).command;
  }
}
