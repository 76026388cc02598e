import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FeedServer, type Reply } from "../../../sim/brokers/http-feed/feed-server.ts";
import { httpFeed } from "../../../sim/brokers/http-feed/model.ts";
import { CalmChoices } from "../../../sim/choices/choices.ts";
import { Host } from "../../../sim/hosts/host.ts";
import { World } from "../../../sim/kernel/world.ts";
import { BrokerStage, pass } from "../broker-stage.ts";
import { asJson, assertDrawn, comparedIn } from "../drawn/drawn.ts";
import { FEED_STEPS, scriptOfRequests } from "./drawn-requests.ts";
import { refused, type Script, SCRIPTS } from "./scripts.ts";

function playOnModel(script: Script): Promise<readonly unknown[]> {
  const stage = new BrokerStage(httpFeed());
  return stage.play((client, life) =>
    script({
      fetch: client.fetch,
      origin: "http://feed.example",
      publish: (count) => stage.publish(count),
      drop: () => stage.broker.disturbances.find(({ name }) => name.includes("dropped"))?.strike(),
      wait: (ms) => pass(life, ms),
    }),
  );
}

/** The replies are the model's, so that what differs is how `fetch` gives them. */
async function playOnServer(script: Script): Promise<readonly unknown[]> {
  const feed = new FeedServer(new World(new CalmChoices(), { keepTrace: false }), "broker", 100);
  let [waiting, isDropping] = [0, false];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (await answer(feed, request, response)) return;
    waiting += 1;
    response.once("close", () => (waiting -= 1));
    // It waits for ever, unless it was dropped before it came here.
    if (isDropping) response.destroy();
    isDropping = false;
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await script({
      fetch: (input, init) => fetch(input, init),
      origin: `http://127.0.0.1:${port}`,
      publish(count) {
        for (let n = 1; n <= count; n += 1) feed.publish({ ref: `ref-00000${n}`, key: "key-1" });
      },
      drop() {
        isDropping = waiting === 0;
        server.closeAllConnections();
      },
      wait: (ms) => wait(ms),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Returns whether there is a reply: a poll that waits gets none here. */
async function answer(
  feed: FeedServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { pathname, searchParams: query } = new URL(request.url ?? "", "http://feed");
  const reader = pathname.replace("/cursors/", "");
  const body = await text(request);
  const reply = ((): Reply | undefined => {
    if (pathname === "/dead-letters") return feed.bury(body);
    if (pathname === "/events") {
      const read = feed.read(query.get("cursor") ?? "", Number(query.get("limit") ?? 100), "me");
      if ("status" in read) return read;
      return query.get("wait") === null ? { status: 204, body: undefined } : undefined;
    }
    if (request.method === "GET") return feed.storedCursor(reader);
    if (request.method !== "PUT") return { status: 405, body: undefined };
    const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = request.headers;
    return feed.store(reader, jsonIn(body), "me", { ifMatch, ifNoneMatch });
  })();
  if (reply === undefined) return false;
  response.writeHead(reply.status, {
    ...(reply.body !== undefined && { "content-type": "application/json" }),
    ...reply.headers,
  });
  response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
  return true;
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

describe("the global fetch and the model's agree about", () => {
  test.each(Object.entries(SCRIPTS))("%s", async (_what, script) => {
    expect(await playOnModel(script)).toEqual(await playOnServer(script));
  });
});

/** Every pull request plays the same; SEQUENCES in the environment is how many, SEED which. */
const numRuns = Number(process.env["SEQUENCES"] ?? 60);
const seed = Number(process.env["SEED"] ?? 1);

test(`the global fetch and the model's agree: ${numRuns} sequences that are drawn`, async () => {
  await assertDrawn(FEED_STEPS, { numRuns, seed, lanes: 4 }, async (steps) => {
    const script = scriptOfRequests(steps);
    const model = asJson(await playOnModel(script));
    const compared = comparedIn(model);
    const server = asJson(await playOnServer(script));
    expect(model.slice(0, compared)).toEqual(server.slice(0, compared));
  });
}, 0);

describe("the model of a feed", () => {
  test.each(["the feed is overloaded", "no token is taken for a while"])(
    "says of a status what node:http says, when %s",
    async (disturbance) => {
      const stage = new BrokerStage(httpFeed());
      stage.broker.disturbances.find(({ name }) => name === disturbance)?.strike();
      const { status, statusText } = await stage.play(({ fetch }) =>
        fetch("http://feed/cursors/me"),
      );
      expect([status >= 400, statusText]).toEqual([true, STATUS_CODES[status]]);
    },
  );

  test("replies to a poll that waits as soon as there is an event", async () => {
    const stage = new BrokerStage(httpFeed());
    const seen = await stage.play(async ({ fetch }, life) => {
      life.after(5_000, () => stage.publish(1));
      const reply = await fetch("http://feed/events?cursor=oldest&wait=20");
      return [reply.status, Math.round(stage.world.now / 1_000)];
    });
    expect(seen).toEqual([200, 5]);
  });

  test("asks for nothing more once a poll that waits is aborted", async () => {
    const stage = new BrokerStage(httpFeed());
    await stage.play(async ({ fetch }, life) => {
      const poll = new AbortController();
      life.after(5_000, () => {
        poll.abort();
        stage.publish(1);
      });
      const url = "http://feed/events?cursor=oldest&wait=20";
      await fetch(url, { signal: poll.signal }).catch(() => undefined);
      await pass(life, 1_000);
    });
    expect(stage.told("delivered", ({ ref }) => ref)).toEqual([]);
  });

  test.each([
    [{}, 20, 204, 20],
    [{}, 90, 204, 30],
    [{ waitSecondsMax: 90 }, 90, 504, 60],
    [{ gatewayTimeoutSeconds: 10 }, 20, 504, 10],
  ])("%o: replies to a poll of %i s with %i after %i s", async (options, wanted, status, after) => {
    const stage = new BrokerStage(httpFeed(options));
    const seen = await stage.play(async ({ fetch }) => {
      const reply = await fetch(`http://feed/events?cursor=oldest&wait=${wanted}`);
      return [reply.status, Math.round(stage.world.now / 1_000)];
    });
    expect(seen).toEqual([status, after]);
  });

  test("replies with 410 when retention has overtaken a cursor, and 503 when overloaded", async () => {
    const stage = new BrokerStage(httpFeed());
    stage.publish(3);
    const seen = await stage.play(async ({ fetch }) => {
      for (const { name, strike } of stage.broker.disturbances) {
        if (name === "the oldest event is deleted") strike();
      }
      const gone = await fetch("http://feed/events?cursor=c0000");
      const { oldest } = (await gone.json()) as { readonly oldest: string };
      const left = await fetch(`http://feed/events?cursor=${oldest}`);
      const { events } = (await left.json()) as { readonly events: readonly unknown[] };
      for (const { name, strike } of stage.broker.disturbances) {
        if (name === "the feed is overloaded") strike();
      }
      const busy = await fetch("http://feed/events?cursor=oldest");
      return [gone.status, oldest, events.length, busy.status, busy.headers.get("retry-after")];
    });
    expect(seen).toEqual([410, "c0001", 2, 503, "2"]);
  });

  test("drops its connections when its host crashes, and whatever else happens keeps them", async () => {
    const stage = new BrokerStage(httpFeed());
    const other = new Host(stage.world, stage.network, "other", () => undefined);
    const seen = await stage.play(async ({ fetch }, life) => {
      life.after(1_000, () => other.start());
      life.after(2_000, () => other.crash());
      life.after(3_000, () => other.start());
      const calm = await fetch("http://feed/events?cursor=oldest&wait=5");
      life.after(1_000, () => stage.network.host("broker")?.crash());
      const dropped = await refused(fetch("http://feed/events?cursor=oldest&wait=5"));
      return [calm.status, (dropped as { readonly name: string }).name];
    });
    expect(seen).toEqual([204, "TypeError"]);
  });

  test("refuses by name what it does not have", async () => {
    const seen = await new BrokerStage(httpFeed()).play(async ({ fetch }) => {
      const reply = await fetch("http://feed/events?cursor=oldest");
      const other = reply as unknown as { readonly blob: () => void };
      return [
        await refused(fetch("http://feed/other")),
        // A method that is no text is taken for one.
        await refused(fetch("http://feed/events", { method: 5 as unknown as string })),
        await refused(fetch("http://feed/events", { duplex: "half" } as object)),
        await refused((async () => other.blob())()),
      ].map((one) => (one as { readonly message: string }).message);
    });
    expect(seen).toEqual([
      "Not modelled: GET /other; see brokers.httpFeed",
      "Not modelled: 5 /events; see brokers.httpFeed",
      "Not modelled: fetch() with duplex; see brokers.httpFeed",
      "Not modelled: Response.blob(); see brokers.httpFeed",
    ]);
  });
});
