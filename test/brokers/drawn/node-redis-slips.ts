import * as fc from "fast-check";
import type { NodeRedisClient } from "../../../sim/brokers/redis/node-redis-client.ts";
import type { ObservedStage } from "../observed/observation.ts";
import { type Drawn, fields, mostly } from "./odd-values.ts";
import {
  type Command,
  filledBy,
  playRedis,
  redisProgram,
  type RedisStep,
  stateOf,
} from "./redis-slips-program.ts";
import { NODE_REDIS_SLIPS_COLLECTIONS } from "./node-redis-slips-collections.ts";
import { flag, type Given, given, of, often, options } from "./node-redis-slips-words.ts";
import { named } from "./slips-steps.ts";

const c = fc.constant;

const stream = often(of("orders", "orders", "orders", "orders", "other", "none", "text"));
const group = often(of("triggerer", "triggerer", "triggerer", "second", "none"));
const consumer = often(of("c1", "c2"));
const known = fc.nat({ max: 5 }).map((at) => named(`id ${at + 1}`));
const id = often(
  fc.oneof(
    { weight: 8, arbitrary: known },
    { weight: 2, arbitrary: of("0", "0-0", "5-5", "nonsense", "", "$", ">", "*") },
  ),
);
const ids = fc.oneof(id, often(fc.array(id, { maxLength: 2 })));
const start = often(fc.oneof(of("-", "-", "0"), known, of(named("after 1"))));
const end = often(fc.oneof(of("+", "+"), known, of(named("after 2"))));
const key = often(of("text", "text", "number", "orders", "none"));
const keys = fc.oneof(key, often(fc.array(key, { maxLength: 2 })));
const count = often(of(1, 2, 10, 10, 0, -1, "5", "x", 1.5));
const idle = often(of(0, 0, 0, 0, 60_000, -1, "x", 1.5));
const block = often(of(1, 20, 20, 20, 0, -1, "x", 1.5));
const value = often(of("v", "1", "", "größe", named("buffer")), 12);
const message = often(fields({ ref: value }, { key: value }, 3), 20);
const modifier = of("~", "=");
const trim = often(
  fields(
    { strategy: often(of("MAXLEN", "MINID")), threshold: often(of(0, 1, 5, "0")) },
    { strategyModifier: often(modifier), limit: count },
    2,
  ),
);
const read = often(fields({ key: stream, id: often(fc.oneof(of(">", ">", ">"), id)) }));
const plain = often(fields({ key: stream, id: often(fc.oneof(of("$", "0"), id)) }));
const listed = (one: fc.Arbitrary<Drawn>): fc.Arbitrary<Drawn> =>
  fc.oneof(
    { weight: 3, arbitrary: one },
    { weight: 2, arbitrary: fc.array(one, { maxLength: 2 }) },
  );
const add = options({ TRIM: trim, NOMKSTREAM: flag });
const claim = options({ IDLE: idle, TIME: idle, RETRYCOUNT: count, FORCE: flag, LASTID: id });
const counted = options({ COUNT: count });
const seconds = often(of(100, 100, 0, -1, "x", 1.5));

const METHODS: Readonly<Record<string, readonly [weight: number, Given]>> = {
  xAdd: [9, given(3, stream, often(fc.oneof(of("*", "*", "*"), id)), message, add)],
  xAddNoMkStream: [1, given(3, stream, often(of("*")), message, add)],
  xReadGroup: [
    10,
    given(3, group, consumer, listed(read), options({ COUNT: count, BLOCK: block, NOACK: flag })),
  ],
  xRead: [4, given(1, listed(plain), options({ COUNT: count, BLOCK: block }))],
  xAck: [5, given(3, stream, group, ids)],
  xClaim: [3, given(5, stream, group, consumer, idle, ids, claim)],
  xClaimJustId: [1, given(5, stream, group, consumer, idle, ids, claim)],
  xAutoClaim: [4, given(5, stream, group, consumer, idle, start, counted)],
  xAutoClaimJustId: [1, given(5, stream, group, consumer, idle, start, counted)],
  xPending: [2, given(2, stream, group)],
  xPendingRange: [4, given(5, stream, group, start, end, count, options({ IDLE: idle, consumer }))],
  xDel: [2, given(2, stream, ids)],
  xTrim: [
    2,
    given(
      3,
      stream,
      often(of("MAXLEN", "MINID")),
      often(of(0, 1, 5, "0")),
      options({
        strategyModifier: often(modifier),
        LIMIT: count,
      }),
    ),
  ],
  xLen: [1, given(1, stream)],
  xRange: [2, given(3, stream, start, end, counted)],
  xRevRange: [1, given(3, stream, end, start, counted)],
  xGroupCreate: [
    4,
    given(3, stream, group, often(of("$", "0")), options({ MKSTREAM: flag, ENTRIESREAD: count })),
  ],
  xGroupSetId: [
    1,
    given(3, stream, group, often(fc.oneof(of("$", "0"), id)), options({ ENTRIESREAD: count })),
  ],
  xGroupDestroy: [2, given(2, stream, group)],
  xGroupCreateConsumer: [1, given(3, stream, group, consumer)],
  xGroupDelConsumer: [2, given(3, stream, group, consumer)],
  xInfoStream: [1, given(1, stream)],
  xInfoGroups: [1, given(1, stream)],
  xInfoConsumers: [1, given(2, stream, group)],
  xSetId: [1, given(2, stream, id, options({ ENTRIESADDED: count, MAXDELETEDID: id }))],
  set: [
    4,
    given(
      2,
      key,
      fc.oneof(value, of(7, 0)),
      options({
        ...{
          EX: seconds,
          PX: seconds,
          EXAT: seconds,
          KEEPTTL: flag,
          NX: flag,
          XX: flag,
          GET: flag,
        },
        condition: often(of("NX", "XX", "nx")),
        expiration: often(
          fc.oneof(
            fields({ type: often(of("EX", "PX", "KEEPTTL")), value: seconds }),
            of("KEEPTTL"),
          ),
        ),
      }),
    ),
  ],
  get: [2, given(1, key)],
  getDel: [1, given(1, key)],
  setNX: [1, given(2, key, value)],
  setEx: [1, given(3, key, seconds, value)],
  pSetEx: [1, given(3, key, often(of(100_000, 0, -1)), value)],
  incr: [2, given(1, key)],
  decr: [1, given(1, key)],
  incrBy: [1, given(2, key, often(of(2, -2, "x", 1.5)))],
  decrBy: [1, given(2, key, often(of(2, -2, "x", 1.5)))],
  expire: [2, given(2, key, seconds, often(of("NX", "XX", "GT", "LT")))],
  pExpire: [1, given(2, key, often(of(100_000, 0, -1)), often(of("NX", "XX")))],
  ttl: [1, given(1, key)],
  del: [2, given(1, keys)],
  unlink: [1, given(1, keys)],
  exists: [1, given(1, keys)],
  type: [1, given(1, key)],
  ping: [1, given(0, value)],
  ...NODE_REDIS_SLIPS_COLLECTIONS,
};
const word = fc.oneof({ weight: 3, arbitrary: known }, { weight: 4, arbitrary: value });
// Never what is no list: the library writes it as it is, which a server takes for a broken protocol.
const sent: fc.Arbitrary<Command> = fc
  .oneof(
    fc.tuple(of("XADD", "xadd"), stream, of("*"), of("ref"), value),
    fc.tuple(of("XREADGROUP"), of("GROUP"), group, consumer, of("STREAMS"), stream, of(">")),
    fc.tuple(of("XACK", "GET", "nosuch"), stream, word),
    fc.tuple(of("XINFO"), of("STREAM", "GROUPS"), stream),
    fc.tuple(of("XRANGE"), stream, of("-"), of("+")),
    fc.tuple(of("HGETALL", "hgetall", "LLEN", "SCARD"), of("hash", "list", "set", "zset")),
    fc.tuple(of("ZADD"), of("zset", "text"), of("CH", "INCR", "NX"), of("1", "2.5"), of("a", "b")),
    fc.tuple(of("ZRANGE", "ZREVRANGE"), of("zset"), of("0"), of("-1"), of("WITHSCORES")),
    fc.tuple(of("ZMSCORE", "ZSCORE", "ZRANK"), of("zset"), of("a")),
    fc.tuple(of("ZPOPMIN", "ZPOPMAX"), of("zset"), of("1", "2")),
    fc.tuple(of("ZPOPMIN", "ZCARD"), of("zset")),
    fc.tuple(of("ZMPOP"), of("1"), of("zset"), of("MIN")),
    fc.tuple(of("ZINCRBY"), of("zset"), of("0.1"), of("a")),
  )
  .map((list): Command => ["sendCommand", [list]]);
const command: fc.Arbitrary<Command> = fc.oneof(
  ...Object.entries(METHODS).map(([name, [weight, args]]) => ({
    weight: weight * 4,
    arbitrary: args.map((drawn): Command => [name, drawn]),
  })),
  { weight: 6, arbitrary: sent },
  { weight: 2, arbitrary: given(2, stream, group).map((drawn): Command => ["XPENDING", drawn]) },
);
const EVENTS = of("ready", "connect", "end", "error", "nosuch");
const life: fc.Arbitrary<Command> = fc.oneof(
  ...(["close", "quit", "destroy", "disconnect"] as const).map((name) => ({
    weight: 2,
    arbitrary: c<Command>([name, []]),
  })),
  { weight: 5, arbitrary: c<Command>(["connect", []]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(of("on", "once", "off", "addListener"), EVENTS, mostly(c(named("callback"))))
      .map(([name, event, listener]): Command => [name as string, [event, listener]]),
  },
  { weight: 1, arbitrary: EVENTS.map((event): Command => ["listenerCount", [event]]) },
);

/** By node-redis. */
export const NODE_REDIS_SLIPS = {
  program: redisProgram({
    filled: [
      ["call", "a", ["connect", []]],
      ["call", "b", ["connect", []]],
      ...filledBy(["xAdd", ["orders", "*", { ref: "v" }]]),
    ],
    ...{ command, life },
    fields: ["isOpen", "isReady"],
    made: c([]),
    begin: c<Command>(["multi", []]),
    end: fc.constantFrom<Command>(
      ["exec", []],
      ["exec", []],
      ["exec", []],
      ["execAsPipeline", []],
      ["exec", [true]],
    ),
    chained: fc.oneof(
      { weight: 12, arbitrary: command.filter(([name]) => name !== "sendCommand") },
      { weight: 1, arbitrary: fc.constantFrom<Command>(["exec", []], ["nosuch", []]) },
      {
        weight: 1,
        arbitrary: sent.map(([, list]): Command => ["addCommand", list]),
      },
    ),
  }),
  async play(
    stage: ObservedStage<NodeRedisClient>,
    steps: readonly RedisStep[],
  ): Promise<readonly unknown[]> {
    return await playRedis(stage, steps, {
      events: ["connect", "ready", "reconnecting", "end", "error"],
      async stateBy(client) {
        await client["connect"]?.();
        return await stateOf(
          client,
          [
            ["xRange", "orders", "-", "+"],
            ["xRange", "other", "-", "+"],
            ["xInfoGroups", "orders"],
            ["xPendingRange", "orders", "triggerer", "-", "+", 20],
            ["get", "text"],
            ["get", "number"],
          ],
          [
            ["hGetAll", "hash"],
            ["lRange", "list", 0, -1],
            ["sCard", "set"],
            ["zRangeWithScores", "zset", 0, -1],
          ],
        );
      },
      close(client) {
        if ((client as { readonly isOpen?: unknown }).isOpen === true) client["destroy"]?.();
      },
    });
  },
};
