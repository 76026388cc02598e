import { refusing, refusingAll } from "../not-modelled.ts";
import type { Reply } from "./feed-server.ts";

/** Where one reads what the model has. */
export const SEE = "brokers.httpFeed";

const TEXTS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  204: "No Content",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  412: "Precondition Failed",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  507: "Insufficient Storage",
};
const REFUSED = ["blob", "formData"] as const;

/** A response of the feed, with the members of `Response` that the model has. */
export interface FeedResponse {
  /** The status code. */
  readonly status: number;
  /** The reason that belongs to it. */
  readonly statusText: string;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  /** The headers: `content-type`, and `retry-after` where there is one. */
  readonly headers: Headers;
  /** Whether the body was read. */
  readonly bodyUsed: boolean;
  /**
   * Null for a response without one; otherwise it can be cancelled, and not be read as a stream.
   *
   * @internal
   */
  readonly body: FeedBody | null;
  /**
   * Parses the body.
   *
   * @internal
   */
  json(): Promise<unknown>;
  /**
   * Returns the body as text; empty for a response without one.
   *
   * @internal
   */
  text(): Promise<string>;
  /**
   * Returns the bytes of the body.
   *
   * @internal
   */
  bytes(): Promise<Uint8Array>;
  /**
   * Returns the bytes of the body.
   *
   * @internal
   */
  arrayBuffer(): Promise<ArrayBuffer>;
  /**
   * Returns another one with the same body.
   *
   * @throws {TypeError} when the body was read
   *
   * @internal
   */
  clone(): FeedResponse;
}

/** Where a response of `fetch` has a stream; what it does is that of the reading methods. */
interface FeedBody {
  /** Throws away what was not read. */
  cancel(reason?: unknown): Promise<void>;
}

const STREAMING = ["getReader", "pipeThrough", "pipeTo", "tee", "values"] as const;

/** Returns a reply as `fetch` resolves with it; an abort of its signal is one of reading, too. */
export function responseFrom(reply: Reply, signal?: AbortSignal): FeedResponse {
  const { status, body, headers = {} } = reply;
  const given: Record<string, string> = { ...headers };
  if (body !== undefined) given["content-type"] = "application/json";
  const content = body === undefined ? "" : JSON.stringify(body);
  let isUsed = false;
  const use = (): void => {
    if (isUsed) throw new TypeError("Body is unusable: Body has already been read");
    isUsed = body !== undefined;
  };
  const text = async (): Promise<string> => {
    use();
    if (body !== undefined) signal?.throwIfAborted();
    return await Promise.resolve(content);
  };
  const bytes = async (): Promise<Uint8Array<ArrayBuffer>> =>
    new TextEncoder().encode(await text());
  const response: FeedResponse = {
    status,
    statusText: TEXTS[status] ?? "",
    ok: status >= 200 && status < 300,
    headers: new Headers(given),
    body: body === undefined ? null : bodyFrom(use),
    get bodyUsed() {
      return isUsed;
    },
    json: async () => JSON.parse(await text()) as unknown,
    text,
    bytes,
    arrayBuffer: async () => (await bytes()).buffer,
    clone() {
      if (isUsed) throw new TypeError("Response.clone: Body has already been consumed.");
      return responseFrom(reply, signal);
    },
  };
  for (const name of REFUSED) {
    Object.defineProperty(response, name, { value: refusing(`Response.${name}()`, SEE) });
  }
  return response;
}

/** A body that can be thrown away; reading it as a stream is refused by name. */
function bodyFrom(use: () => void): FeedBody {
  return {
    ...refusingAll("Response.body", STREAMING, SEE),
    [Symbol.asyncIterator]: refusing("Response.body as an iterable", SEE),
    async cancel() {
      use();
      await Promise.resolve();
    },
  } as FeedBody;
}
