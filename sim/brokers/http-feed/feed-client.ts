import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { isTransportError, once, untilAborted } from "../library-call.ts";
import { assertModelled, NotModelled } from "../not-modelled.ts";
import { type FeedResponse, responseFrom, SEE } from "./feed-response.ts";
import type { FeedServer, Reply, Waiting } from "./feed-server.ts";

/** What a request is made of. */
export interface FeedRequest {
  /** GET unless it says otherwise. */
  readonly method?: string;
  /** All are taken; If-Match and If-None-Match have an effect where a cursor is stored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON text, or its bytes; fields of a form are taken as text. */
  readonly body?: string | ArrayBufferView<ArrayBuffer> | ArrayBuffer | URLSearchParams;
  /** Aborts the request, and the reading of its response. */
  readonly signal?: AbortSignal | null;
  /** Taken without effect: the feed never redirects. */
  readonly redirect?: "follow" | "error" | "manual";
  /** Taken without effect, as nothing is cached. */
  readonly cache?: RequestCache;
  /** Taken without effect. */
  readonly keepalive?: boolean;
  /** Taken without effect. */
  readonly referrerPolicy?: ReferrerPolicy;
  /** Taken without effect. */
  readonly priority?: RequestPriority;
}

/**
 * The client of a feed: `fetch`, for the requests that the feed knows. A producer that is written for
 * `{ fetch }` runs against a real server with the global `fetch`.
 *
 * - `GET /events?cursor=oldest&limit=100&wait=20`: replies with 200 and `{ events: [{ cursor, data }],
 *   cursor }`, at once or as soon as there is an event; with 204 when there is none for `wait`
 *   seconds; with 410 and `{ oldest }` when retention has deleted what comes next; with 400 without
 *   a cursor, or with one that is none.
 * - `GET /cursors/<reader>`: the cursor that was stored, or 404. `PUT /cursors/<reader>` with
 *   `{ cursor }` stores it: all events up to it are settled. With `if-match: "<cursor>"`, or
 *   `if-none-match: *` where there is none, only if that one is stored; 412 and the stored one
 *   otherwise.
 * - `POST /dead-letters` takes any JSON.
 *
 * Any of them may reply with 503 and `retry-after`, or with 401 while no token is taken. A lost connection is a TypeError, "fetch failed";
 * a request that waits when its server is gone without a word waits for ever; an aborted request
 * rejects with the reason of its signal.
 */
export interface FeedClient {
  /**
   * Makes a request; the origin of its address does not matter.
   *
   * @internal
   */
  fetch(input: string | URL | Request, init?: FeedRequest): Promise<FeedResponse>;
}

/** What a client needs of its surroundings. */
export interface FeedParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly server: FeedServer;
  readonly consumer: string;
  readonly waitSecondsMax: number;
  readonly gatewayTimeoutSeconds: number;
}

interface RequestParts {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
}

/** Those without effect on a feed that never redirects, and where nothing is cached, are taken. */
const INIT_MEMBERS = [
  ...["method", "headers", "body", "signal"],
  ...["cache", "credentials", "keepalive", "mode", "priority", "redirect", "referrerPolicy"],
];
const OTHER_SCHEMES = ["about:", "blob:", "data:", "file:"];
const FAILED = "fetch failed";
const LIMIT_DEFAULT = 100;
/** From this status on a reply says that nothing was done. */
const REFUSED_STATUS_MIN = 400;
/** A reader may be called anything that is one part of a path. */
const READER = /^\/cursors\/([^/]+)$/;

/** The requests of one producer. */
export class ModelledFetch implements FeedClient {
  readonly #parts: FeedParts;
  #underWay = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** What is still waited for. */
  openResources(): readonly string[] {
    return Array.from({ length: this.#underWay }, () => "a request");
  }

  /** As the global one it may be called without its object. */
  readonly fetch = async (
    input: string | URL | Request,
    given: FeedRequest = {},
  ): Promise<FeedResponse> => {
    // A caller without types may give null, or anything.
    const init = (given as FeedRequest | null) ?? {};
    if (typeof init === "object") assertModelled("fetch()", init, INIT_MEMBERS, SEE);
    const request = requestFrom(input, init);
    request.signal?.throwIfAborted();
    this.#underWay += 1;
    try {
      const reply = this.#replyTo(request);
      const { signal: aborting } = request;
      const reason = (): Error => aborting?.reason as Error;
      const replied = await untilAborted(reply, aborting, reason);
      const shown = new URL(request.url);
      shown.hash = "";
      return responseFrom(replied, shown.href, aborting);
    } catch (error) {
      if (!isTransportError(error)) throw error;
      throw new TypeError(FAILED, { cause: error });
    } finally {
      this.#underWay -= 1;
    }
  };

  #replyTo(request: RequestParts): Promise<Reply> {
    const { method, url, headers, body } = request;
    const { server, consumer } = this.#parts;
    const path = url.pathname;
    const reader = READER.exec(path)?.[1];
    if (path === "/events" && method === "GET") return this.#poll(request);
    if (path === "/dead-letters" && method === "POST") {
      return this.#call("broker.produce", () => server.bury(body));
    }
    if (reader !== undefined && method === "GET") {
      return this.#call("broker.session", () => server.storedCursor(reader));
    }
    if (reader !== undefined && method === "PUT") {
      const stored = jsonIn(body);
      const condition = {
        ifMatch: headers.get("if-match") ?? undefined,
        ifNoneMatch: headers.get("if-none-match") ?? undefined,
      };
      return this.#call("broker.settle", () => server.store(reader, stored, consumer, condition));
    }
    return Promise.reject(new NotModelled(`${method} ${path}`, SEE));
  }

  #call<T extends Reply | Waiting>(site: SiteName, effect: () => T): Promise<T> {
    const { port, host } = this.#parts;
    const reply = port.call(site, host, once(effect));
    reply.then(
      (it) => "status" in it && it.status >= REFUSED_STATUS_MIN && port.refused(site),
      () => undefined,
    );
    return reply;
  }

  /** Reads, and waits for events if there are none; a gateway gives up before the feed does. */
  async #poll({ url: { searchParams: query }, signal }: RequestParts): Promise<Reply> {
    const { port, server, consumer, waitSecondsMax, gatewayTimeoutSeconds } = this.#parts;
    const limit = Number(query.get("limit") ?? LIMIT_DEFAULT);
    const wait = Math.min(Number(query.get("wait") ?? 0), waitSecondsMax);
    const isGivenUp = wait >= gatewayTimeoutSeconds;
    const endsAt = port.world.now + 1_000 * Math.min(wait, gatewayTimeoutSeconds);
    const read = (): Reply | Waiting => server.read(query.get("cursor") ?? "", limit, consumer);
    for (;;) {
      const reply = await this.#call("broker.fetch", read);
      if ("status" in reply) return reply;
      const left = endsAt - port.world.now;
      if (left <= 0) {
        return { status: isGivenUp ? 504 : 204, body: undefined };
      }
      await this.#arrival(left, reply, signal);
      // Nobody waits for the reply any more: the server has nothing to read for.
      if (signal?.aborted === true) return { status: 204, body: undefined };
    }
  }

  /**
   * Never settles when the server loses the connection without a word: `fetch` has no time limit of
   * its own in browsers and Deno, and one of five minutes in Node.
   *
   * @throws {TypeError} when the server drops the connection meanwhile
   */
  async #arrival(ms: number, { version }: Waiting, signal: AbortSignal | undefined): Promise<void> {
    const { port, server } = this.#parts;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    let dropped: "told" | "half-open" | undefined;
    const drop = (isHalfOpen: boolean): void => {
      // A step of the client: what comes of it is its own work, and none if it has crashed.
      port.after(0, () => {
        dropped = isHalfOpen ? "half-open" : "told";
        end();
      });
    };
    server.onDrop.add(drop);
    signal?.addEventListener("abort", end, { once: true });
    await server.arrivals.wait(port, ms, ending.signal, version);
    signal?.removeEventListener("abort", end);
    server.onDrop.delete(drop);
    if (dropped === "half-open") await new Promise<never>(() => undefined);
    if (dropped === "told")
      throw new TypeError("fetch failed", { cause: new Error("other side closed") });
  }
}

/**
 * The runtime's own `Request` tells what `fetch` takes, and says so in the runtime's words.
 *
 * @throws {TypeError} for what it does not take
 */
function requestFrom(input: string | URL | Request, init: FeedRequest): RequestParts {
  const { method, url, headers } = new Request(input, init);
  const of = input instanceof Request ? input : undefined;
  const { body, signal = of?.signal } = init;
  if (body === undefined && (of?.body ?? null) !== null) {
    throw new NotModelled("a Request with a body", SEE);
  }
  const parts = { method, url: assertScheme(new URL(url)), headers };
  return { ...parts, body: textIn(body ?? ""), signal: signal ?? undefined };
}

/** @throws {TypeError} for a scheme that `fetch` does not know */
function assertScheme(url: URL): URL {
  const { protocol } = url;
  if (protocol === "http:" || protocol === "https:") return url;
  if (OTHER_SCHEMES.includes(protocol)) throw new NotModelled(`fetch() of ${protocol}`, SEE);
  throw new TypeError(FAILED, { cause: new Error("unknown scheme") });
}

function textIn(body: NonNullable<FeedRequest["body"]>): string {
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) {
    return new TextDecoder().decode(body);
  }
  const isOther = [Blob, FormData, ReadableStream].some((kind) => (body as object) instanceof kind);
  if (isOther || (typeof body === "object" && Symbol.asyncIterator in body)) {
    throw new NotModelled("a body that is neither text nor bytes", SEE);
  }
  // A form has its fields as a text; of anything else the runtime makes one.
  return String(body);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
