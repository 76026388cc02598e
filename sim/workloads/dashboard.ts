import { STATE_MODEL_KEY, type StoreScope } from "../../src/store/mod.ts";
import type { ChoiceStream } from "../choices/choices.ts";
import type { ApiAddress } from "../hosts/api-server.ts";
import type { HttpAnswer, HttpAsk } from "../hosts/http-api.ts";
import type { Life } from "../hosts/life.ts";
import { scopeText } from "../hosts/traced-store.ts";
import { epochMsFrom, instantText } from "../trace/epoch.ts";
import type { HttpEvent, ShownEntry } from "../trace/http-events.ts";

/** State that somebody may look at. */
export interface ShownScope {
  readonly scope: StoreScope;
  /** Whether it is the one value of a model of AIP-30, which has no key. */
  readonly isModel: boolean;
  /** A key that a task has there. */
  readonly key: string;
  /** Whether notes may be left there: nothing is owed of what else the scope holds. */
  readonly takesNotes: boolean;
}

export interface DashboardOptions {
  readonly api: ApiAddress;
  readonly everyMs: number;
  /** What there is to look at now, in a fixed order. */
  readonly scopes: () => readonly ShownScope[];
  /** Returns a number that no request of this run has had. */
  readonly number: () => number;
}

/** What a request asks, without its number. */
type Asked = Omit<Extract<HttpEvent, { kind: "http-asked" }>, "kind" | "request" | "scope">;

const NOTE = "note";
/** Where a note is to expire, it does so this long after it is written, at first. */
const EXPIRES_MS = 10_000;

/**
 * Starts one incarnation of a dashboard: somebody who looks at the state of tasks over HTTP while
 * they run, and leaves notes there, under a key of their own.
 */
export function startDashboard(life: Life, options: DashboardOptions): void {
  const choice = life.choices("workload");
  const again = (): void => {
    life.after(options.everyMs, () => void look(life, choice, options).then(again, again));
  };
  again();
}

async function look(life: Life, choice: ChoiceStream, options: DashboardOptions): Promise<void> {
  const scopes = options.scopes();
  if (scopes.length === 0) return;
  const shown = scopes[choice.choose(scopes.length, "whose state")] as ShownScope;
  const request = options.number();
  const asked = askedOf(life, choice, shown, request);
  life.trace({ kind: "http-asked", request, scope: scopeText(shown.scope), ...asked });
  const answer = await life.callAsync("api.http-state", options.api.host, () =>
    options.api.server().http.answer(requestOf(shown, asked)),
  );
  const { status } = answer;
  life.trace({ kind: "http-answered", request, status, ...shownBy(answer, asked, shown) });
}

function askedOf(life: Life, choice: ChoiceStream, to: ShownScope, request: number): Asked {
  const reads = { method: "GET", key: "", value: null } as const;
  if (to.isModel) return { ...reads, key: STATE_MODEL_KEY };
  const acts = to.takesNotes ? 7 : 2;
  const value = String(request);
  switch (
    choice.choose(acts, "look, look at a key, write, write for a while, change, exchange, delete")
  ) {
    case 1:
      return { ...reads, key: choice.choose(2, "which key") === 0 ? to.key : NOTE };
    case 2:
      return { method: "PUT", key: NOTE, value, expiresAt: null };
    case 3:
      return { method: "PUT", key: NOTE, value, expiresAt: life.clock.wallNow() + EXPIRES_MS };
    case 4:
      return { method: "PATCH", key: NOTE, value };
    case 5:
      return { method: "PUT", key: NOTE, value, expected: null };
    case 6:
      return { method: "DELETE", key: NOTE, value: null };
    default:
      return reads;
  }
}

function requestOf({ scope, isModel }: ShownScope, asked: Asked): HttpAsk {
  const { method, key, value, expected, expiresAt } = asked;
  const of = isModel ? "state-model" : `state-store${key === "" ? "" : `/${key}`}`;
  const [path, query] = placeOf(scope);
  if (value === null) return { method, path: `/api/v2${path}/${of}${query}` };
  const members = [
    `"value":${value}`,
    ...(expected === undefined ? [] : [`"expected":${expected}`]),
    ...(expiresAt === undefined
      ? []
      : [`"expires_at":${expiresAt === null ? "null" : `"${instantText(expiresAt)}"`}`]),
  ];
  return { method, path: `/api/v2${path}/${of}${query}`, body: `{${members.join()}}` };
}

/** Where the state of a scope is, up to its form, and the query. */
function placeOf(scope: StoreScope): readonly [path: string, query: string] {
  switch (scope.kind) {
    case "task-instance": {
      const { dagId, runId, taskId, mapIndex } = scope;
      const path = `/dags/${dagId}/dagRuns/${runId}/taskInstances/${taskId}`;
      return [path, `?map_index=${mapIndex}`];
    }
    case "task":
      return [`/dags/${scope.dagId}/tasks/${scope.taskId}`, ""];
    case "process":
      return [`/processes/${scope.namespace}/${scope.processName}`, ""];
    case "asset":
      return ["/assets", `?name=${scope.name}`];
    default:
      return scope satisfies never;
  }
}

type Shown = Pick<Extract<HttpEvent, { kind: "http-answered" }>, "total" | "shown">;

function shownBy({ status, body }: HttpAnswer, asked: Asked, { isModel }: ShownScope): Shown {
  if (asked.method !== "GET" || status !== 200) return { total: 0, shown: [] };
  const document = JSON.parse(body) as Readonly<Record<string, unknown>>;
  if (isModel)
    return {
      total: 1,
      shown: [entryFrom({ ...document, key: STATE_MODEL_KEY, updated_at: document["timestamp"] })],
    };
  if (asked.key !== "") return { total: 1, shown: [entryFrom(document)] };
  const collection = Object.values(document).find((member) => Array.isArray(member));
  const shown = (collection as readonly Readonly<Record<string, unknown>>[]).map(entryFrom);
  return { total: document["total_entries"] as number, shown };
}

function entryFrom(document: Readonly<Record<string, unknown>>): ShownEntry {
  const { key, value, updated_at: updated, expires_at: expires } = document;
  return {
    key: key as string,
    value: JSON.stringify(value),
    updatedAt: instantOrNull(updated),
    ...(expires !== undefined && { expiresAt: instantOrNull(expires) }),
  };
}

function instantOrNull(text: unknown): number | null {
  return typeof text === "string" ? epochMsFrom(text) : null;
}
