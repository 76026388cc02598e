import type { FeedClient } from "../../../sim/brokers/http-feed/feed-client.ts";
import { httpFeed } from "../../../sim/brokers/http-feed/model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<FeedClient>;

const FEED = "https://feed.example";

/** Asks, and returns the body of the reply as JSON where it is some. */
async function ask(
  { client, call, note }: Stage,
  what: string,
  path: string,
  init: Parameters<FeedClient["fetch"]>[1] = {},
): Promise<unknown> {
  let body: unknown;
  await call(what, async () => {
    const reply = await client.fetch(`${FEED}${path}`, init);
    const names = ["content-type", "etag", "retry-after", "location"];
    const headers = names.map((name) => reply.headers.get(name));
    note(`${what}: reply`, [reply.status, reply.statusText, reply.ok, ...headers]);
    const text = await reply.text();
    note(`${what}: body`, [reply.bodyUsed, text]);
    body = text === "" ? undefined : JSON.parse(text);
  });
  return body;
}

async function work(stage: Stage): Promise<void> {
  const { publish, pass } = stage;
  publish(4);
  let cursor = "oldest";
  let stored: string | undefined;
  for (let round = 0; round < 14; round += 1) {
    const timeout = new AbortController();
    const signal = timeout.signal;
    void pass(6_000).then(() => timeout.abort());
    const wait = round % 3 === 2 ? 10 : 4;
    const query = `cursor=${cursor}&limit=2&wait=${wait}`;
    const page = (await ask(stage, "reads", `/events?${query}`, { signal })) as
      | { readonly events?: readonly { readonly cursor: string }[]; readonly oldest?: string }
      | undefined;
    cursor = page?.events?.at(-1)?.cursor ?? page?.oldest ?? cursor;
    if (page?.events !== undefined && round % 2 === 0) {
      const headers: Record<string, string> =
        stored === undefined ? { "if-none-match": "*" } : { "if-match": JSON.stringify(stored) };
      const init = { method: "PUT", headers, body: JSON.stringify({ cursor }) };
      await ask(stage, "stores", "/cursors/triggerer", init);
      const known = await ask(stage, "looks", "/cursors/triggerer");
      stored = (known as { readonly cursor?: string } | undefined)?.cursor;
    }
    if (round === 4) {
      const body = JSON.stringify({ data: { ref: "ref-000001" }, reason: "rejected" });
      await ask(stage, "buries", "/dead-letters", { method: "POST", body });
    }
    if (round % 5 === 3) publish(3, "key-2");
    await pass(1_000);
  }
  await ask(stage, "reads nothing", "/nothing");
  await ask(stage, "reads badly", "/events?cursor=none&wait=x&limit=0");
  await ask(stage, "stores badly", "/cursors/triggerer", { method: "PUT", body: "{" });
}

testTroubles({
  name: "http-feed",
  createModel: () => httpFeed(),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
