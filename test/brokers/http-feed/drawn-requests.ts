import * as fc from "fast-check";
import type { FeedClient } from "../../../sim/brokers/http-feed/feed-client.ts";
import { type Place, refused, type Script } from "./scripts.ts";

type Fetched = Awaited<ReturnType<FeedClient["fetch"]>>;

/** What is done with a response, or with a copy of it. */
const READINGS = [
  ...["text", "json", "bytes", "arrayBuffer", "clone", "cancel", "read", "all", "iterate", "tee"],
  ...["head", "abort"],
] as const;
/** What is done with a response of which there is no copy. */
const ONE_ALONE: readonly string[] = ["cancel", "read", "tee"];
type Reading = readonly [what: (typeof READINGS)[number], copy: number];

/** A request; what it is made of is data alone, so that it shrinks and can be read. */
interface Ask {
  readonly path: string;
  readonly as: "text" | "URL" | "Request" | "object";
  readonly method: unknown;
  readonly headers: unknown;
  readonly headersAs: "given" | "Headers" | "pairs";
  readonly body: readonly [as: "text" | "bytes" | "view" | "form" | "odd", of: unknown] | undefined;
  readonly signal: "none" | "open" | "aborted" | "aborted with a reason" | "odd";
  readonly options: Readonly<Record<string, unknown>>;
  readonly readings: readonly Reading[];
}

export type FeedStep =
  | readonly ["publish", count: number]
  | readonly ["waits", until: "drop" | "abort" | "abort with a reason"]
  | readonly ["ask", Ask];

/** As long as a request needs at most to reach a server on the same machine. */
const SOON_MS = 30;

const among = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const CURSORS = ["oldest", "c0000", "c0001", "c0002", "c0003", "c0009", "", "none", "C0001"];
const LIMITS = ["", "&limit=1", "&limit=2", "&limit=0", "&limit=x", "&limit=", "&limit=-1"];
const READERS = ["me", "other", "x.y", "a%20b", "a:b@c", "ü", "a b"];

const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(among("oldest", "oldest", ...CURSORS), among(...LIMITS))
      .map(([cursor, limit]) => `/events?cursor=${cursor}${limit}`),
  },
  { weight: 4, arbitrary: among("me", "me", ...READERS).map((name) => `/cursors/${name}`) },
  { weight: 2, arbitrary: among("/dead-letters", "/events", "/events?limit=1") },
  {
    weight: 1,
    arbitrary: among(
      "/events?cursor=oldest#part",
      "//events",
      "/./events?cursor=oldest",
      "/a/../cursors/me",
    ),
  },
);

const cursorBody = among(...CURSORS).map((cursor) => JSON.stringify({ cursor }));
const body: fc.Arbitrary<Ask["body"]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  {
    weight: 5,
    arbitrary: fc.tuple(
      among("text" as const, "bytes" as const, "view" as const),
      fc.oneof(cursorBody, among("", "{}", "null", "{", '{"cursor":1}', '{"ref":"ref-000001"}')),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(among("form" as const), among("", "a=b", "ref=a b&key=1")) },
  {
    weight: 1,
    arbitrary: fc.tuple(among("odd" as const), among<unknown>(null, 5, true, "", {}, [], ["a"])),
  },
);

const TAGS = ['"c0001"', '"c0002"', "c0001", "*", "", ' "c0001" ', 'W/"c0001"', '"c0001", "c0002"'];
const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  {
    weight: 4,
    arbitrary: fc.dictionary(
      among("if-match", "If-None-Match", "IF-MATCH", "authorization", "x-trace"),
      among(...TAGS),
      { maxKeys: 2 },
    ),
  },
  {
    weight: 1,
    arbitrary: among<unknown>(
      ...[null, "", "x", 5, [], [["a"]], [["a", "b", "c"]], ["ab"], { a: 5 }, { a: null }],
      ...[{ "": "x" }, { "a b": "x" }, { a: "x\n" }, { a: "x\ny" }, { a: "ü" }, { a: "😀" }],
      ...[{ a: undefined }, { a: ["b", "c"] }, { "content-type": "text/plain" }],
    ),
  },
);

const METHODS = [
  ...["GET", "GET", "GET", "PUT", "PUT", "PUT", "POST", "POST", "put", "get", "Put", "post"],
  ...["TRACE", "connect", "", "a b", "GET ", null, 5, undefined, undefined, undefined],
];

const ODD_OPTIONS = {
  redirect: among<unknown>("follow", "error", "manual", "never", null, 5, undefined),
  cache: among<unknown>("no-store", "default", "x", null, undefined),
  credentials: among<unknown>("include", "omit", "x", "", undefined),
  mode: among<unknown>("cors", "same-origin", "no-cors", "navigate", "x", undefined),
  keepalive: among<unknown>(true, false, "yes", null, 0),
  priority: among<unknown>("high", "low", "x", null),
  referrerPolicy: among<unknown>("no-referrer", "", "x", null),
};

const ask: fc.Arbitrary<Ask> = fc.record({
  path,
  as: among("text" as const, "text" as const, "text" as const, "URL", "Request", "object"),
  method: among<unknown>(...METHODS),
  headers,
  headersAs: among("given" as const, "given" as const, "Headers" as const, "pairs" as const),
  body,
  signal: among(
    ...["none", "none", "none", "none", "open", "aborted", "aborted with a reason", "odd"],
  ) as fc.Arbitrary<Ask["signal"]>,
  options: fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record(ODD_OPTIONS, { requiredKeys: [] }) },
  ),
  readings: fc.array(fc.tuple(among(...READINGS), fc.nat(2)), { maxLength: 5 }),
});

/** Requests of a producer, one after the other, and what it does with their responses. */
export const FEED_STEPS: fc.Arbitrary<readonly FeedStep[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.tuple(fc.constant("publish" as const), among(1, 2, 3)) },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant("waits" as const),
        among("drop" as const, "abort" as const, "abort with a reason" as const),
      ),
    },
    { weight: 9, arbitrary: fc.tuple(fc.constant("ask" as const), ask) },
  ),
  { minLength: 1, maxLength: 8, size: "max" },
);

/** Returns a script that takes the steps in turn; each is observed. */
export function scriptOfRequests(steps: readonly FeedStep[]): Script {
  return async (place) => {
    const seen: unknown[] = [];
    let published = 0;
    for (const [kind, of] of steps) {
      switch (kind) {
        case "publish":
          // References are numbered anew with each call.
          if (published === 0) place.publish((published = of));
          break;
        case "waits":
          seen.push([kind, of, await waited(place, `c000${published}`, of)]);
          break;
        case "ask":
          seen.push([kind, fc.stringify(of), await asked(place, of)]);
          break;
      }
    }
    return seen;
  };
}

async function waited(
  { fetch, origin, drop, wait }: Place,
  newest: string,
  until: "drop" | "abort" | "abort with a reason",
): Promise<unknown> {
  const aborting = new AbortController();
  const url = `${origin}/events?cursor=${newest}&wait=20`;
  const waiting = refused(fetch(url, { signal: aborting.signal }));
  await wait(SOON_MS);
  if (until === "drop") drop();
  else if (until === "abort") aborting.abort();
  else aborting.abort(new RangeError("Enough"));
  return waiting;
}

async function asked(place: Place, of: Ask): Promise<unknown> {
  const aborting = new AbortController();
  let reply: Fetched;
  try {
    reply = await place.fetch(...argumentsOf(place, of, aborting));
  } catch (error) {
    return errorSeen(error, place.origin);
  }
  const copies = [reply];
  const seen: unknown[] = [reply.status, reply.statusText, reply.ok, reply.bodyUsed];
  for (const [wanted, at] of of.readings) {
    // A runtime reads no further ahead than the slower of two copies, which is on the page.
    const what = copies.length > 1 && ONE_ALONE.includes(wanted) ? "text" : wanted;
    const one = copies[at % copies.length] as Fetched;
    seen.push([what, await reading(what, one, copies, aborting), one.bodyUsed, one.body?.locked]);
  }
  return seen;
}

function argumentsOf(
  { origin }: Place,
  { path: of, as, ...init }: Ask,
  aborting: AbortController,
): Parameters<Place["fetch"]> {
  const address = `${origin}${of}`;
  const { signal } = aborting;
  if (init.signal === "aborted") aborting.abort();
  if (init.signal === "aborted with a reason") aborting.abort(new RangeError("Enough"));
  const given: Record<string, unknown> = { ...init.options };
  if (init.signal !== "none") given["signal"] = init.signal === "odd" ? {} : signal;
  if (init.method !== undefined) given["method"] = init.method;
  if (init.headers !== undefined) given["headers"] = headersFrom(init.headers, init.headersAs);
  if (init.body !== undefined) given["body"] = bodyFrom(init.body);
  switch (as) {
    case "URL":
      return [new URL(address), given];
    case "Request":
      return [new Request(address), given];
    case "object":
      return [{ toString: () => address } as unknown as string, given];
    default:
      return [address, given];
  }
}

function headersFrom(given: unknown, as: Ask["headersAs"]): unknown {
  const isRecord = typeof given === "object" && given !== null && !Array.isArray(given);
  const isOfTexts = isRecord && Object.values(given).every((value) => typeof value === "string");
  if (!isOfTexts || as === "given") return given;
  const pairs = Object.entries(given as Record<string, string>);
  if (as === "pairs") return pairs;
  const headersOf = new Headers();
  for (const [name, value] of pairs) {
    if (/^[\w-]+$/.test(name) && /^[ -~]*$/.test(value)) headersOf.append(name, value);
  }
  return headersOf;
}

function bodyFrom([as, of]: NonNullable<Ask["body"]>): unknown {
  if (as === "odd") return of;
  const bytes = new TextEncoder().encode(String(of));
  switch (as) {
    case "bytes":
      return bytes;
    case "view":
      return bytes.buffer;
    case "form":
      return new URLSearchParams(String(of));
    default:
      return of;
  }
}

async function reading(
  what: Reading[0],
  of: Fetched,
  copies: Fetched[],
  aborting: AbortController,
): Promise<unknown> {
  try {
    switch (what) {
      case "text":
        return await of.text();
      case "json":
        return await of.json();
      case "bytes":
        return textOf(await of.bytes());
      case "arrayBuffer":
        return textOf(new Uint8Array(await of.arrayBuffer()));
      case "clone":
        copies.push(of.clone());
        return copies.length;
      case "cancel":
        return await of.body?.cancel();
      case "read": {
        const reader = of.body?.getReader();
        const { done, value } = (await reader?.read()) ?? {};
        reader?.releaseLock();
        return [done, value && textOf(value)];
      }
      case "all": {
        const reader = of.body?.getReader();
        const parts: unknown[] = [];
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
          parts.push(textOf(part.value));
        }
        return parts;
      }
      case "iterate": {
        const parts: unknown[] = [];
        for await (const part of (of.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
          parts.push(textOf(part));
        }
        return parts;
      }
      case "tee": {
        const [left, right] = of.body?.tee() ?? [];
        return [await new Response(left).text(), await new Response(right).text()];
      }
      case "head":
        return headSeen(of as Response);
      case "abort":
        return aborting.abort();
    }
  } catch (error) {
    return errorSeen(error);
  }
}

function headSeen({ headers: all, type, redirected, url }: Response): unknown {
  // What a server of Node.js adds is its own.
  const own = ["content-type", "retry-after", "www-authenticate"];
  const told = [...all].filter(([name]) => own.includes(name));
  return [told, type, redirected, new URL(url).pathname, all.get("Content-Type"), all.has("x")];
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function errorSeen(error: unknown, origin = ""): unknown {
  if (!(error instanceof Error)) return ["thrown", String(error)];
  const { name } = error;
  const message = origin === "" ? error.message : error.message.replaceAll(origin, "");
  // The words for what is no JSON are the engine's.
  return [name, error instanceof SyntaxError ? "" : message, error instanceof TypeError];
}
