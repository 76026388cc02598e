/**
 * Task state over HTTP, for reading and for editing by hand: a plain handler of web requests, which
 * every runtime serves in a line.
 *
 * ```ts
 * const handler = createStoreHandler(backend, { clock: systemClock, grants: [{ token }] });
 * Deno.serve({ hostname: "127.0.0.1" }, handler);
 * ```
 *
 * - **Paths** are Airflow's:
 *   `/api/v2/dags/{dag}/dagRuns/{run}/taskInstances/{task}/state-store[/{key}]?map_index=-1`.
 * - **Every request** needs a bearer token; tokens are compared in constant time.
 * - **Every error** is `{ "detail": ... }` without a stack; bodies are bounded.
 * - **Edits** go through the backend that tasks use, and share their encoding (A95, A96).
 *
 * @module
 */
export { createStoreHandler, type StoreHandlerOptions } from "./handler.ts";
