import type { StateBackend, StoreScope } from "../store/mod.ts";
import { consoleLogger } from "../time/mod.ts";
import { type Act, checkedGrants, type Grant, grantOf, requireGrant } from "./access.ts";
import { respond } from "./entries.ts";
import { HttpError } from "./http-error.ts";
import { listRoute } from "./processes.ts";
import { errorResponse } from "./response.ts";
import { booleanParameter, type Route, routeOf, type StateRoute } from "./route.ts";
import { SCOPE_RULES } from "./scope-rules.ts";
import {
  type CheckedOptions,
  checkedHandlerOptions,
  type StoreHandlerOptions,
} from "./handler-options.ts";

const ACT_OF: Readonly<Record<string, Act>> = {
  GET: "read",
  PUT: "write",
  PATCH: "write",
  DELETE: "delete",
};

/**
 * Creates a request handler that serves the state of task instances, tasks, processes and assets
 * over HTTP, in the shape of Airflow's core REST API: list, get, put, patch, delete one key, delete
 * all.
 *
 * Holds: whatever is sent, the response body is JSON or empty; an error is `{ "detail": ... }`
 * without a stack, where a 422 details a list of `{ type, loc, msg }`. The backend is not called
 * for a request whose token does not allow it.
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
 * @throws {TypeError} when there is no grant, the default retention is no duration, or an option or
 *   a part of a grant is unknown
 * @throws {RangeError} when a token is too short, or the default retention negative
 *
 * Source: Airflow 3.3, core REST API, the state stores of a task instance and of an asset (A91 to
 * A96)
 */
export function createStoreHandler(
  backend: StateBackend,
  options: StoreHandlerOptions,
): (request: Request) => Promise<Response> {
  const grants = checkedGrants(options.grants);
  const checked = checkedHandlerOptions(options);
  const logger = options.logger ?? consoleLogger;
  return async (request) => {
    try {
      const grant = grantOf(request, grants);
      const route = routeOf(request);
      const act = actOf(request, route);
      if (route.kind === "processes") {
        requireGrant(grant, act, undefined);
        return await listRoute(backend, route);
      }
      const scope = await scopeOf(route, grant, act, checked);
      requireGrantFor(route, scope, grant, act);
      return await respond({ backend, options: checked, request, route, scope });
    } catch (error) {
      return errorResponse(error, logger);
    }
  };
}

/** @throws {HttpError} 405 when the path does not accept the method */
function actOf({ method }: Request, route: Route): Act {
  const act = ACT_OF[method];
  const methods = methodsOf(route);
  if (act !== undefined && methods.includes(method)) return act;
  const allow = methods.join(", ");
  throw new HttpError(405, `This path accepts ${allow}`, { allow });
}

function methodsOf(route: Route): readonly string[] {
  if (route.kind === "processes") return ["GET"];
  if (route.key === undefined) return ["GET", "DELETE"];
  if (route.isModel) return ["GET", "PUT", "DELETE"];
  return SCOPE_RULES["assetId" in route.scope ? "asset" : route.scope.kind].methods;
}

/**
 * Returns what the state of a route belongs to.
 *
 * @throws {HttpError} 404 when no asset has the number; 403 where that would tell the holder of a
 *   token for one scope which numbers there are
 */
async function scopeOf(
  { scope }: StateRoute,
  grant: Grant,
  act: Act,
  { findAsset }: CheckedOptions,
): Promise<StoreScope> {
  if (!("assetId" in scope)) return scope;
  const asset = await findAsset?.(scope.assetId);
  if (asset !== undefined) return { ...asset, kind: "asset" };
  requireGrant(grant, act, undefined);
  throw new HttpError(404, "There is no such asset");
}

function requireGrantFor(
  { query, key }: StateRoute,
  scope: StoreScope,
  grant: Grant,
  act: Act,
): void {
  requireGrant(grant, act, scope);
  // A grant for one map index must not clear its siblings.
  if (grant.only === undefined || key !== undefined || act !== "delete") return;
  if (scope.kind === "task-instance" && booleanParameter(query, "all_map_indices")) {
    throw new HttpError(403, "This token may not delete the state of other map indices");
  }
}
