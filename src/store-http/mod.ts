/**
 * Task state over HTTP, for reading and editing it by hand: a handler of web-standard requests,
 * which Node, Deno and Bun serve in a line.
 *
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
 * // Deno.serve({ hostname: "127.0.0.1" }, handler) serves it.
 * const url = "http://localhost/api/v2/dags/etl/dagRuns/r1/taskInstances/load/state-store";
 * const headers = { authorization: `Bearer ${token}` };
 * console.log(await (await handler(new Request(url, { headers }))).text());
 * // => {"task_state_store":[],"total_entries":0}
 * ```
 *
 * - **Paths** are Airflow's:
 *   `/api/v2/dags/{dag}/dagRuns/{run}/taskInstances/{task}/state-store[/{key}]?map_index=-1`.
 * - **Every request** needs a bearer token; tokens are compared in constant time.
 * - **Every error** is `{ "detail": ... }` without a stack; request bodies are bounded.
 * - **Compare and set**, which Airflow does not have: a PUT whose body has `expected` writes only
 *   if that value is stored, or none where it is null; otherwise the status is 412.
 * - **Edits** go through the backend that tasks use and share their encoding: what is written here
 *   is what a task reads.
 *
 * @module
 */
export type { Act, Grant } from "./access.ts";
export { createStoreHandler, type StoreHandlerOptions } from "./handler.ts";
