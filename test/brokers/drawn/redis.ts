import * as fc from "fast-check";
import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { outcomeOf } from "../observed/observation.ts";
import type { DrawnSequences } from "./drawn.ts";
import { REDIS_COLLECTIONS, withoutOrder } from "./redis-collections.ts";
import { type Command, command, maybe, type Weighted, words } from "./redis-words.ts";

/** Idle times are told as under or over this. */
const IDLE_MS = 30_000;
const LONG_IDLE_MS = 60_000;

const stream = fc.constantFrom("orders", "orders", "orders", "other", "none");
const group = fc.constantFrom("triggerer", "triggerer", "triggerer", "second");
const consumer = fc.constantFrom("a", "b");
const entry = fc
  .oneof({ arbitrary: fc.nat({ max: 8 }), weight: 9 }, fc.nat({ max: 200 }))
  .map((at) => `#${at + 1}`);
const id = fc.oneof(
  { arbitrary: entry, weight: 8 },
  { arbitrary: fc.constantFrom("0", "0-0", "5-5", "nonsense", ""), weight: 1 },
);
const start = fc.oneof(
  fc.constantFrom("-", "-", "-", "0"),
  id,
  entry.map((one) => `(${one}`),
);
const end = fc.oneof(
  fc.constantFrom("+", "+", "+"),
  id,
  entry.map((one) => `(${one}`),
);
const key = fc.constantFrom("text", "text", "other", "orders");
const count = fc.constantFrom(1, 2, 3, 10, 0, -1, "x");
const idle = fc.constantFrom(0, 0, 0, IDLE_MS, -1, "x");

const ids = fc.array(id, { maxLength: 3 });
const trimming = fc.oneof(
  command("MAXLEN", maybe("="), fc.constantFrom(0, 1, 2, 5, "x")),
  command(
    "MAXLEN",
    "~",
    fc.constantFrom(0, 1, 5, 50),
    maybe("LIMIT", fc.constantFrom(0, 1, 100, -1)),
  ),
  command("MINID", maybe("="), id),
);

const COMMANDS: Weighted = [
  [8, command("xadd", stream, "*", "name", "value")],
  [1, command("xadd", stream, maybe("NOMKSTREAM"), trimming, "*", "name", "value")],
  [1, command("xadd", stream, fc.oneof(words("*"), words("*", "name")))],
  [
    8,
    command(
      ...["xreadgroup", "GROUP", group, consumer, maybe("COUNT", count), maybe("NOACK"), "STREAMS"],
      ...["orders", fc.oneof({ arbitrary: fc.constant(">"), weight: 3 }, id)],
    ),
  ],
  [
    2,
    command(
      ...["xreadgroup", "GROUP", "triggerer", consumer, maybe("COUNT", count), "STREAMS"],
      ...["orders", "other", fc.constantFrom(">", "0"), fc.constantFrom(">", "0")],
    ),
  ],
  [
    1,
    command("xreadgroup", fc.array(fc.constantFrom("GROUP", "a", "STREAMS", "orders", "$", ">"))),
  ],
  // More than one node of a stream.
  [1, command("publish", fc.constantFrom(60, 120))],
  [4, command("xack", stream, group, ids)],
  [
    4,
    command(
      ...["xclaim", stream, group, consumer, idle, ids],
      ...[maybe("IDLE", fc.constantFrom(0, LONG_IDLE_MS, -1)), maybe("TIME", 1)],
      ...[maybe("RETRYCOUNT", fc.constantFrom(0, 7, -1)), maybe("FORCE"), maybe("JUSTID")],
      ...[maybe("LASTID", id)],
    ),
  ],
  [
    4,
    command(
      ...["xautoclaim", stream, group, consumer, idle, start],
      ...[maybe("COUNT", count), maybe("JUSTID")],
    ),
  ],
  [2, command("xpending", stream, group)],
  [
    4,
    command(
      ...["xpending", stream, group, maybe("IDLE", idle), start, end, count],
      ...[maybe(consumer)],
    ),
  ],
  [3, command("xdel", stream, ids)],
  [2, command("xtrim", stream, trimming)],
  [1, command("xlen", stream)],
  [3, command("xrange", stream, start, end, maybe("COUNT", count))],
  [2, command("xrevrange", stream, end, start, maybe("COUNT", count))],
  [2, command("xgroup", "CREATE", stream, group, fc.oneof(id, words("$")), maybe("MKSTREAM"))],
  [2, command("xgroup", "SETID", stream, group, fc.oneof(id, words("$")))],
  [1, command("xgroup", "DESTROY", stream, group)],
  [2, command("xread", maybe("COUNT", count), "STREAMS", stream, fc.oneof(id, words("$", ">")))],
  [1, command("xadd", "other", fc.constantFrom("1-1", "5-*", "0-0", "7", "x-*"), "name", "value")],
  [1, command("xsetid", stream, id)],
  [2, command("xinfo", "GROUPS", stream)],
  // A stream that is made again may have its old ids, if that is soon enough: none is deleted.
  [1, command("set", "text", fc.constantFrom("5", "x"), maybe("NX"), maybe("GET"))],
  [1, command("set", key, "x", "GET")],
  [1, command(fc.constantFrom("get", "getdel", "incr", "decr", "type", "exists", "ttl"), key)],
  [1, command(fc.constantFrom("incrby", "decrby"), key, fc.constantFrom(2, -2, "x"))],
  [1, command("del", "text", "no-key")],
  [2, command("xgroup", fc.constantFrom("CREATECONSUMER", "DELCONSUMER"), stream, group, consumer)],
  ...REDIS_COLLECTIONS,
];

/** Commands of streams, consumer groups and all other kinds, right and wrong ones. */
export const REDIS_COMMANDS: DrawnSequences<RedisClient, Command> = {
  operation: fc.oneof(...COMMANDS.map(([weight, arbitrary]) => ({ weight, arbitrary }))),
  operationsMax: 40,
  async play({ client, publish, pass }, commands) {
    const calls = client as unknown as Record<string, (...words: Command) => Promise<unknown>>;
    const streams = new Map<string, string[]>();
    const seen: unknown[] = [];
    let grown = "";
    for (const [name = "", ...given] of commands) {
      const stream = STREAM_AT[name] === undefined ? "orders" : String(given[STREAM_AT[name]]);
      if (name === "xadd" || name === "publish") {
        if (stream !== grown) await pass(NEXT_MS);
        grown = stream;
      }
      // What is set back may give an id again within the millisecond in which it gave it first.
      if (name === "xsetid") grown = "";
      const added = streams.get(stream) ?? [];
      streams.set(stream, added);
      const args = given.map((word) => idIn(word, added));
      if (name === "publish") {
        await publish(Number(given[0]));
        const all = await client.xrange("orders", "-", "+");
        streams.set("orders", [...new Set([...added, ...all.map(([one]) => one)])]);
        continue;
      }
      const outcome = await outcomeOf(() => calls[name]?.(...args));
      if (name === "xadd" && ID.test(String(outcome))) added.push(String(outcome));
      const told =
        name === "xpending" ? withoutTimes(outcome) : withoutOrder(String(name), args, outcome);
      seen.push(withoutIds(told, added, streams));
    }
    return seen;
  },
};

/** Where among its arguments a command has its stream; XREADGROUP has several. */
const STREAM_AT: Readonly<Record<string, number>> = {
  ...{ xadd: 0, xack: 0, xclaim: 0, xautoclaim: 0, xpending: 0, xdel: 0, xtrim: 0, xlen: 0 },
  ...{ xrange: 0, xrevrange: 0, xgroup: 1, xinfo: 1, xsetid: 0 },
};
const ID = /^\d+-\d+$/;
/** Within a millisecond two streams may give the same id to what is added to them. */
const NEXT_MS = 2;

function idIn(word: string | number, added: readonly string[]): string | number {
  const [, before = "", at] = /^(\(?)#(\d+)$/.exec(String(word)) ?? [];
  return at === undefined ? word : `${before}${added[Number(at) - 1] ?? `${at}-1`}`;
}

/** Ids depend on the time: tells the entries of each stream by when they were added. */
function withoutIds(
  value: unknown,
  added: readonly string[],
  streams: ReadonlyMap<string, readonly string[]>,
): unknown {
  if (Array.isArray(value)) {
    const [key] = value as unknown[];
    const own = typeof key === "string" ? streams.get(key) : undefined;
    return value.map((one) => withoutIds(one, own ?? added, streams));
  }
  const at = added.indexOf(value as string);
  return at === -1 ? value : `#${at + 1}`;
}

/** The long form of XPENDING tells how long each entry was idle. */
function withoutTimes(outcome: unknown): unknown {
  if (!Array.isArray(outcome)) return outcome;
  return outcome.map((line: unknown) =>
    Array.isArray(line) && typeof line[2] === "number" ? line.with(2, line[2] < IDLE_MS) : line,
  );
}
