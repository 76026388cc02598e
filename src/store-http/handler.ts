import {
  checkedKey,
  DEFAULT_RETENTION,
  EXPIRES_AT_MAX_MS,
  expiresAtFrom,
  isEqualJson,
  isExpired,
  type JsonValue,
  jsonValueFromText,
  type Retention,
  type StateBackend,
  type StateEntry,
  storedTextFrom,
  type TaskInstanceScope,
  VALUE_CHARS_MAX,
  type WriteOptions,
} from "../store/mod.ts";
import { type Clock, type Logger, consoleLogger } from "../time/mod.ts";
import { type Act, checkedGrants, type Grant, grantOf, requireGrant } from "./access.ts";
import { bodyOf, membersOf } from "./body.ts";
import { HttpError, unprocessable } from "./http-error.ts";
import { instantFromIso, isoFromInstant } from "./iso-time.ts";
import { pythonJsonChars } from "./python-json-chars.ts";
import { booleanParameter, integerParameter, type Route, routeOf } from "./route.ts";

/** Settings of {@linkcode createStoreHandler}. */
export interface StoreHandlerOptions {
  /** Its wall time dates writes and decides what has expired. */
  readonly clock: Clock;
  /** Who may do what; at least one. */
  readonly grants: readonly Grant[];
  /** Retention of writes that name none; zero means never. 30 days by default. */
  readonly defaultRetention?: Retention;
  /**
   * The longest JSON text of one value, in characters as Python writes it, which escapes what is
   * not ASCII; 0 means no limit. Airflow's `[state_store] max_value_storage_bytes`.
   */
  readonly valueCharsMax?: number;
  /** The largest request body, in bytes. 1 MiB by default. */
  readonly bodyBytesMax?: number;
  /**
   * Returns whether the task instance exists; `mapIndex` is undefined when any map index will do.
   * Without it every task instance is taken to exist.
   */
  readonly hasTaskInstance?: (
    task: Omit<TaskInstanceScope, "mapIndex"> & { readonly mapIndex: number | undefined },
  ) => boolean | Promise<boolean>;
  /** Where a failure of the backend is logged; by default the console. */
  readonly logger?: Logger;
}

const BODY_BYTES_DEFAULT = 1_048_576;
const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;

const ACT_OF: Readonly<Record<string, Act>> = {
  GET: "read",
  PUT: "write",
  PATCH: "write",
  DELETE: "delete",
};

type Settings = Omit<StoreHandlerOptions, "defaultRetention"> & {
  readonly defaultRetention: Retention;
  readonly valueCharsMax: number;
  readonly bodyBytesMax: number;
};

interface Call {
  readonly backend: StateBackend;
  readonly settings: Settings;
  readonly request: Request;
  readonly route: Route;
}

/**
 * Creates a request handler that serves task state over HTTP, in the shape of Airflow's core REST
 * API: list, get, put, patch, delete one key, delete all.
 *
 * Holds: whatever is sent, the response body is JSON or empty; an error is `{ "detail": ... }`
 * without a stack, where a 422 details a list of `{ type, loc, msg }`. The backend is not called for a request whose token does not allow it.
 *
 * @example Write a key and read it back
 * ```ts
 * import { MemoryStateBackend } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 * import { createStoreHandler } from "faultlane/store-http";
 *
 * const token = "at-least-16-characters";
 * const handler = createStoreHandler(new MemoryStateBackend(), {
 *   clock: systemClock,
 *   grants: [{ token }],
 * });
 * const url =
 *   "http://localhost/api/v2/dags/etl/dagRuns/r1/taskInstances/load/state-store/last_page";
 * const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
 * await handler(new Request(url, { method: "PUT", headers, body: `{ "value": 5 }` }));
 * const response = await handler(new Request(url, { headers }));
 * console.log(((await response.json()) as { value: number }).value); // => 5
 * ```
 *
 * @throws {TypeError} when there is no grant, or the default retention is no duration
 * @throws {RangeError} when a token is too short, or the default retention negative
 *
 * Source: Airflow 3.3, core REST API, the state store of a task instance (A91 to A96)
 */
export function createStoreHandler(
  backend: StateBackend,
  options: StoreHandlerOptions,
): (request: Request) => Promise<Response> {
  const grants = checkedGrants(options.grants);
  const { valueCharsMax = VALUE_CHARS_MAX, bodyBytesMax = BODY_BYTES_DEFAULT } = options;
  const { defaultRetention = DEFAULT_RETENTION } = options;
  // A retention that no write could use is refused before the first request.
  expiresAtFrom(undefined, defaultRetention, options.clock.wallNow());
  const settings: Settings = { ...options, defaultRetention, valueCharsMax, bodyBytesMax };
  const logger = options.logger ?? consoleLogger;
  return async (request) => {
    try {
      const grant = grantOf(request, grants);
      const route = routeOf(request);
      const act = ACT_OF[request.method];
      const allowed = route.key === undefined ? "GET, DELETE" : "GET, PUT, PATCH, DELETE";
      if (act === undefined || !allowed.split(", ").includes(request.method)) {
        throw new HttpError(405, `This path accepts ${allowed}`, { allow: allowed });
      }
      requireGrantFor(route, grant, act);
      return await respond({ backend, settings, request, route });
    } catch (error) {
      return errorResponse(error, logger);
    }
  };
}

function requireGrantFor({ scope, query, key }: Route, grant: Grant, act: Act): void {
  requireGrant(grant, act, scope);
  // A grant for one map index must not clear its siblings.
  if (grant.only === undefined || key !== undefined || act !== "delete") return;
  if (booleanParameter(query, "all_map_indices")) {
    throw new HttpError(403, "This token may not delete the state of other map indices");
  }
}

function respond(call: Call): Promise<Response> {
  const { request, route } = call;
  if (route.key === undefined) return request.method === "GET" ? list(call) : deleteAll(call);
  const key = keyFrom(route.key);
  switch (request.method) {
    case "GET":
      return get(call, key);
    case "PUT":
      return put(call, key);
    case "PATCH":
      return patch(call, key);
    default:
      return deleteOne(call, key);
  }
}

async function list({ backend, settings, route }: Call): Promise<Response> {
  const limit = integerParameter(route.query, "limit", { min: 0, fallback: PAGE_DEFAULT });
  const offset = integerParameter(route.query, "offset", { min: 0, fallback: 0 });
  const now = settings.clock.wallNow();
  const page = await backend.list(route.scope, { limit: Math.min(limit, PAGE_MAX), offset, now });
  return json(200, {
    task_state_store: page.entries.map(documentFrom),
    total_entries: page.total,
  });
}

async function get(call: Call, key: string): Promise<Response> {
  return json(200, documentFrom(await visibleEntry(call, key)));
}

async function put(call: Call, key: string): Promise<Response> {
  const { backend, settings, request, route } = call;
  const body = await bodyOf(request, settings.bodyBytesMax);
  await requireTaskInstance(call);
  const members = membersOf(body, ["value", "expires_at", "expected"]);
  const now = Math.floor(settings.clock.wallNow());
  const expiresAt = expiryFrom(members["expires_at"], settings, now);
  const text = textFrom(call, key, members["value"]);
  const write = { expiresAt, updatedAt: now, writer: { kind: "api" } } as const;
  const { expected } = members;
  if (expected === undefined) await backend.set(route.scope, key, text, write);
  else await exchange(call, key, { expected, text, write });
  return new Response(null, { status: 204 });
}

interface Exchange {
  /** The value that has to be there; null: none. */
  readonly expected: JsonValue;
  readonly text: string;
  readonly write: WriteOptions;
}

/** @throws {HttpError} 412 when another value is there, or is written meanwhile */
async function exchange(
  { backend, settings, route }: Call,
  key: string,
  { expected, text, write }: Exchange,
): Promise<void> {
  if (backend.compareAndSet === undefined) {
    throw new HttpError(501, "The backend of this store cannot compare values");
  }
  const entry = await backend.get(route.scope, key);
  const isThere = entry !== undefined && !isExpired(entry.expiresAt, settings.clock.wallNow());
  if (isEqualJson(isThere ? jsonValueFromText(entry.value) : null, expected)) {
    const change = { expected: entry?.value ?? null, value: text };
    if (await backend.compareAndSet(route.scope, key, change, write)) return;
  }
  throw new HttpError(412, `Another value is stored under ${JSON.stringify(key)}`);
}

async function patch(call: Call, key: string): Promise<Response> {
  const { backend, settings, request, route } = call;
  const body = await bodyOf(request, settings.bodyBytesMax);
  await requireTaskInstance(call);
  const text = textFrom(call, key, membersOf(body, ["value"])["value"]);
  const { expiresAt } = await visibleEntry(call, key);
  const write = {
    updatedAt: Math.floor(settings.clock.wallNow()),
    writer: { kind: "api" },
  } as const;
  if (backend.update === undefined) {
    await backend.set(route.scope, key, text, { ...write, expiresAt });
  } else if (!(await backend.update(route.scope, key, text, write))) {
    throw absent(key);
  }
  return json(200, null);
}

async function deleteOne(call: Call, key: string): Promise<Response> {
  await requireTaskInstance(call);
  await call.backend.delete(call.route.scope, key);
  return new Response(null, { status: 204 });
}

async function deleteAll(call: Call): Promise<Response> {
  const allMapIndices = booleanParameter(call.route.query, "all_map_indices");
  await requireTaskInstance(call, { anyMapIndex: allMapIndices });
  await call.backend.clear(call.route.scope, { allMapIndices });
  return new Response(null, { status: 204 });
}

async function requireTaskInstance(
  { settings, route }: Call,
  { anyMapIndex = false }: { readonly anyMapIndex?: boolean } = {},
): Promise<void> {
  const { scope } = route;
  const mapIndex = anyMapIndex ? undefined : scope.mapIndex;
  if ((await settings.hasTaskInstance?.({ ...scope, mapIndex })) ?? true) return;
  throw new HttpError(404, "There is no such task instance");
}

async function visibleEntry({ backend, settings, route }: Call, key: string): Promise<StateEntry> {
  const entry = await backend.get(route.scope, key);
  if (entry === undefined || isExpired(entry.expiresAt, settings.clock.wallNow())) {
    throw absent(key);
  }
  return entry;
}

function absent(key: string): HttpError {
  return new HttpError(404, `Nothing is stored under ${JSON.stringify(key)}`);
}

function keyFrom(text: string): string {
  try {
    return checkedKey(text);
  } catch (error) {
    throw unprocessable("value_error", ["path", "key"], (error as Error).message);
  }
}

function textFrom({ backend, settings, route }: Call, key: string, value: unknown): string {
  const { valueCharsMax } = settings;
  try {
    const { scope } = route;
    const target = { backend, scope, valueCharsMax, charsOf: pythonJsonChars };
    return storedTextFrom(target, key, value);
  } catch (error) {
    throw unprocessable("value_error", ["body", "value"], (error as Error).message);
  }
}

/** Undefined and `"default"` mean the default retention, null never, a string that instant. */
function expiryFrom(given: JsonValue | undefined, settings: Settings, now: number): number | null {
  if (given === null) return null;
  if (given === undefined || given === "default") {
    return expiresAtFrom(undefined, settings.defaultRetention, now);
  }
  const instant = typeof given === "string" ? instantFromIso(given) : undefined;
  if (instant === undefined || instant < 0 || instant > EXPIRES_AT_MAX_MS) {
    const message = 'expires_at must be "default", null, or a date with a time and a zone';
    throw unprocessable("value_error", ["body", "expires_at"], message);
  }
  return instant;
}

function documentFrom({ key, value, updatedAt, expiresAt }: StateEntry): object {
  const times = { updated_at: isoOrNull(updatedAt), expires_at: isoOrNull(expiresAt) };
  try {
    return { key, value: jsonValueFromText(value), ...times };
  } catch {
    // Listed all the same, so that a person can find and delete it.
    return { key, value: null, ...times, unreadable: true };
  }
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : isoFromInstant(instant);
}

function errorResponse(error: unknown, logger: Logger): Response {
  if (error instanceof HttpError) {
    return json(error.status, { detail: error.detail }, error.headers);
  }
  logger.error("The state store failed while serving a request", { error });
  return json(503, { detail: "The state store failed" });
}

function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}
