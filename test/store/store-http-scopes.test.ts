import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  AssetStateStore,
  MemoryStateBackend,
  type StateBackend,
  StateModel,
  stateStoreSettings,
  TaskStateStore,
} from "../../src/store/mod.ts";
import { plainBackend } from "./broken-backends.ts";
import { recordingBackend } from "./recording-backend.ts";
import { body, serve, TOKEN } from "./serve-store.ts";

const API = "http://127.0.0.1/api/v2";
const TASK = `${API}/dags/etl/tasks/load/state-store`;
const PROCESS = `${API}/processes/acquisition/orders/state-store`;
const ASSET = `${API}/assets/state-store`;
const BY_NAME = "?name=orders";
const NOW = "2026-01-01T00:00:00.000Z";
const clock = new VirtualClock();

/** The paths of the scopes beside task instances, with the name of their collection. */
const SCOPES = [
  ["a task", TASK, "", "task_state"],
  ["a process", PROCESS, "", "process_state"],
  ["an asset", ASSET, BY_NAME, "asset_state_store"],
] as const;

describe.each(SCOPES)("the state of %s over HTTP", (_, path, query, collection) => {
  test("is put, read, listed and deleted, and never expires by default", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend, {
      settings: stateStoreSettings({ defaultRetention: { hours: 1 } }),
    });
    expect((await send("GET", `${path}/k${query}`)).status).toBe(404);
    for (const key of ["b", "a"]) {
      const { status } = await send("PUT", `${path}/${key}${query}`, body({ value: [key] }));
      expect(status).toBe(204);
    }
    const page = query === "" ? "?limit=1" : `${query}&limit=1`;
    expect((await send("GET", `${path}${page}`)).body).toMatchObject({
      [collection]: [{ key: "a", value: ["a"], updated_at: NOW }],
      total_entries: 2,
    });
    const [{ scope } = {}] = (await backend.listScopes({ limit: 1, offset: 0 })).scopes;
    expect(scope).toBeDefined();
    if (scope !== undefined) {
      expect(await backend.get(scope, "a")).toMatchObject({
        expiresAt: null,
        writer: { kind: "api" },
      });
    }
    expect((await send("DELETE", `${path}/a${query}`)).status).toBe(204);
    expect((await send("GET", `${path}/a${query}`)).status).toBe(404);
    expect((await send("DELETE", `${path}${query}`)).status).toBe(204);
    expect((await send("GET", `${path}${query}`)).body).toEqual({
      [collection]: [],
      total_entries: 0,
    });
  });

  test("is written only where the expected value is, with `expected`", async () => {
    const send = serve(new MemoryStateBackend());
    const statuses = [];
    for (const sent of [
      { value: 1, expected: 0 },
      { value: 1, expected: null },
      { value: 2, expected: null },
      { value: 2, expected: 1 },
    ]) {
      statuses.push((await send("PUT", `${path}/k${query}`, body(sent))).status);
    }
    expect(statuses).toEqual([412, 204, 412, 204]);
  });

  test.each([
    ["null", "PUT", "/k", { value: null }, 422, "value must not be null: delete the key instead"],
    ["an unknown member", "PUT", "/k", { value: 1, ttl: 5 }, 422, "the member"],
    ["a key too long", "PUT", `/${"x".repeat(513)}`, { value: 1 }, 422, "513 characters"],
    ["a value too long", "PUT", "/k", { value: "x".repeat(70_000) }, 422, "the limit is 65535"],
    ["a body too long", "PUT", "/k", { value: "x".repeat(1_100_000) }, 413, "1048576 bytes"],
    ["a put of all", "PUT", "", { value: 1 }, 405, "This path accepts GET, DELETE"],
  ] as const)(
    "refuses %s without calling the store",
    async (_title, method, key, sent, status, reason) => {
      const { backend, calls } = recordingBackend();
      const told = await serve(backend)(method, `${path}${key}${query}`, body(sent));
      expect(told.status).toBe(status);
      expect(JSON.stringify(told.body)).toContain(reason);
      expect(calls.filter((name) => name !== "storedChars")).toEqual([]);
    },
  );

  test("is 404 for a write or a delete where the scope does not exist", async () => {
    const { backend, calls } = recordingBackend();
    const send = serve(backend, { hasScope: () => false });
    for (const [method, key, init] of [
      ["PUT", "/k", body({ value: 1 })],
      ["DELETE", "/k", {}],
      ["DELETE", "", {}],
    ] as const) {
      expect((await send(method, `${path}${key}${query}`, init)).status).toBe(404);
    }
    expect(calls).toEqual([]);
  });

  test("is open to a token for it, and not to one for another scope", async () => {
    const [one, other] = ["a-token-for-this-scope", "a-token-for-another-one"];
    const backend = new MemoryStateBackend();
    await serve(backend)("PUT", `${path}/k${query}`, body({ value: 1 }));
    const scope = (await backend.listScopes({ limit: 1, offset: 0 })).scopes[0]?.scope;
    const send = serve(backend, {
      grants: [
        { token: one, ...(scope === undefined ? {} : { only: scope }) },
        { token: other, only: { kind: "task", dagId: "etl", taskId: "another" } },
      ],
    });
    expect((await send("GET", `${path}/k${query}`, { token: one })).status).toBe(200);
    expect((await send("GET", `${path}/k${query}`, { token: other })).status).toBe(403);
    expect((await send("DELETE", `${path}${query}`, { token: one })).status).toBe(204);
  });
});

describe("the state of an asset over HTTP", () => {
  test("shows who wrote it last, and has neither an expiry nor a PATCH, as in Airflow", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    const writer = {
      kind: "task",
      dagId: "etl",
      runId: "r1",
      taskId: "load",
      mapIndex: 2,
    } as const;
    const store = new AssetStateStore(backend, { name: "orders" }, { clock, writer });
    await store.set("watermark", 17);
    expect((await send("GET", `${ASSET}/watermark${BY_NAME}`)).body).toEqual({
      key: "watermark",
      value: 17,
      updated_at: NOW,
      last_updated_by: {
        kind: "task",
        dag_id: "etl",
        run_id: "r1",
        task_id: "load",
        map_index: 2,
      },
    });
    await send("PUT", `${ASSET}/watermark${BY_NAME}`, body({ value: 18 }));
    expect((await send("GET", `${ASSET}/watermark${BY_NAME}`)).body).toMatchObject({
      last_updated_by: { kind: "api", dag_id: null, map_index: null },
    });
    expect(await store.get("watermark")).toBe(18);
    const expiring = body({ value: 1, expires_at: null });
    expect((await send("PUT", `${ASSET}/k${BY_NAME}`, expiring)).status).toBe(422);
    const { status, headers } = await send("PATCH", `${ASSET}/k${BY_NAME}`, body({ value: 1 }));
    expect([status, headers.get("allow")]).toEqual([405, "GET, PUT, DELETE"]);
  });

  test("is at the number of the asset where the handler can find it, as in Airflow", async () => {
    const backend = new MemoryStateBackend();
    const assets = new Map([[7, { name: "orders", uri: "s3://shop/orders" }]]);
    const send = serve(backend, { findAsset: (id) => assets.get(id) });
    expect((await send("PUT", `${API}/assets/7/state-store/a/b`, body({ value: 1 }))).status).toBe(
      204,
    );
    expect(await backend.get({ kind: "asset", ...assets.get(7) }, "a/b")).toBeDefined();
    const named = `${ASSET}/a/b?name=orders&uri=s3%3A%2F%2Fshop%2Forders`;
    expect((await send("GET", named)).body).toMatchObject({ value: 1 });
    expect(await send("GET", `${API}/assets/8/state-store`)).toMatchObject({
      status: 404,
      body: { detail: "There is no such asset" },
    });
    expect((await send("GET", `${API}/assets/orders/state-store`)).body).toMatchObject({
      detail: [{ type: "int_parsing", loc: ["path", "asset_id"] }],
    });
    for (const id of ["1.5", "9007199254740993", "1e3", "-", "0x7", "%20"]) {
      const { status } = await send("GET", `${API}/assets/${id}/state-store`);
      expect([id, status]).toEqual([id, 422]);
    }
    expect((await serve(backend)("GET", `${API}/assets/7/state-store`)).status).toBe(404);
  });

  test("needs a name or a URI, and an asset that exists, for reads too", async () => {
    const send = serve(new MemoryStateBackend(), { hasScope: () => false });
    expect((await send("GET", ASSET)).body).toMatchObject({
      detail: [{ type: "missing", loc: ["query", "name"] }],
    });
    expect((await send("GET", `${ASSET}${BY_NAME}`)).status).toBe(404);
    expect((await send("GET", `${ASSET}/k${BY_NAME}`)).status).toBe(404);
    expect((await send("GET", TASK)).status).toBe(200);
  });

  test("does not tell the holder of a token for something else which numbers there are", async () => {
    const token = "a-token-of-one-worker";
    const send = serve(new MemoryStateBackend(), {
      findAsset: (id) => (id === 7 ? { name: "orders" } : undefined),
      grants: [{ token, only: { kind: "asset", name: "refunds" } }],
    });
    for (const id of [7, 8]) {
      const { status } = await send("GET", `${API}/assets/${id}/state-store`, { token });
      expect(status).toBe(403);
    }
  });
});

describe("the state of a task and of a process over HTTP", () => {
  test.each([TASK, PROCESS])("expires where a write says so, and is patched: %s", async (path) => {
    const send = serve(new MemoryStateBackend());
    const expires_at = "2027-01-01T00:00:00.000Z";
    expect((await send("PUT", `${path}/k`, body({ value: 1, expires_at }))).status).toBe(204);
    expect((await send("PATCH", `${path}/k`, body({ value: 2 }))).status).toBe(200);
    expect((await send("GET", `${path}/k`)).body).toEqual({
      key: "k",
      value: 2,
      updated_at: NOW,
      expires_at,
    });
    await send("PUT", `${path}/k`, body({ value: 3, expires_at: "default" }));
    expect((await send("GET", `${path}/k`)).body).toMatchObject({ expires_at: null });
  });

  test("is what tasks read, and the reverse", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
    const store = new TaskStateStore(backend, scope, { clock });
    await send("PUT", `${TASK}/low`, body({ value: "2026-11-23" }));
    expect(await store.get("low")).toBe("2026-11-23");
  });
});

describe("AIP-30's one value over HTTP", () => {
  const INSTANCE = `${API}/dags/etl/dagRuns/r1/taskInstances/load/state-model`;
  const instance = {
    kind: "task-instance",
    dagId: "etl",
    runId: "r1",
    taskId: "load",
    mapIndex: -1,
  } as const;
  const process = { kind: "process", namespace: "acquisition", processName: "orders" } as const;
  test.each([
    ["TaskInstanceState", INSTANCE, instance],
    [
      "TaskState",
      `${API}/dags/etl/tasks/load/state-model`,
      { kind: "task", dagId: "etl", taskId: "load" },
    ],
    ["ProcessState", `${API}/processes/acquisition/orders/state-model`, process],
  ] as const)(
    "%s has no key, shows when it was written, and never expires",
    async (_, url, scope) => {
      const backend = new MemoryStateBackend();
      const send = serve(backend, {
        settings: stateStoreSettings({ defaultRetention: { hours: 1 } }),
      });
      const state = new StateModel(backend, scope, { clock });
      expect((await send("GET", url)).status).toBe(404);
      expect((await send("PUT", url, body({ value: "2026-11-21" }))).status).toBe(204);
      expect(await state.read()).toEqual({ value: "2026-11-21", timestamp: clock.wallNow() });
      expect((await backend.get(scope, "state"))?.expiresAt).toBe(null);
      await state.raise("2026-11-23");
      expect((await send("GET", url)).body).toEqual({ value: "2026-11-23", timestamp: NOW });
      const edit = { value: "2026-11-01", expected: "2026-11-21" };
      expect((await send("PUT", url, body(edit))).status).toBe(412);
      expect((await send("PUT", url, body({ ...edit, expected: "2026-11-23" }))).status).toBe(204);
      expect((await send("PUT", url, body({ value: 1, expires_at: null }))).status).toBe(422);
      expect((await send("PATCH", url, body({ value: 1 }))).status).toBe(405);
      expect((await send("DELETE", url)).status).toBe(204);
      expect(await state.get()).toBe(null);
    },
  );

  test.each([`${INSTANCE}/k`, `${API}/assets/state-model?name=orders`])(
    "is nothing at %s",
    async (url) => {
      expect((await serve(new MemoryStateBackend())("GET", url)).status).toBe(404);
    },
  );
});

describe("namespaces and their processes over HTTP", () => {
  async function backendOf(processes: readonly string[]): Promise<MemoryStateBackend> {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    await send("PUT", "/k", body({ value: 1 }));
    await send("PUT", `${TASK}/k`, body({ value: 1 }));
    await send("PUT", `${ASSET}/k${BY_NAME}`, body({ value: 1 }));
    for (const path of processes) {
      await send("PUT", `${API}/processes/${path}/state-model`, body({ value: 1 }));
    }
    return backend;
  }

  test("are listed in pages", async () => {
    const send = serve(await backendOf(["b/one", "a/two", "a/one", "a%2Fb/x"]));
    await send("PUT", `${API}/processes/a/one/state-store/k`, body({ value: 1 }));
    expect((await send("GET", `${API}/processes`)).body).toEqual({
      namespaces: [
        { namespace: "a", processes: 2, entries: 3 },
        { namespace: "a/b", processes: 1, entries: 1 },
        { namespace: "b", processes: 1, entries: 1 },
      ],
      total_entries: 3,
    });
    expect((await send("GET", `${API}/processes?limit=1&offset=2`)).body).toEqual({
      namespaces: [{ namespace: "b", processes: 1, entries: 1 }],
      total_entries: 3,
    });
    expect((await send("GET", `${API}/processes/a?limit=1`)).body).toEqual({
      processes: [{ namespace: "a", process_name: "one", entries: 2 }],
      total_entries: 2,
    });
    expect((await send("GET", `${API}/processes/c`)).body).toEqual({
      processes: [],
      total_entries: 0,
    });
    expect((await send("GET", `${API}/processes?limit=-1`)).status).toBe(422);
    expect((await send("DELETE", `${API}/processes/a`)).status).toBe(405);
  });

  test("are all listed, however many there are", async () => {
    const backend = new MemoryStateBackend();
    for (let at = 0; at < 1_100; at += 1) {
      const asset = { kind: "asset", name: `a${at}` } as const;
      await backend.set(asset, "k", "1", { expiresAt: null });
    }
    const process = { kind: "process", namespace: "a", processName: "one" } as const;
    await backend.set(process, "k", "1", { expiresAt: null });
    expect((await serve(backend)("GET", `${API}/processes`)).body).toMatchObject({
      namespaces: [{ namespace: "a" }],
    });
  });

  test("are not shown to a token for one scope, nor by a backend that cannot list", async () => {
    const only = { kind: "process", namespace: "a", processName: "one" } as const;
    const limited = "a-token-for-this-scope";
    const send = serve(await backendOf(["a/one"]), {
      grants: [{ token: TOKEN }, { token: limited, only }],
    });
    expect((await send("GET", `${API}/processes/a`, { token: limited })).status).toBe(403);
    expect((await send("GET", `${API}/processes/a`)).status).toBe(200);
    const plain = serve((await plainBackend()) as StateBackend);
    expect((await plain("GET", `${API}/processes`)).status).toBe(501);
  });
});
