import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { redis } from "../../../sim/brokers/redis/model.ts";
import type { Dice } from "../../../sim/choices/dice.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = Actor<RedisClient>;
type Word = string | number;
type Calls = Record<string, (...words: Word[]) => Promise<unknown>>;

const PAUSES_MS = [0, 0, 0, 1, 20, 300, 2_500];
const EVENTS = ["connect", "ready", "error", "close", "reconnecting", "end"];
const STREAMS = ["orders", "orders", "orders", "orders:dead", "own"];

/** Where a command that waits for entries may stand: on a connection of its own. */
function readFrom(dice: Dice): readonly [string, ...Word[]] {
  const block = dice.from([[], ["BLOCK", dice.from([1, 700, 4_000])]]);
  const count = dice.from([[], ["COUNT", 1 + dice.below(3)]]);
  const [stream, other] = [dice.from(STREAMS), dice.from(STREAMS)];
  if (dice.oneIn(4)) {
    return ["xread", ...count, ...block, "STREAMS", stream, other, dice.from(["$", "0"]), "$"];
  }
  const consumer = dice.from(["a", "b"]);
  const noAck = dice.oneIn(6) ? ["NOACK"] : [];
  const from = dice.from([">", ">", ">", "0"]);
  const words = ["GROUP", "triggerer", consumer, ...count, ...block, ...noAck, "STREAMS"];
  return ["xreadgroup", ...words, stream, from];
}

function commandFrom(dice: Dice, ids: readonly string[]): readonly [string, ...Word[]] {
  const stream = dice.from(STREAMS);
  const [id, other] = [dice.from(["0-0", ...ids]), dice.from(["5-5", ...ids])];
  const [consumer, key] = [dice.from(["a", "b"]), dice.from(["text", "lock", "other"])];
  const group = dice.from(["triggerer", "triggerer", "second"]);
  const idle = dice.from([0, 0, 500, 3_000]);
  switch (dice.below(24)) {
    case 0:
    case 1:
    case 2:
      return ["xadd", stream, "*", "ref", "ref-000001"];
    case 3:
      return ["xadd", stream, dice.from(["MAXLEN", "MINID"]), dice.from([id, 3]), "*", "a", "b"];
    case 4:
    case 5:
    case 6:
      return ["xack", stream, group, id, other];
    case 7:
      return ["xclaim", stream, group, consumer, idle, id, other, ...dice.from([[], ["JUSTID"]])];
    case 8:
      return ["xclaim", stream, group, consumer, idle, id, "IDLE", 900, "RETRYCOUNT", 3, "FORCE"];
    case 9:
      return ["xautoclaim", stream, group, consumer, idle, id, "COUNT", 1 + dice.below(3)];
    case 10:
      return ["xpending", stream, group, ...dice.from([[], ["IDLE", idle, "-", "+", 9, consumer]])];
    case 11:
      return ["xdel", stream, id, other];
    case 12:
      return ["xtrim", stream, "MAXLEN", ...dice.from([["~"], ["="], []]), dice.below(9)];
    case 13:
      return [dice.from(["xrange", "xrevrange"]), stream, dice.from(["-", "+", id]), "+"];
    case 14:
      return ["xgroup", "CREATE", stream, group, dice.from(["$", "0", id]), "MKSTREAM"];
    case 15:
      return ["xgroup", "SETID", stream, group, dice.from(["$", "0", id])];
    case 16:
      return ["xgroup", dice.from(["CREATECONSUMER", "DELCONSUMER"]), stream, group, consumer];
    case 17:
      return ["xinfo", dice.from(["GROUPS", "STREAM"]), stream];
    case 18:
      return ["xinfo", "CONSUMERS", stream, group];
    case 19:
      return ["set", key, dice.below(3), ...dice.from([[], ["NX"], ["PX", 900], ["EX", 2, "XX"]])];
    case 20:
      return [dice.from(["get", "ttl", "pttl", "type", "exists", "incr", "getdel"]), key];
    case 21:
      return [dice.from(["pexpire", "expire"]), key, 1 + dice.below(3)];
    case 22:
      return ["del", key, dice.oneIn(20) ? stream : "own"];
    default:
      return ["xlen", stream];
  }
}

async function work(actor: Client): Promise<void> {
  const { client, dice, note, publish, pass } = actor;
  const clients = [client];
  const ids: string[] = [];
  const watch = (one: RedisClient, at: number): void => {
    for (const event of EVENTS) {
      one.on(event, (about: unknown) => {
        note(`${at} ${event}`, about instanceof Error ? about.message : about);
      });
    }
  };
  watch(client, 1);
  publish(3);
  for (;;) {
    await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(5) ? 7 : 6)));
    const at = dice.below(clients.length);
    const one = clients[at] as RedisClient;
    const [isMore, isRecord, isEnd] = [dice.oneIn(60), dice.oneIn(10), dice.oneIn(60)];
    if (clients.length < 2 || isMore) {
      const another = client.duplicate({ lazyConnect: dice.oneIn(3) });
      clients.push(another);
      watch(another, clients.length);
    } else if (isRecord) publish(dice.below(4), dice.from(["key-1", "key-2"]));
    else if (isEnd && at > 0) {
      const end = dice.from(["quit", "disconnect", "connect"] as const);
      await actor.call<unknown>(`${at} ${end}`, () => one[end]());
    } else await ask(actor, one, at, ids);
    ids.splice(0, ids.length - 12);
  }
}

/** Gives a command, or some in a pipeline or transaction, and goes on when it is answered. */
async function ask(actor: Client, one: RedisClient, at: number, ids: string[]): Promise<void> {
  const { dice, call, pass } = actor;
  const words = at > 0 && dice.oneIn(3) ? readFrom(dice) : commandFrom(dice, ids);
  const [name, ...args] = words;
  const learn = (reply: unknown): unknown => {
    ids.push(...[...JSON.stringify(reply ?? "").matchAll(/\d{9,}-\d+/g)].map(([id]) => id));
    return reply;
  };
  if (dice.oneIn(10)) {
    const commands = [words, commandFrom(dice, ids), commandFrom(dice, ids)].map((each) => [
      ...each,
    ]);
    const kind = dice.from(["multi", "pipeline"] as const);
    await call(`${at} ${kind} ${commands.join("; ")}`, () =>
      one[kind](commands as never)
        .exec()
        .then(learn),
    );
    return;
  }
  const asked = call(`${at} ${words.join(" ")}`, () =>
    (one as unknown as Calls)[name]?.(...args).then(learn),
  );
  if (dice.oneIn(6)) void asked;
  else await Promise.race([asked, pass(5_000)]);
}

testTurns({
  name: "redis",
  createWorld: (dice) => ({
    model: redis({ majorVersion: dice.from([6, 7] as const) }),
    actors: { one: work, two: work },
  }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 16,
  untilMs: 50_000,
});
