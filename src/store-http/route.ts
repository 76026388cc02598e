import type { TaskInstanceScope } from "../store/mod.ts";
import { HttpError, unprocessable } from "./http-error.ts";

/** What a URL addresses: the whole state of one task instance, or one key of it. */
export interface Route {
  readonly scope: TaskInstanceScope;
  /** Undefined for the whole state. */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
}

/** Airflow's path; the version prefix is optional. */
const PATH =
  /^(?:\/api\/v2)?\/dags\/([^/]+)\/dagRuns\/([^/]+)\/taskInstances\/([^/]+)\/state-store(?:\/(.*))?$/s;

/** The largest number that a parameter may be, that of a four-byte integer. */
const NUMBER_MAX = 2_147_483_647;
/** What Airflow's API, which is Pydantic's, takes for an integer and for a boolean in a query. */
const INTEGER = /^ *[+-]?\d{1,10}(\.0+)? *$/;
const TRUE: readonly string[] = ["1", "on", "t", "true", "y", "yes"];
const FALSE: readonly string[] = ["0", "off", "f", "false", "n", "no"];

/**
 * Parses the URL of a request.
 *
 * Shape: the key is everything after `state-store/`, further slashes included; a key that no path
 * can carry (`..`) is sent as the query parameter `key`.
 *
 * @throws {HttpError} 404 when the path is not one of ours, 400 when it cannot be decoded, 422 when
 *   the map index is invalid
 */
export function routeOf(request: Request): Route {
  const url = new URL(request.url);
  const match = PATH.exec(url.pathname);
  if (match === null) throw new HttpError(404, "There is nothing at this path");
  const [dagId, runId, taskId, pathKey] = match.slice(1).map(decoded);
  if (dagId === undefined || runId === undefined || taskId === undefined) {
    throw new HttpError(404, "There is nothing at this path");
  }
  const query = url.searchParams;
  const mapIndex = integerParameter(query, "map_index", { min: -1, fallback: -1 });
  const key = pathKey ?? query.get("key") ?? undefined;
  return { scope: { kind: "task-instance", dagId, runId, taskId, mapIndex }, key, query };
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, "The path must be percent-encoded UTF-8");
  }
}

/**
 * Returns the integer parameter `name`, or `fallback` when it is absent.
 *
 * @throws {HttpError} 422 when it is not an integer from `min` to 2147483647
 */
export function integerParameter(
  query: URLSearchParams,
  name: string,
  { min, fallback }: { readonly min: number; readonly fallback: number },
): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const number = Number(text);
  if (INTEGER.test(text) && number >= min && number <= NUMBER_MAX) return number;
  const message = `${name} must be an integer from ${min} to ${NUMBER_MAX}`;
  throw unprocessable("int_parsing", ["query", name], message);
}

/**
 * Returns the boolean parameter `name`, false when it is absent.
 *
 * @throws {HttpError} 422 when it is none of true, yes, on, 1 and their opposites
 */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)?.toLowerCase();
  if (text === undefined || FALSE.includes(text)) return false;
  if (TRUE.includes(text)) return true;
  throw unprocessable("bool_parsing", ["query", name], `${name} must be true or false`);
}
