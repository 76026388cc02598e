import {
  checkedKey,
  DEFAULT_RETENTION,
  EXPIRES_AT_MAX_MS,
  expiresAtFrom,
  isExpired,
  type JsonValue,
  jsonValueFromText,
  type Retention,
  type StateBackend,
  type StateEntry,
  storedTextFrom,
  type TaskInstanceScope,
  VALUE_CHARS_MAX,
} from "../../src/store/mod.ts";
import { type Clock, type Logger, silentLogger } from "../../src/time/mod.ts";
import { type Act, checkedGrants, demand, type Grant, grantOf } from "./access.ts";
import { membersOf } from "./body.ts";
import { HttpError, unprocessable } from "./http-error.ts";
import { instantFromIso, isoFromInstant } from "./iso-time.ts";
import { booleanParameter, type Route, routeOf, wholeParameter } from "./route.ts";

export interface StoreHandlerOptions {
  readonly clock: Clock;
  /** Who may do what; at least one. */
  readonly grants: readonly Grant[];
  /** For writes that do not say; zero: never. */
  readonly defaultRetention?: Retention;
  /** The longest JSON text of one value; 0: no limit. */
  readonly valueCharsMax?: number;
  /** The largest body. 1 MiB unless said otherwise. */
  readonly bodyBytesMax?: number;
  /**
   * Whether there is such a task instance, of any map index when it is undefined. Yes unless said
   * otherwise.
   */
  readonly hasTaskInstance?: (
    task: Omit<TaskInstanceScope, "mapIndex"> & { readonly mapIndex: number | undefined },
  ) => boolean | Promise<boolean>;
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

type Settings = StoreHandlerOptions & {
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
 * Task state over HTTP, in the shape of Airflow's core REST API: list, get, put, patch, delete one,
 * delete all.
 *
 * Holds: whoever sends what, the answer is JSON or empty; an error is `{ "detail": ... }` with no
 * stack in it. Nothing is read or written for a request without a token that is good for it.
 *
 * Source: spec A91 to A96
 *
 * @throws {TypeError} when there is no grant
 * @throws {RangeError} when a token is too short
 */
export function createStoreHandler(
  backend: StateBackend,
  options: StoreHandlerOptions,
): (request: Request) => Promise<Response> {
  const grants = checkedGrants(options.grants);
  const { valueCharsMax = VALUE_CHARS_MAX, bodyBytesMax = BODY_BYTES_DEFAULT } = options;
  const settings = { ...options, valueCharsMax, bodyBytesMax };
  const logger = options.logger ?? silentLogger;
  return async (request) => {
    try {
      const grant = grantOf(request, grants);
      const route = routeOf(request);
      const act = ACT_OF[request.method];
      const allowed = route.key === undefined ? "GET, DELETE" : "GET, PUT, PATCH, DELETE";
      if (act === undefined || !allowed.split(", ").includes(request.method)) {
        throw new HttpError(405, `This path takes ${allowed}`, { allow: allowed });
      }
      demandOf(grant, act, route);
      return await answer({ backend, settings, request, route });
    } catch (error) {
      return failure(error, logger);
    }
  };
}

function demandOf(grant: Grant, act: Act, { scope, query, key }: Route): void {
  demand(grant, act, scope);
  // Whoever may touch one map index only may not clear the others with it.
  if (grant.only === undefined || key !== undefined || act !== "delete") return;
  if (booleanParameter(query, "all_map_indices")) {
    throw new HttpError(403, "This token may not delete the state of other map indices");
  }
}

function answer(call: Call): Promise<Response> {
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
  const limit = wholeParameter(route.query, "limit", { min: 0, fallback: PAGE_DEFAULT });
  const offset = wholeParameter(route.query, "offset", { min: 0, fallback: 0 });
  const now = settings.clock.wallNow();
  const page = await backend.list(route.scope, { limit: Math.min(limit, PAGE_MAX), offset, now });
  return json(200, { task_state_store: page.entries.map(shown), total_entries: page.total });
}

async function get(call: Call, key: string): Promise<Response> {
  return json(200, shown(await visibleEntry(call, key)));
}

async function put(call: Call, key: string): Promise<Response> {
  const { backend, settings, request, route } = call;
  const body = await membersOf(request, ["value", "expires_at"], settings.bodyBytesMax);
  const now = Math.floor(settings.clock.wallNow());
  const expiresAt = expiryFrom(body["expires_at"], settings, now);
  const text = textFrom(call, key, body["value"]);
  await demandTaskInstance(call);
  await backend.set(route.scope, key, text, { expiresAt, updatedAt: now, writer: { kind: "api" } });
  return new Response(null, { status: 204 });
}

async function patch(call: Call, key: string): Promise<Response> {
  const { backend, settings, request, route } = call;
  const body = await membersOf(request, ["value"], settings.bodyBytesMax);
  const text = textFrom(call, key, body["value"]);
  await demandTaskInstance(call);
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
  return json(200, shown(await visibleEntry(call, key)));
}

async function deleteOne(call: Call, key: string): Promise<Response> {
  await demandTaskInstance(call);
  await call.backend.delete(call.route.scope, key);
  return new Response(null, { status: 204 });
}

async function deleteAll(call: Call): Promise<Response> {
  const allMapIndices = booleanParameter(call.route.query, "all_map_indices");
  await demandTaskInstance(call, allMapIndices);
  await call.backend.clear(call.route.scope, { allMapIndices });
  return new Response(null, { status: 204 });
}

async function demandTaskInstance({ settings, route }: Call, anyIndex?: boolean): Promise<void> {
  const { scope } = route;
  const mapIndex = anyIndex === true ? undefined : scope.mapIndex;
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
    throw unprocessable((error as Error).message);
  }
}

function textFrom({ backend, settings, route }: Call, key: string, value: unknown): string {
  const { valueCharsMax } = settings;
  try {
    return storedTextFrom({ backend, scope: route.scope, valueCharsMax }, key, value);
  } catch (error) {
    throw unprocessable((error as Error).message);
  }
}

/** `"default"` or nothing: the default; null: never; otherwise a date with a zone. */
function expiryFrom(given: JsonValue | undefined, settings: Settings, now: number): number | null {
  if (given === null) return null;
  if (given === undefined || given === "default") {
    return expiresAtFrom(undefined, settings.defaultRetention ?? DEFAULT_RETENTION, now);
  }
  const instant = typeof given === "string" ? instantFromIso(given) : undefined;
  if (instant === undefined || instant < 0 || instant > EXPIRES_AT_MAX_MS) {
    throw unprocessable('expires_at is "default", null, or a date with a time and a zone');
  }
  return instant;
}

function shown({ key, value, updatedAt, expiresAt }: StateEntry): object {
  const times = { updated_at: isoOrNull(updatedAt), expires_at: isoOrNull(expiresAt) };
  try {
    return { key, value: jsonValueFromText(value), ...times };
  } catch {
    // Shown all the same, so that it can be found and deleted.
    return { key, value: null, ...times, unreadable: true };
  }
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : isoFromInstant(instant);
}

function failure(error: unknown, logger: Logger): Response {
  if (error instanceof HttpError) {
    return json(error.status, { detail: error.message }, error.headers);
  }
  logger.error("Cannot answer a request for state", { error });
  return json(503, { detail: "The store did not answer" });
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
