import type { TaskInstanceScope } from "../../src/store/mod.ts";
import { HttpError, unprocessable } from "./http-error.ts";

/** What a path and a query address: the state of one task instance, or one key of it. */
export interface Route {
  readonly scope: TaskInstanceScope;
  /** Undefined for the collection. */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
}

/** Airflow's own path; the version before it may be left out. */
const PATH =
  /^(?:\/api\/v2)?\/dags\/([^/]+)\/dagRuns\/([^/]+)\/taskInstances\/([^/]+)\/state-store(?:\/(.*))?$/s;

/**
 * The route of a request.
 *
 * Shape: a key stands behind the last slash, slashes of its own included, or in the query as `key`,
 * for those that a path cannot say (`..`).
 *
 * @throws {HttpError} 404 for another path, 400 for one that cannot be decoded, 422 for a map index
 *   that is none
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
  const mapIndex = wholeParameter(query, "map_index", { min: -1, fallback: -1 });
  const key = pathKey ?? query.get("key") ?? undefined;
  return { scope: { kind: "task-instance", dagId, runId, taskId, mapIndex }, key, query };
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, "The path is not percent-encoded UTF-8");
  }
}

/** @throws {HttpError} 422 when the parameter is there and no whole number from `min` up */
export function wholeParameter(
  query: URLSearchParams,
  name: string,
  { min, fallback }: { readonly min: number; readonly fallback: number },
): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const number = Number(text);
  if (/^-?\d{1,10}$/.test(text) && number >= min && number <= 2_147_483_647) return number;
  throw unprocessable(`${name} is a whole number from ${min} up`);
}

/** @throws {HttpError} 422 when the parameter is there and says neither yes nor no */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  if (text === null || text === "false" || text === "0") return false;
  if (text === "true" || text === "1") return true;
  throw unprocessable(`${name} is true or false`);
}
