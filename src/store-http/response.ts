import type { Logger } from "../time/mod.ts";
import { HttpError } from "./http-error.ts";

/**
 * A response whose text is there at once: a browser brings the bytes of a body in its own time, for
 * which a simulated run cannot wait.
 */
class TextResponse extends Response {
  readonly #text: string;

  constructor(text: string | null, init: ResponseInit) {
    super(text, init);
    this.#text = text ?? "";
  }

  override text(): Promise<string> {
    const isUsed = this.bodyUsed;
    const text = super.text();
    return isUsed ? text : Promise.resolve(this.#text);
  }
}

/** Returns a response whose body is JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new TextResponse(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** Returns the response without a body of a write or a delete. */
export function noContent(): Response {
  return new TextResponse(null, { status: 204 });
}

/** Returns the response for an error; what is not an `HttpError` is logged and not shown. */
export function errorResponse(error: unknown, logger: Logger): Response {
  if (error instanceof HttpError) {
    return json(error.status, { detail: error.detail }, error.headers);
  }
  logger.error("The state store failed while serving a request", { error });
  return json(503, { detail: "The state store failed" });
}
