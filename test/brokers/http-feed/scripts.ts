import type { FeedClient } from "../../../sim/brokers/http-feed/feed-client.ts";

/** What a script runs on: the global `fetch` and a real server, or the model. */
export interface Place extends FeedClient {
  readonly origin: string;
  publish(count: number): void;
  /** The server drops the requests that wait. */
  drop(): void;
  wait(ms: number): Promise<void>;
}

export type Script = (place: Place) => Promise<readonly unknown[]>;

export async function refused(attempt: Promise<unknown>): Promise<unknown> {
  try {
    await attempt;
    return "accepted";
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message, isType: error instanceof TypeError };
  }
}

/** What producers do with `fetch`. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  "events, and what a response has": async ({ fetch, origin, publish }) => {
    publish(2);
    const reply = await fetch(`${origin}/events?cursor=oldest&limit=1`);
    const { status, statusText, ok, headers, bodyUsed } = reply;
    const seen: unknown[] = [status, statusText, ok, headers.get("Content-Type"), bodyUsed];
    seen.push(headers.get("retry-after"), await reply.json(), reply.bodyUsed);
    seen.push(await refused(reply.text()));
    return seen;
  },
  "no events": async ({ fetch, origin }) => {
    const reply = await fetch(new URL("/events?cursor=oldest", origin));
    return [reply.status, reply.statusText, reply.ok, await reply.text(), await reply.text()];
  },
  "a cursor that is missing, empty or none": async ({ fetch, origin, publish }) => {
    publish(1);
    const seen: unknown[] = [];
    for (const query of ["", "?limit=1", "?cursor=", "?cursor=c0009", "?cursor=oldest"]) {
      const reply = await fetch(`${origin}/events${query}`);
      seen.push([reply.status, await reply.json()]);
    }
    return seen;
  },
  "cursors, with and without a condition": async ({ fetch, origin, publish }) => {
    publish(3);
    const url = `${origin}/cursors/me`;
    const seen: unknown[] = [(await fetch(url)).status];
    for (const [cursor, headers] of [
      ["c0002", { "If-None-Match": "*" }],
      ["c0003", { "if-none-match": "*" }],
      ["c0003", { "if-match": '"c0001"' }],
      ["c0003", { "if-match": '"c0002"' }],
      ["c0001", {}],
      ["nonsense", {}],
    ] as const) {
      const body = JSON.stringify({ cursor });
      const reply = await fetch(url, { method: "PUT", headers, body });
      seen.push([reply.status, reply.statusText, await reply.text()]);
    }
    seen.push(await (await fetch(url)).json());
    return seen;
  },
  "a dead letter": async ({ fetch, origin }) => {
    const reply = await fetch(`${origin}/dead-letters`, { method: "POST", body: "{}" });
    return [reply.status, reply.statusText, reply.ok];
  },
  "an aborted request": async ({ fetch, origin, wait: pause }) => {
    const aborting = new AbortController();
    const url = `${origin}/events?cursor=oldest&wait=20`;
    const waiting = refused(fetch(url, { signal: aborting.signal }));
    await pause(50);
    aborting.abort();
    const other = new AbortController();
    other.abort(new RangeError("Enough"));
    return [await waiting, await refused(fetch(url, { signal: other.signal }))];
  },
  "a dropped connection": async ({ fetch, origin, wait: pause, drop }) => {
    const waiting = refused(fetch(`${origin}/events?cursor=oldest&wait=20`));
    await pause(50);
    drop();
    return [await waiting];
  },
  "the body as text, bytes, a copy, and thrown away": async ({ fetch, origin, publish }) => {
    publish(1);
    const url = `${origin}/events?cursor=oldest`;
    const reply = await fetch(url);
    const copy = reply.clone();
    const text = await reply.text();
    const bytes = new Uint8Array(await copy.arrayBuffer());
    const seen: unknown[] = [text === new TextDecoder().decode(bytes), copy.bodyUsed];
    seen.push(new TextDecoder().decode(await (await fetch(url)).bytes()) === text);
    const left = await fetch(url);
    await left.body?.cancel();
    seen.push(left.bodyUsed, await refused(left.json()));
    const none = await fetch(`${origin}/events?cursor=${cursorIn(text)}`);
    return [...seen, none.status, none.body];
  },
  "an address with a fragment": async ({ fetch, origin, publish }) => {
    publish(1);
    const reply = await fetch(new URL("/events?cursor=oldest#part", origin));
    const { url } = reply as { readonly url?: string };
    return [reply.status, url?.slice(origin.length)];
  },
  "an abort between the head and the body": async ({ fetch, origin, publish }) => {
    publish(1);
    const aborting = new AbortController();
    const reply = await fetch(`${origin}/events?cursor=oldest`, { signal: aborting.signal });
    aborting.abort();
    return [await refused(reply.text())];
  },
  "a response is one": async ({ fetch, origin, publish }) => {
    publish(1);
    const url = `${origin}/events?cursor=oldest`;
    const reply = (await fetch(url)) as Response;
    const none = (await fetch(`${origin}/events?cursor=c0001`)) as Response;
    const isUrl = reply.url === url;
    return [
      [reply instanceof Response, reply.constructor.name, tagOf(reply), reply.type, isUrl],
      [reply.redirected, none instanceof Response, none.body, none.bodyUsed, await none.text()],
    ];
  },
  "the body as a stream": async ({ fetch, origin, publish }) => {
    publish(1);
    const url = `${origin}/events?cursor=oldest`;
    const reply = await fetch(url);
    const reader = reply.body?.getReader();
    const seen: unknown[] = [reply.bodyUsed, reply.body?.locked, await refused(reply.text())];
    const { value } = (await reader?.read()) ?? {};
    seen.push(new TextDecoder().decode(value), reply.bodyUsed, await reader?.read());
    const other = await fetch(url);
    let text = "";
    for await (const bytes of (other.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(bytes);
    }
    seen.push(text, other.bodyUsed, await refused(other.json()));
    const [left, right] = (await fetch(url)).body?.tee() ?? [];
    seen.push(await new Response(left).text(), await new Response(right).text());
    return seen;
  },
  "a copy of a response, and of one that was read": async ({ fetch, origin, publish }) => {
    publish(1);
    const url = `${origin}/events?cursor=oldest`;
    const reply = (await fetch(url)) as Response;
    const copy = reply.clone();
    const isAlike = (await reply.text()) === (await copy.text());
    const streamed = (await fetch(url)) as Response;
    streamed.body?.getReader();
    const copies = [reply, copy, streamed].map((one) =>
      refused(Promise.resolve().then(() => one.clone())),
    );
    return [isAlike, ...(await Promise.all(copies))];
  },
  "a Request, and the fields of a form": async ({ fetch, origin, publish }) => {
    publish(1);
    const aborting = new AbortController();
    const { signal } = aborting;
    const read = await fetch(new Request(`${origin}/events?cursor=oldest`, { signal }));
    const url = `${origin}/cursors/me`;
    const body = JSON.stringify({ cursor: "c0001" });
    const stored = await fetch(new Request(url), { method: "PUT", body });
    const form = new URLSearchParams({ ref: "a b", key: "1" });
    const buried = await fetch(`${origin}/dead-letters`, { method: "POST", body: form });
    aborting.abort();
    const late = await refused(fetch(new Request(url, { signal })));
    return [read.status, stored.status, buried.status, late];
  },
  "requests that cannot be made": async ({ fetch, origin }) => [
    await refused(fetch("/events")),
    await refused(fetch("not an address")),
    ...(await refusedBodies(fetch, `${origin}/events`, ["GET", "head"])),
  ],
  "methods in lower case, bytes for a body, options without effect": async (place) => {
    const { fetch, origin, publish } = place;
    publish(2);
    const url = `${origin}/cursors/me`;
    const body = new TextEncoder().encode(JSON.stringify({ cursor: "c0001" }));
    const stored = await fetch(url, { method: "put", body });
    const read = await fetch(url, { cache: "no-store", keepalive: true, redirect: "error" });
    return [stored.status, await read.json()];
  },
  "options, methods and addresses of no kind": async ({ fetch, origin }) => {
    const url = `${origin}/events?cursor=oldest`;
    const seen: unknown[] = [];
    for (const init of [
      ...[{ signal: {} }, { signal: "x" }, { signal: 5 }, { signal: null }, null],
      ...[{ redirect: "never" }, { mode: "none" }, { cache: "x" }, { credentials: "x" }],
      ...[{ method: "TRACE" }, { method: "connect" }, { method: "" }, { method: "a b" }],
    ]) {
      seen.push(await refused(fetch(url, init as object)));
    }
    for (const address of [undefined, null, 5, "ftp://feed/", "http://me:secret@feed/"]) {
      seen.push(await refused(fetch(address as string)));
    }
    return seen;
  },
  "a buffer for a body": async ({ fetch, origin }) => {
    const { buffer: body } = new TextEncoder().encode("{}");
    const stored = await fetch(`${origin}/dead-letters`, { method: "POST", body });
    return [stored.status];
  },
  "headers of a reply stay as they came, also those of a copy": async ({ fetch, origin }) => {
    const reply = await fetch(`${origin}/events?cursor=oldest`);
    const seen: unknown[] = [reply.constructor === Response, reply.headers.constructor === Headers];
    for (const { headers } of [reply, reply.clone()]) {
      for (const change of [
        (): void => headers.set("a", "b"),
        (): void => headers.append("a", "b"),
        (): void => headers.delete("content-type"),
      ]) {
        seen.push(await changed(change));
      }
      seen.push([...new Headers(headers).keys()].includes("a"));
    }
    return seen;
  },
  "readers' names, bytes of every kind, and further options without effect": async (place) => {
    const { fetch, origin, publish } = place;
    publish(1);
    const bytes = new TextEncoder().encode(JSON.stringify({ cursor: "c0001" }));
    const seen: unknown[] = [];
    for (const [name, body] of [
      ["x.y", new DataView(bytes.buffer)],
      ["a%20b", new Int8Array(bytes.buffer)],
      ["a:b@c", bytes.subarray(0)],
    ] as const) {
      const stored = await fetch(`${origin}/cursors/${name}`, { method: "PUT", body });
      const read = await fetch(`${origin}/cursors/${name}`);
      seen.push(stored.status, await read.json());
    }
    const url = `${origin}/events?cursor=oldest`;
    const options = { referrerPolicy: "no-referrer", priority: "high" } as const;
    seen.push((await fetch(url, options)).status);
    seen.push(await refused(fetch(url, { referrerPolicy: "x" } as object)));
    return seen;
  },
};

/** What comes of a change that need not be taken, without the words that an engine has for it. */
async function changed(change: () => void): Promise<unknown> {
  const outcome = await refused(Promise.resolve().then(change));
  return outcome === "accepted" ? outcome : (outcome as { readonly name: string }).name;
}

function tagOf(of: object): unknown {
  return Reflect.get(of, Symbol.toStringTag);
}

/** What becomes of requests by methods that have no body, with one. */
async function refusedBodies(
  fetch: Place["fetch"],
  url: string,
  methods: readonly string[],
): Promise<readonly unknown[]> {
  const requests = methods.map((method) => ({ method, body: "" }));
  return await Promise.all(requests.map((request) => refused(fetch(url, request))));
}

/** The cursor with which a reply says that reading goes on. */
function cursorIn(text: string): string {
  return (JSON.parse(text) as { readonly cursor: string }).cursor;
}
