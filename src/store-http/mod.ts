/**
 * The state of task instances, tasks, processes and assets over HTTP, for reading and editing it by
 * hand: a handler of web-standard requests, which Node, Deno and Bun serve in a line.
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
 * - **Paths**, each with `/api/v2` before it or not, and each followed by `/state-store[/{key}]`:
 *   - `/dags/{dag}/dagRuns/{run}/taskInstances/{task}` with `?map_index=-1`, as in Airflow
 *   - `/assets/{asset_id}`, as in Airflow, where the handler is given `findAsset`
 *   - `/assets` with `?name=`, `?uri=` or both: an asset as tasks refer to it
 *   - `/dags/{dag}/tasks/{task}`: a task across its runs
 *   - `/processes/{namespace}/{process}`: a process with a name of its own
 * - **AIP-30's one value** of a task instance, a task or a process is at `/state-model` in place of
 *   `/state-store`: `{ "value": ..., "timestamp": ... }`. It never expires.
 * - **What there is**: GET of `/processes` lists the namespaces that have state, of
 *   `/processes/{namespace}` the processes of one.
 * - **Expiry** is of task instances, and of tasks and processes where a write names one; the state
 *   of an asset has none, shows who wrote it last, and takes no PATCH.
 * - **Every request** needs a bearer token; tokens are compared in constant time.
 * - **Every error** is `{ "detail": ... }` without a stack; request bodies are bounded.
 * - **Compare and set**, which Airflow does not have: a PUT whose body has `expected` writes only
 *   if that value is stored, or none where it is null; otherwise the status is 412.
 * - **Otherwise than Airflow's API**: what has expired is absent, where Airflow shows it until its
 *   clean-up; a key has 1 to 512 characters and a number at most four bytes on every route (422),
 *   where Airflow looks first whether there is such a row, or leaves it to its database; what a
 *   JavaScript number cannot hold (`1e400`, integers of 2^53 and more) is refused (422) before
 *   anything is looked up; times have milliseconds; one thing that is wrong is told, not all of
 *   them, in words of its own; another content type is 415 (Airflow: 422), none is taken for JSON.
 * - **Edits** go through the backend that tasks use and share their encoding: what is written here
 *   is what a task reads.
 *
 * @module
 */
export type { Act, Grant } from "./access.ts";
export { createStoreHandler } from "./handler.ts";
export type { StoreHandlerOptions } from "./handler-options.ts";
