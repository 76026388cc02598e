import { refusing } from "../not-modelled.ts";
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
const REFUSED = ["arrayBuffer", "blob", "bytes", "clone", "formData"] as const;

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
}

/** Returns a reply as `fetch` resolves with it. */
export function responseFrom({ status, body, headers = {} }: Reply): FeedResponse {
  const given: Record<string, string> = { ...headers };
  if (body !== undefined) given["content-type"] = "application/json";
  const content = body === undefined ? "" : JSON.stringify(body);
  let isUsed = false;
  const text = async (): Promise<string> => {
    if (isUsed) throw new TypeError("Body is unusable: Body has already been read");
    isUsed = body !== undefined;
    return await Promise.resolve(content);
  };
  const response: FeedResponse = {
    status,
    statusText: TEXTS[status] ?? "",
    ok: status >= 200 && status < 300,
    headers: new Headers(given),
    get bodyUsed() {
      return isUsed;
    },
    json: async () => JSON.parse(await text()) as unknown,
    text,
  };
  for (const name of REFUSED) {
    Object.defineProperty(response, name, { value: refusing(`Response.${name}()`, SEE) });
  }
  const body_ = refusing("Response.body", SEE);
  return Object.defineProperty(response, "body", { get: body_ });
}
