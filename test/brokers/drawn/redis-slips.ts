import * as fc from "fast-check";
import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import type { ObservedStage } from "../observed/observation.ts";
import { type Drawn, mostly } from "./odd-values.ts";
import {
  type Command,
  filledBy,
  playRedis,
  redisProgram,
  type RedisStep,
  stateOf,
} from "./redis-slips-program.ts";
import { REDIS_SLIPS_COLLECTIONS } from "./redis-slips-collections.ts";
import { c, maybe, none, odd, of, type Words, words } from "./redis-slips-words.ts";
import { named } from "./slips-steps.ts";

const stream = of("orders", "orders", "orders", "orders", "other", "none", "text");
const group = of("triggerer", "triggerer", "triggerer", "second", "none");
const consumer = of("c1", "c2");
const known = fc.nat({ max: 5 }).map((at) => named(`id ${at + 1}`));
const id = fc.oneof(
  { weight: 8, arbitrary: known },
  { weight: 2, arbitrary: of("0", "0-0", "5-5", "nonsense", "", "$", ">", "*", "1-1-1", "-1-1") },
);
const start = fc.oneof(of("-", "-", "0"), known, of(named("after 1")));
const end = fc.oneof(of("+", "+"), known, of(named("after 2")));
const key = of("text", "text", "number", "orders", "none");
const count = of(1, 2, 10, 10, 0, -1, "5", "x", 1.5);
const idle = of(0, 0, 0, 0, 60_000, -1, "x", 1.5);
const block = of(1, 20, 20, 20, 0, -1, "x", 1.5);
const value = of("v", "1", "", "größe", 7, named("buffer"));
const ids = fc.array(id, { maxLength: 2 });
const pairs = fc.oneof(
  { weight: 6, arbitrary: words("ref", value) },
  { weight: 2, arbitrary: words("ref", value, "key", value) },
  { weight: 1, arbitrary: words("ref") },
  { weight: 1, arbitrary: none },
);
const trimming = words(
  of("MAXLEN", "MAXLEN", "maxlen", "MINID"),
  maybe(of("~", "=")),
  fc.oneof(of(0, 1, 2, 5, -1, "x"), id),
  maybe("LIMIT", count),
);

const COMMANDS: readonly (readonly [weight: number, name: string, Words])[] = [
  [
    9,
    "xadd",
    words(stream, maybe("NOMKSTREAM"), maybe(trimming), fc.oneof(of("*"), of("*"), id), pairs),
  ],
  [4, "xreadgroup", words("GROUP", group, consumer, maybe("COUNT", count), "STREAMS", stream, ">")],
  [
    6,
    "xreadgroup",
    words(
      ...["GROUP", group, consumer, maybe("COUNT", count), maybe("BLOCK", block), maybe("NOACK")],
      ...["STREAMS", stream, maybe(stream), fc.oneof(of(">"), of(">"), id), maybe(of(">", "0"))],
    ),
  ],
  [
    4,
    "xread",
    words(
      maybe("COUNT", count),
      maybe("BLOCK", block),
      "STREAMS",
      stream,
      fc.oneof(of("$", "0"), id),
    ),
  ],
  [4, "xack", words(stream, group, ids)],
  [
    3,
    "xclaim",
    words(
      ...[stream, group, consumer, idle, ids, maybe("IDLE", idle), maybe("TIME", idle)],
      ...[maybe("RETRYCOUNT", count), maybe("FORCE"), maybe("JUSTID"), maybe("LASTID", id)],
    ),
  ],
  [
    3,
    "xautoclaim",
    words(stream, group, consumer, idle, start, maybe("COUNT", count), maybe("JUSTID")),
  ],
  [2, "xpending", words(stream, group)],
  [3, "xpending", words(stream, group, maybe("IDLE", idle), start, end, count, maybe(consumer))],
  [2, "xdel", words(stream, ids)],
  [2, "xtrim", words(stream, trimming)],
  [1, "xlen", words(stream)],
  [2, "xrange", words(stream, start, end, maybe("COUNT", count))],
  [1, "xrevrange", words(stream, end, start, maybe("COUNT", count))],
  [
    3,
    "xgroup",
    words(
      of("CREATE", "create"),
      stream,
      group,
      fc.oneof(of("$", "0"), id),
      maybe("MKSTREAM"),
      maybe("ENTRIESREAD", count),
    ),
  ],
  [
    1,
    "xgroup",
    words("SETID", stream, group, fc.oneof(of("$", "0"), id), maybe("ENTRIESREAD", count)),
  ],
  [2, "xgroup", words("DESTROY", stream, group)],
  [2, "xgroup", words(of("CREATECONSUMER", "DELCONSUMER"), stream, group, consumer)],
  [1, "xinfo", words("STREAM", stream)],
  [1, "xinfo", words("GROUPS", stream)],
  [1, "xinfo", words("CONSUMERS", stream, group)],
  [1, "xsetid", words(stream, id, maybe("ENTRIESADDED", count), maybe("MAXDELETEDID", id))],
  [
    3,
    "set",
    words(
      key,
      value,
      maybe(of("EX", "PX", "EXAT", "PXAT"), of(100_000, 0, -1, 1.5, "x")),
      maybe(of("NX", "XX", "nx")),
      maybe("GET"),
      maybe("KEEPTTL"),
    ),
  ],
  [2, "get", words(key)],
  [1, "getdel", words(key)],
  [1, "setnx", words(key, value)],
  [1, "setex", words(key, of(100, 0, -1, "x", 1.5), value)],
  [1, "psetex", words(key, of(100_000, 0, -1, "x", 1.5), value)],
  [2, "incr", words(key)],
  [1, "decr", words(key)],
  [1, "incrby", words(key, of(2, -2, "x", 1.5))],
  [1, "decrby", words(key, of(2, -2, "x", 1.5))],
  [2, "expire", words(key, of(100, 0, -1, "x", 1.5), maybe(of("NX", "XX", "GT", "LT", "x")))],
  [1, "pexpire", words(key, of(100_000, 0, -1, "x", 1.5))],
  [1, "ttl", words(key)],
  [2, "del", fc.array(key, { maxLength: 2 })],
  [1, "unlink", words(key)],
  [1, "exists", words(key, maybe(key))],
  [1, "type", words(key)],
  [1, "ping", maybe(value)],
  ...REDIS_SLIPS_COLLECTIONS,
];

/** What is right most of the time: a word may be another, away, or there twice. */
function slipped(right: Words): Words {
  const slip = fc.oneof(
    fc.tuple(c("odd" as const), fc.nat(), odd),
    fc.tuple(c("away" as const), fc.nat(), c<Drawn>(null)),
    fc.tuple(c("twice" as const), fc.nat(), c<Drawn>(null)),
    fc.tuple(c("more" as const), fc.nat(), odd),
    fc.tuple(c("list" as const), fc.nat(), c<Drawn>(null)),
  );
  return fc.oneof(
    { weight: 5, arbitrary: right },
    {
      weight: 1,
      arbitrary: fc.tuple(right, slip).map(([all, [how, nth, other]]) => {
        if (how === "more" || all.length === 0) return [...all, other];
        const at = nth % all.length;
        const word = all[at] as Drawn;
        if (how === "odd") return all.with(at, other);
        if (how === "away") return all.toSpliced(at, 1);
        if (how === "twice") return all.toSpliced(at, 0, word);
        return [...all.slice(0, at), all.slice(at)];
      }),
    },
    { weight: 1, arbitrary: right.map((all) => [...all, named("callback")]) },
  );
}

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.oneof(
      ...COMMANDS.map(([weight, name, right]) => ({
        weight,
        arbitrary: slipped(right).map((given): Command => [name, given]),
      })),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      ...COMMANDS.map(([weight, name, right]) => ({
        weight,
        arbitrary: slipped(right).chain((given) =>
          of(name, name.toUpperCase(), "nosuch").map((by): Command => ["call", [by, ...given]]),
        ),
      })),
    ),
  },
);
const EVENTS = of("ready", "connect", "close", "end", "error", "nosuch");
const life: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: c<Command>(["quit", []]) },
  { weight: 2, arbitrary: c<Command>(["disconnect", []]) },
  { weight: 1, arbitrary: mostly(c(false), 30).map((given): Command => ["disconnect", [given]]) },
  { weight: 3, arbitrary: c<Command>(["connect", []]) },
  { weight: 1, arbitrary: c<Command>(["connect", [named("callback")]]) },
  { weight: 1, arbitrary: c<Command>(["quit", [named("callback")]]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(of("on", "once", "off", "addListener"), EVENTS, mostly(c(named("callback"))))
      .map(([name, event, listener]): Command => [name as string, [event, listener]]),
  },
  { weight: 1, arbitrary: EVENTS.map((event): Command => ["listenerCount", [event]]) },
);
const begin: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Command>(["multi", []], ["pipeline", []]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(of("multi", "pipeline"), fc.array(command, { maxLength: 3 }))
      .map(([name, list]): Command => [
        name as string,
        [list.map(([one, given]): Drawn => [one, ...given])],
      ]),
  },
);

/** By ioredis. */
export const REDIS_SLIPS = {
  program: redisProgram({
    filled: filledBy(["xadd", ["orders", "*", "ref", "v"]]),
    ...{ command, life, begin },
    fields: ["status", "mode"],
    made: fc.constantFrom<readonly Drawn[]>([], [], [{ lazyConnect: true }], [{}], [null]),
    chained: fc.oneof(
      { weight: 12, arbitrary: command },
      { weight: 1, arbitrary: fc.constantFrom<Command>(["exec", []], ["nosuch", []]) },
    ),
    end: fc.oneof(
      { weight: 5, arbitrary: c<Command>(["exec", []]) },
      { weight: 1, arbitrary: c<Command>(["exec", [named("callback")]]) },
    ),
  }),
  async play(
    stage: ObservedStage<RedisClient>,
    steps: readonly RedisStep[],
  ): Promise<readonly unknown[]> {
    return await playRedis(stage, steps, {
      events: ["connecting", "connect", "ready", "close", "reconnecting", "end", "error"],
      stateBy: (client) =>
        stateOf(
          client,
          [
            ["xrange", "orders", "-", "+"],
            ["xrange", "other", "-", "+"],
            ["xinfo", "GROUPS", "orders"],
            ["xpending", "orders", "triggerer", "-", "+", "20"],
            ["get", "text"],
            ["get", "number"],
          ],
          [
            ["hgetall", "hash"],
            ["lrange", "list", 0, -1],
            ["scard", "set"],
            ["zrange", "zset", 0, -1, "WITHSCORES"],
          ],
        ),
      close: (client) => client["disconnect"]?.(),
    });
  },
};
