import type { Logger } from "../time/mod.ts";
import { HttpError } from "./http-error.ts";

/** Returns a response whose body is JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** Returns the response without a body of a write or a delete. */
export function noContent(): Response {
  return new Response(null, { status: 204 });
}

/** Returns the response for an error; what is not an `HttpError` is logged and not shown. */
export function errorResponse(error: unknown, logger: Logger): Response {
  if (error instanceof HttpError) {
    return json(error.status, { detail: error.detail }, error.headers);
  }
  logger.error("The state store failed while serving a request", { error });
  return json(503, { detail: "The state store failed" });
}
