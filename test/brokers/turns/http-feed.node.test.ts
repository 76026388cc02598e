import type { FeedClient } from "../../../sim/brokers/http-feed/feed-client.ts";
import { httpFeed } from "../../../sim/brokers/http-feed/model.ts";
import type { Dice } from "../../../sim/choices/dice.ts";
import { type Actor, testTurns } from "./turns.ts";

type Init = NonNullable<Parameters<FeedClient["fetch"]>[1]>;

const PAUSES_MS = [0, 0, 1, 20, 300, 1_100, 4_000];
const FEED = "https://feed.example";

/** The same text as each kind of body. */
function bodyFrom(dice: Dice, text: string): NonNullable<Init["body"]> {
  const bytes = new TextEncoder().encode(text);
  return dice.from([
    text,
    text,
    bytes,
    bytes.buffer,
    new URLSearchParams({ ref: "ref-000001", text }),
    "{",
  ]);
}

function requestFrom(dice: Dice, cursors: readonly string[]): readonly [string, Init] {
  const cursor = dice.from(["oldest", "latest", "none", ...cursors]);
  const etag = JSON.stringify(dice.from(["0", ...cursors]));
  const condition = dice.from([{}, { "if-none-match": "*" }, { "if-match": etag }]);
  const stored = `/cursors/${dice.from(["triggerer", "triggerer", "other"])}`;
  switch (dice.below(8)) {
    case 0:
    case 1:
    case 2: {
      const [limit, wait] = [dice.from(["1", "2", "100", "0", "x"]), dice.from(["0", "3", "9"])];
      return [`/events?cursor=${cursor}&limit=${limit}&wait=${wait}`, {}];
    }
    case 3:
    case 4: {
      const headers: Record<string, string> = condition;
      return [stored, { method: "PUT", headers, body: bodyFrom(dice, JSON.stringify({ cursor })) }];
    }
    case 5:
      return [stored, { method: dice.from(["GET", "HEAD", "DELETE"]) }];
    case 6: {
      const letter = JSON.stringify({ data: { ref: "ref-000001" }, reason: "rejected" });
      return ["/dead-letters", { method: "POST", body: bodyFrom(dice, letter) }];
    }
    default:
      return [dice.from(["/nothing", "/events", "/"]), { method: dice.from(["GET", "POST"]) }];
  }
}

async function work(actor: Actor<FeedClient>): Promise<void> {
  const { client, dice, call, note, publish, pass } = actor;
  const cursors: string[] = [];
  publish(3);
  for (;;) {
    await pass(dice.from(PAUSES_MS));
    if (dice.oneIn(6)) publish(dice.below(4), dice.from(["key-1", "key-2"]));
    const [path, init] = requestFrom(dice, cursors);
    const ending = new AbortController();
    const { signal } = ending;
    if (dice.oneIn(4)) void pass(dice.from(PAUSES_MS)).then(() => ending.abort());
    await call(`${init.method ?? "GET"} ${path}`, async () => {
      const reply = await client.fetch(`${FEED}${path}`, { ...init, signal });
      const names = ["content-type", "etag", "retry-after", "location"];
      note("reply", [
        reply.status,
        reply.statusText,
        ...names.map((name) => reply.headers.get(name)),
      ]);
      if (dice.oneIn(12)) note("has parts", [reply.bodyUsed, reply.clone().status]);
      if (dice.oneIn(12)) return await (reply as unknown as Response).formData();
      const text = await reply.text();
      cursors.push(...[...text.matchAll(/"cursor":"([^"]*)"/g)].map(([, one = ""]) => one));
      cursors.splice(0, cursors.length - 5);
      return text;
    });
  }
}

testTurns({
  name: "http-feed",
  createWorld: () => ({ model: httpFeed(), actors: { one: work, two: work } }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 16,
  untilMs: 60_000,
});
