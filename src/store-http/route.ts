import { type AssetScope, STATE_MODEL_KEY, type StoreScope } from "../store/mod.ts";
import { HttpError, type InvalidKind, unprocessable } from "./http-error.ts";

/** A URL of state: the whole of one scope's, one key of it, or AIP-30's one value. */
export interface StateRoute {
  readonly kind: "state";
  /** What the state belongs to; an asset may be given by its number instead. */
  readonly scope: StoreScope | { readonly assetId: number };
  /** Undefined for the whole state. */
  readonly key: string | undefined;
  /** Whether the key is that of AIP-30's one value, which is shown without it. */
  readonly isModel: boolean;
  readonly query: URLSearchParams;
}

/** A URL that lists the processes that have state. */
export interface ProcessesRoute {
  readonly kind: "processes";
  /** Undefined: the namespaces are listed. */
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
}

/** What a URL addresses. */
export type Route = StateRoute | ProcessesRoute;

/** The version prefix of Airflow's paths is optional. */
const VERSION = /^\/api\/v2(?=\/)/;
/** The end of a path of state: a key, which may have slashes, or none; or AIP-30's one value. */
const STATE = String.raw`\/(?<form>state-store|state-model)(?:\/(?<key>.*))?`;
/** The first two are Airflow's. */
const TASK_INSTANCE = pattern(
  String.raw`\/dags\/(?<dagId>[^/]+)\/dagRuns\/(?<runId>[^/]+)\/taskInstances\/(?<taskId>[^/]+)`,
);
const ASSET_BY_ID = pattern(String.raw`\/assets\/(?<assetId>[^/]+)`);
const ASSET = pattern(String.raw`\/assets`);
const TASK = pattern(String.raw`\/dags\/(?<dagId>[^/]+)\/tasks\/(?<taskId>[^/]+)`);
const PROCESS = pattern(String.raw`\/processes\/(?<namespace>[^/]+)\/(?<processName>[^/]+)`);
const PROCESSES = /^\/processes(?:\/(?<namespace>[^/]+))?$/;

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
 *   the map index, the number of an asset or its name and URI are invalid
 */
export function routeOf(request: Request): Route {
  const url = new URL(request.url);
  const path = url.pathname.replace(VERSION, "");
  const query = url.searchParams;
  const processes = partsOf(PROCESSES, path);
  if (processes !== undefined)
    return { kind: "processes", namespace: processes["namespace"], query };
  for (const [shape, scopeFrom] of SCOPES) {
    const parts = partsOf(shape, path);
    if (parts === undefined) continue;
    const scope = scopeFrom(parts, query);
    const pathKey = parts["key"];
    if (parts["form"] === "state-store") {
      const key = pathKey ?? query.get("key") ?? undefined;
      return { kind: "state", scope, key, isModel: false, query };
    }
    if (pathKey !== undefined || "assetId" in scope || scope.kind === "asset") break;
    return { kind: "state", scope, key: STATE_MODEL_KEY, isModel: true, query };
  }
  throw new HttpError(404, "There is nothing at this path");
}

type Parts = Readonly<Record<string, string | undefined>>;
type ScopeFrom = (parts: Parts, query: URLSearchParams) => StateRoute["scope"];

/** In this order: `/assets/state-store/k` is a key of a named asset, not an asset's number. */
const SCOPES: readonly (readonly [shape: RegExp, scopeFrom: ScopeFrom])[] = [
  [
    TASK_INSTANCE,
    ({ dagId = "", runId = "", taskId = "" }, query) => {
      const mapIndex = integerParameter(query, "map_index", { min: -1, fallback: -1 });
      return { kind: "task-instance", dagId, runId, taskId, mapIndex };
    },
  ],
  [TASK, ({ dagId = "", taskId = "" }) => ({ kind: "task", dagId, taskId })],
  [
    PROCESS,
    ({ namespace = "", processName = "" }) => ({ kind: "process", namespace, processName }),
  ],
  [ASSET, (_parts, query) => assetFrom(query)],
  [ASSET_BY_ID, ({ assetId = "" }) => ({ assetId: assetIdFrom(assetId) })],
];

function assetFrom(query: URLSearchParams): AssetScope {
  const [name, uri] = [query.get("name"), query.get("uri")];
  if (name === null && uri === null) {
    throw unprocessable("missing", ["query", "name"], "An asset needs its name, its uri or both");
  }
  return {
    kind: "asset",
    ...(name === null ? {} : { name }),
    ...(uri === null ? {} : { uri }),
  };
}

function assetIdFrom(text: string): number {
  if (INTEGER.test(text) && Math.abs(Number(text)) <= NUMBER_MAX) return Number(text);
  throw unprocessable("int_parsing", ["path", "asset_id"], "asset_id must be an integer");
}

function pattern(scope: string): RegExp {
  return new RegExp(`^${scope}${STATE}$`, "s");
}

/** Returns the decoded groups of a path; undefined when it has not this shape. */
function partsOf(shape: RegExp, path: string): Parts | undefined {
  const groups = shape.exec(path)?.groups;
  if (groups === undefined) return undefined;
  const parts = Object.entries(groups as Parts).map(
    ([name, text]) => [name, decoded(text)] as const,
  );
  return Object.fromEntries(parts);
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, "The path must be percent-encoded UTF-8");
  }
}

const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;

/**
 * Returns the page that the parameters `limit` and `offset` name.
 *
 * @throws {HttpError} 422 when one of them is not an integer of 0 or more
 */
export function pageFrom(query: URLSearchParams): {
  readonly limit: number;
  readonly offset: number;
} {
  const limit = integerParameter(query, "limit", { min: 0, fallback: PAGE_DEFAULT });
  const offset = integerParameter(query, "offset", { min: 0, fallback: 0 });
  return { limit: Math.min(limit, PAGE_MAX), offset };
}

/**
 * Returns the integer parameter `name`, or `fallback` when it is absent.
 *
 * @throws {HttpError} 422 when it is not an integer from `min` to 2147483647
 */
function integerParameter(
  query: URLSearchParams,
  name: string,
  { min, fallback }: { readonly min: number; readonly fallback: number },
): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const number = Number(text);
  const kind = kindOfBad(text, number, min);
  if (kind === undefined) return number;
  const message = `${name} must be an integer from ${min} to ${NUMBER_MAX}`;
  throw unprocessable(kind, ["query", name], message);
}

/** Returns what is wrong with an integer, if anything. */
function kindOfBad(text: string, number: number, min: number): InvalidKind | undefined {
  if (!INTEGER.test(text)) return "int_parsing";
  if (number < min) return "greater_than_equal";
  return number > NUMBER_MAX ? "less_than_equal" : undefined;
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
