import {
  checkedKey,
  EXPIRES_AT_MAX_MS,
  expiresAtFrom,
  isEqualJson,
  isExpired,
  type JsonValue,
  jsonValueFromText,
  type StateBackend,
  type StateEntry,
  storedTextFrom,
  type StoreScope,
  type WriteOptions,
} from "../store/mod.ts";
import { bodyOf, membersOf } from "./body.ts";
import { HttpError, unprocessable } from "./http-error.ts";
import { instantFromIso } from "./iso-time.ts";
import { instantFromUnix } from "./unix-time.ts";
import { pythonJsonChars } from "./python-json-chars.ts";
import { json, noContent } from "./response.ts";
import { booleanParameter, pageFrom, type StateRoute } from "./route.ts";
import { modelDocumentFrom, SCOPE_RULES, type ScopeRules } from "./scope-rules.ts";
import type { CheckedOptions } from "./handler-options.ts";

/** A request for the state of one scope. */
export interface Call {
  readonly backend: StateBackend;
  readonly options: CheckedOptions;
  readonly request: Request;
  readonly route: StateRoute;
  readonly scope: StoreScope;
}

const BY_API = { kind: "api" } as const;

/** Responds to a request that its token and its path allow. */
export async function respond(call: Call): Promise<Response> {
  const { request, route } = call;
  if (request.method === "GET" && rulesOf(call).readsNeedScope) await requireScope(call);
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

async function list(call: Call): Promise<Response> {
  const { backend, options, route, scope } = call;
  const { collection, documentFrom } = rulesOf(call);
  const now = options.clock.wallNow();
  const page = await backend.list(scope, { ...pageFrom(route.query), now });
  return json(200, {
    [collection]: page.entries.map(documentFrom),
    total_entries: page.total,
  });
}

async function get(call: Call, key: string): Promise<Response> {
  const entry = await visibleEntry(call, key);
  return json(
    200,
    call.route.isModel ? modelDocumentFrom(entry) : rulesOf(call).documentFrom(entry),
  );
}

async function put(call: Call, key: string): Promise<Response> {
  const { backend, options, request, route, scope } = call;
  const body = await bodyOf(request, options.bodyBytesMax);
  await requireScope(call);
  const known = route.isModel ? ["value", "expected"] : rulesOf(call).putMembers;
  const members = membersOf(body, known);
  const now = Math.floor(options.clock.wallNow());
  const expiresAt = route.isModel ? null : expiryFrom(members["expires_at"], call, now);
  const text = textFrom(call, key, members["value"]);
  const write = { expiresAt, updatedAt: now, writer: BY_API } as const;
  const { expected } = members;
  if (expected === undefined) await backend.set(scope, key, text, write);
  else await exchange(call, key, { expected, text, write });
  return noContent();
}

interface Exchange {
  /** The value that has to be there; null: none. */
  readonly expected: JsonValue;
  readonly text: string;
  readonly write: WriteOptions;
}

/** @throws {HttpError} 412 when another value is there, or is written meanwhile */
async function exchange(
  { backend, options, scope }: Call,
  key: string,
  { expected, text, write }: Exchange,
): Promise<void> {
  if (backend.compareAndSet === undefined) {
    throw new HttpError(501, "The backend of this store cannot compare values");
  }
  const entry = await backend.get(scope, key);
  const isThere = entry !== undefined && !isExpired(entry.expiresAt, options.clock.wallNow());
  if (isEqualJson(isThere ? jsonValueFromText(entry.value) : null, expected)) {
    const change = { expected: entry?.value ?? null, value: text };
    if (await backend.compareAndSet(scope, key, change, write)) return;
  }
  throw new HttpError(412, `Another value is stored under ${JSON.stringify(key)}`);
}

async function patch(call: Call, key: string): Promise<Response> {
  const { backend, options, request, scope } = call;
  const body = await bodyOf(request, options.bodyBytesMax);
  await requireScope(call);
  const text = textFrom(call, key, membersOf(body, ["value"])["value"]);
  const { expiresAt } = await visibleEntry(call, key);
  const write = { updatedAt: Math.floor(options.clock.wallNow()), writer: BY_API } as const;
  if (backend.update === undefined) {
    await backend.set(scope, key, text, { ...write, expiresAt });
  } else if (!(await backend.update(scope, key, text, write))) {
    throw absent(key);
  }
  return json(200, null);
}

async function deleteOne(call: Call, key: string): Promise<Response> {
  await requireScope(call);
  await call.backend.delete(call.scope, key);
  return noContent();
}

async function deleteAll(call: Call): Promise<Response> {
  const { backend, route, scope } = call;
  const allMapIndices =
    scope.kind === "task-instance" && booleanParameter(route.query, "all_map_indices");
  await requireScope(call, { anyMapIndex: allMapIndices });
  await backend.clear(scope, { allMapIndices });
  return noContent();
}

/** @throws {HttpError} 404 when what the state belongs to does not exist */
async function requireScope(
  call: Call,
  { anyMapIndex = false }: { readonly anyMapIndex?: boolean } = {},
): Promise<void> {
  const { scope, options } = call;
  const exists =
    scope.kind === "task-instance"
      ? options.hasTaskInstance?.({ ...scope, mapIndex: anyMapIndex ? undefined : scope.mapIndex })
      : options.hasScope?.(scope);
  if ((await exists) ?? true) return;
  throw new HttpError(404, `There is no such ${rulesOf(call).noun}`);
}

async function visibleEntry({ backend, options, scope }: Call, key: string): Promise<StateEntry> {
  const entry = await backend.get(scope, key);
  if (entry === undefined || isExpired(entry.expiresAt, options.clock.wallNow())) {
    throw absent(key);
  }
  return entry;
}

function absent(key: string): HttpError {
  return new HttpError(404, `Nothing is stored under ${JSON.stringify(key)}`);
}

function rulesOf({ scope }: Call): ScopeRules {
  return SCOPE_RULES[scope.kind];
}

function keyFrom(text: string): string {
  try {
    return checkedKey(text);
  } catch (error) {
    throw unprocessable("value_error", ["path", "key"], (error as Error).message);
  }
}

function textFrom({ backend, options, scope }: Call, key: string, value: unknown): string {
  const { valueCharsMax } = options.settings;
  try {
    const target = { backend, scope, valueCharsMax, charsOf: pythonJsonChars };
    return storedTextFrom(target, key, value);
  } catch (error) {
    throw unprocessable("value_error", ["body", "value"], (error as Error).message);
  }
}

/** Undefined and `"default"` mean the default retention, null never, anything else an instant. */
function expiryFrom(given: JsonValue | undefined, call: Call, now: number): number | null {
  if (given === null) return null;
  if (given === undefined || given === "default") {
    if (!rulesOf(call).expiresByDefault) return null;
    return expiresAtFrom(undefined, call.options.settings.defaultRetention, now);
  }
  const instant = instantFrom(given);
  if (instant === undefined || instant < 0 || instant > EXPIRES_AT_MAX_MS) {
    const message =
      'expires_at must be "default", null, a Unix time, or a date with a time and a zone';
    throw unprocessable("value_error", ["body", "expires_at"], message);
  }
  return instant;
}

function instantFrom(given: JsonValue): number | undefined {
  if (typeof given === "string") return instantFromIso(given) ?? instantFromUnix(given);
  return typeof given === "number" ? instantFromUnix(given) : undefined;
}
