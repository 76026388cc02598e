import { expect } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import type { StateBackend } from "../../src/store/mod.ts";
import { createStoreHandler, type StoreHandlerOptions } from "../../src/store-http/mod.ts";

export const TOKEN = "correct-horse-battery";
const ROOT = "http://127.0.0.1/api/v2/dags/etl/dagRuns/r1/taskInstances/load/state-store";
interface Received {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export type SendInit = Omit<RequestInit, "headers"> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
};
type Send = (method: string, path: string, init?: SendInit) => Promise<Received>;

/** Returns a client of a handler over `backend`; it sends the token by default. */
export function serve(backend: StateBackend, options: Partial<StoreHandlerOptions> = {}): Send {
  const handler = createStoreHandler(backend, {
    clock: new VirtualClock(),
    grants: [{ token: TOKEN }],
    ...options,
  });
  return async (method, path, { token = TOKEN, ...init } = {}) => {
    const headers = new Headers({ "content-type": "application/json", ...init.headers });
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    const url = path.startsWith("http") ? path : `${ROOT}${path}`;
    const response = await handler(new Request(url, { method, ...init, headers }));
    const text = await response.text();
    if (text !== "") expect(response.headers.get("content-type")).toBe("application/json");
    return {
      status: response.status,
      body: text === "" ? undefined : JSON.parse(text),
      headers: response.headers,
    };
  };
}

export const body = (value: unknown): SendInit => ({ body: JSON.stringify(value) });
