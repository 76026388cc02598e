import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  MemoryStateBackend,
  STATE_STORE_DEFAULTS,
  stateStoreSettings,
  TaskStateStore,
  VALUE_CHARS_MAX,
} from "../../src/store/mod.ts";
import { failingBackend, recordingBackend } from "./recording-backend.ts";
import { body, type SendInit, serve } from "./serve-store.ts";

const scope = {
  kind: "task-instance",
  dagId: "etl",
  runId: "r1",
  taskId: "load",
  mapIndex: -1,
} as const;
const NEVER = { expiresAt: null } as const;

describe("a store over HTTP", () => {
  test("lists by key with limit and offset, counts all, and is empty for an unknown task (A92)", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    for (const key of ["c", "a", "b"])
      await backend.set(scope, key, `"${key}"`, {
        expiresAt: 1_798_761_600_000,
        updatedAt: 1_767_225_600_000,
      });
    await backend.set(scope, "expired", "1", { expiresAt: 1 });
    const entry = (key: string): object => ({
      key,
      value: key,
      updated_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2027-01-01T00:00:00.000Z",
    });
    expect(await send("GET", "?limit=2&offset=1")).toMatchObject({
      status: 200,
      body: { task_state_store: [entry("b"), entry("c")], total_entries: 3 },
    });
    expect((await send("GET", "?limit=0")).body).toEqual({
      task_state_store: [],
      total_entries: 3,
    });
    expect((await send("GET", "?map_index=4")).body).toEqual({
      task_state_store: [],
      total_entries: 0,
    });
  });

  test("a page has at most 100 entries", async () => {
    const backend = new MemoryStateBackend();
    for (let at = 0; at < 120; at += 1) await backend.set(scope, `k${at}`, "1", NEVER);
    const { body } = await serve(backend)("GET", "?limit=1000");
    expect((body as { task_state_store: unknown[] }).task_state_store.length).toBe(100);
  });

  test("put creates and replaces, get reads, patch changes but does not create, delete deletes (A93, A14, A46, A49, A50)", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    expect((await send("GET", "/k")).status).toBe(404);
    expect((await send("PATCH", "/k", body({ value: 1 }))).status).toBe(404);
    expect(await send("PUT", "/k", body({ value: { page: 3 } }))).toMatchObject({
      status: 204,
      body: undefined,
    });
    expect((await send("GET", "/k")).body).toEqual({
      key: "k",
      value: { page: 3 },
      updated_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-31T00:00:00.000Z",
    });
    expect(await send("PATCH", "/k", body({ value: -0.5 }))).toMatchObject({
      status: 200,
      body: null,
    });
    expect((await send("GET", "/k")).body).toMatchObject({
      value: -0.5,
      expires_at: "2026-01-31T00:00:00.000Z",
    });
    expect((await send("DELETE", "/k")).status).toBe(204);
    expect((await send("DELETE", "/k")).status).toBe(204);
    expect(await backend.get(scope, "k")).toBe(undefined);
  });

  test("a task reads what was written over HTTP, and the reverse (A95, A96, E36)", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    const store = new TaskStateStore(backend, scope, { clock: new VirtualClock() });
    for (const value of ["12345", 12345, { a: ["ü", null] }, false]) {
      await send("PUT", "/k", body({ value }));
      expect(await store.get("k")).toEqual(value);
      await store.set("k2", value);
      expect((await send("GET", "/k2")).body).toMatchObject({ value });
    }
  });

  test("expires_at is the default, never, or an instant with a zone (A47, E38)", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend, {
      settings: stateStoreSettings({ defaultRetention: { days: 0 } }),
    });
    const expiry = async (expires_at: unknown): Promise<unknown> => {
      const { status } = await send("PUT", "/k", body({ value: 1, expires_at }));
      return status === 204 ? (await backend.get(scope, "k"))?.expiresAt : status;
    };
    expect(await expiry("default")).toBe(null);
    expect(await expiry(null)).toBe(null);
    expect(await expiry("2027-06-30T12:00:00Z")).toBe(Date.UTC(2027, 5, 30, 12));
    expect(await expiry("2028-02-29T23:59:59.250+05:30")).toBe(
      Date.UTC(2028, 1, 29, 18, 29, 59, 250),
    );
    // Pydantic's Unix times: seconds up to 20,000,000,000, milliseconds beyond.
    expect(await expiry(1_900_000_000.5)).toBe(1_900_000_000_500);
    expect(await expiry("1900000000")).toBe(1_900_000_000_000);
    expect(await expiry(20_000_000_000)).toBe(20_000_000_000_000);
    expect(await expiry(20_000_000_001)).toBe(20_000_000_001);
    expect(await expiry("1970-01-01T00:00:00Z")).toBe(0);
    expect(await expiry("9999-12-31T23:59:59.999Z")).toBe(253_402_300_799_999);
    for (const bad of [
      "2027-06-30T12:00:00",
      "2027-06-30",
      "2027-02-29T00:00:00Z",
      "2027-13-01T00:00:00Z",
      "tomorrow",
      "1e9",
      true,
      -5,
      "10000-01-01T00:00:00Z",
      "1969-01-01T00:00:00Z",
    ]) {
      expect(await expiry(bad)).toBe(422);
    }
  });

  test("an expired key is absent for get, patch and list (A10)", async () => {
    const clock = new VirtualClock();
    const send = serve(new MemoryStateBackend(), {
      clock,
      settings: stateStoreSettings({ defaultRetention: { hours: 1 } }),
    });
    await send("PUT", "/k", body({ value: 1 }));
    await clock.advance(3_600_000, () => Promise.resolve());
    expect((await send("GET", "/k")).status).toBe(404);
    expect((await send("PATCH", "/k", body({ value: 2 }))).status).toBe(404);
    expect((await send("GET", "")).body).toEqual({ task_state_store: [], total_entries: 0 });
  });

  test("deleting all keys clears one map index, or every one with all_map_indices (A54, A55, A93)", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    for (const mapIndex of [-1, 0, 1, 2])
      await backend.set({ ...scope, mapIndex }, "k", "1", NEVER);
    const left = async (): Promise<number> =>
      (await backend.listScopes({ limit: 9, offset: 0 })).total;
    expect((await send("DELETE", "")).status).toBe(204);
    expect(await left()).toBe(3);
    expect((await send("DELETE", "?map_index=1")).status).toBe(204);
    expect(await left()).toBe(2);
    expect((await send("DELETE", "?all_map_indices=true")).status).toBe(204);
    expect(await left()).toBe(0);
  });

  test("any key and any task can be addressed (A8)", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    for (const key of ["a/b", "a b", "ä", "%", "a//b", "?#"]) {
      expect((await send("PUT", `/${encodeURIComponent(key)}`, body({ value: key }))).status).toBe(
        204,
      );
      expect((await backend.get(scope, key))?.value).toBe(JSON.stringify(key));
    }
    expect((await send("GET", "/a/b")).body).toMatchObject({ value: "a/b" });
    expect((await send("PUT", "?key=..", body({ value: 1 }))).status).toBe(204);
    expect((await backend.get(scope, ".."))?.value).toBe("1");
    const odd =
      "http://h/dags/d%2F1/dagRuns/manual__2026-01-01T00:00:00%2B00:00/taskInstances/t/state-store/k?map_index=7";
    expect((await send("PUT", odd, body({ value: 1 }))).status).toBe(204);
    const found = {
      kind: "task-instance",
      dagId: "d/1",
      runId: "manual__2026-01-01T00:00:00+00:00",
      taskId: "t",
      mapIndex: 7,
    } as const;
    expect(await backend.get(found, "k")).toBeDefined();
  });

  test("a write or delete of a task instance that does not exist is 404, a read is not (A64, A93, Q13)", async () => {
    const { backend, calls } = recordingBackend();
    const asked: unknown[] = [];
    const send = serve(backend, {
      hasTaskInstance: (task) => {
        asked.push(task.mapIndex);
        return false;
      },
    });
    expect((await send("PUT", "/k", body({ value: 1 }))).status).toBe(404);
    expect((await send("PATCH", "/k", body({ value: 1 }))).status).toBe(404);
    expect((await send("DELETE", "/k?map_index=3")).status).toBe(404);
    expect((await send("DELETE", "?all_map_indices=1")).status).toBe(404);
    expect(calls).toEqual([]);
    expect(asked).toEqual([-1, -1, 3, undefined]);
    expect((await send("GET", "")).status).toBe(200);
  });

  const bad: readonly (readonly [
    title: string,
    method: string,
    path: string,
    init: SendInit,
    status: number,
    detail: string,
  ])[] = [
    ["an empty body", "PUT", "/k", {}, 422, "The body must be JSON"],
    ["a body that is not JSON", "PUT", "/k", { body: "{oops" }, 422, "The body must be JSON"],
    ["NaN (A17)", "PUT", "/k", { body: '{"value":NaN}' }, 422, "The body must be JSON"],
    [
      "bytes that are not UTF-8",
      "PUT",
      "/k",
      { body: new Uint8Array([0x22, 0xff, 0x22]) },
      422,
      "The body must be UTF-8",
    ],
    ["a list as the body", "PUT", "/k", body([1]), 422, "The body must be a JSON object"],
    ["no value (A26)", "PUT", "/k", body({}), 422, "The body must have the member value"],
    [
      "null as the value (A16)",
      "PATCH",
      "/k",
      body({ value: null }),
      422,
      "value must not be null: delete the key instead",
    ],
    [
      "an unknown member (A25)",
      "PUT",
      "/k",
      body({ value: 1, ttl: 5 }),
      422,
      'The body must not have the member "ttl"',
    ],
    [
      "expires_at in a patch (A25, A46)",
      "PATCH",
      "/k",
      body({ value: 1, expires_at: null }),
      422,
      'The body must not have the member "expires_at"',
    ],
    [
      "an id with too many digits (A22)",
      "PUT",
      "/k",
      { body: '{"value":9007199254740993}' },
      422,
      "Cannot read the integer 9007199254740993 without losing digits: write it as a string",
    ],
    [
      "a value beyond the limit (A23, Q15)",
      "PUT",
      "/k",
      body({ value: "x".repeat(VALUE_CHARS_MAX) }),
      422,
      'Cannot store the value of "k": its JSON text has 65537 characters, the limit is 65535',
    ],
    [
      "a body that is too large",
      "PUT",
      "/k",
      body({ value: "x".repeat(1_100_000) }),
      413,
      "The body must have at most 1048576 bytes",
    ],
    [
      "another content type",
      "PUT",
      "/k",
      { ...body({ value: 1 }), headers: { "content-type": "text/plain" } },
      415,
      "The content type must be application/json",
    ],
    [
      "an empty key (A9)",
      "GET",
      "/",
      {},
      422,
      "Cannot use a key of 0 characters: it needs 1 to 512",
    ],
    [
      "a key of 513 characters (A32)",
      "PUT",
      `/${"x".repeat(513)}`,
      body({ value: 1 }),
      422,
      "Cannot use a key of 513 characters: it needs 1 to 512",
    ],
    [
      "a negative limit",
      "GET",
      "?limit=-1",
      {},
      422,
      "limit must be an integer from 0 to 2147483647",
    ],
    [
      "a limit that is not a number",
      "GET",
      "?limit=ten",
      {},
      422,
      "limit must be an integer from 0 to 2147483647",
    ],
    [
      "a fraction as offset",
      "GET",
      "?offset=1.5",
      {},
      422,
      "offset must be an integer from 0 to 2147483647",
    ],
    [
      "a map index below -1 (A92)",
      "GET",
      "?map_index=-2",
      {},
      422,
      "map_index must be an integer from -1 to 2147483647",
    ],
    [
      "a boolean that is neither true nor false",
      "DELETE",
      "?all_map_indices=maybe",
      {},
      422,
      "all_map_indices must be true or false",
    ],
    [
      "a broken escape in the path",
      "GET",
      "/%E0%A4",
      {},
      400,
      "The path must be percent-encoded UTF-8",
    ],
    ["another path", "GET", "http://h/api/v2/dags/etl", {}, 404, "There is nothing at this path"],
    ["a post", "POST", "/k", body({ value: 1 }), 405, "This path accepts GET, PUT, PATCH, DELETE"],
    [
      "a put of the collection",
      "PUT",
      "",
      body({ value: 1 }),
      405,
      "This path accepts GET, DELETE",
    ],
  ];
  for (const [title, method, path, init, status, detail] of bad) {
    test(`returns ${status} and a JSON error for ${title}, without calling the store`, async () => {
      const { backend, calls } = recordingBackend();
      const told = status === 422 ? [{ msg: detail }] : detail;
      expect(await serve(backend)(method, path, init)).toMatchObject({
        status,
        body: { detail: told },
      });
      expect(calls.filter((name) => name !== "storedChars")).toEqual([]);
    });
  }

  test("names the part that is invalid, as FastAPI does", async () => {
    const send = serve(new MemoryStateBackend());
    const detailOf = async (path: string, init?: SendInit): Promise<unknown> =>
      ((await send("PUT", path, init)).body as { detail: unknown }).detail;
    expect(await detailOf("/k", body({}))).toEqual([
      { type: "missing", loc: ["body", "value"], msg: "The body must have the member value" },
    ]);
    expect(await detailOf("/k", body({ value: 1, ttl: 5 }))).toMatchObject([
      { type: "extra_forbidden", loc: ["body", "ttl"] },
    ]);
    expect(await detailOf("/k", { body: "{oops" })).toMatchObject([
      { type: "json_invalid", loc: ["body"] },
    ]);
    expect(await detailOf("/k?map_index=x", body({ value: 1 }))).toMatchObject([
      { type: "int_parsing", loc: ["query", "map_index"] },
    ]);
    expect(await detailOf("/k?map_index=-2", body({ value: 1 }))).toMatchObject([
      { type: "greater_than_equal", loc: ["query", "map_index"] },
    ]);
    expect(await detailOf("/k?map_index=2147483648", body({ value: 1 }))).toMatchObject([
      { type: "less_than_equal", loc: ["query", "map_index"] },
    ]);
  });

  test("asks whether the task instance is there before it judges the members of the body", async () => {
    const send = serve(new MemoryStateBackend(), { hasTaskInstance: () => false });
    expect((await send("PUT", "/k", body({}))).status).toBe(404);
    expect((await send("PATCH", "/k", body({ value: null }))).status).toBe(404);
    expect((await send("PUT", "/k", { body: "{oops" })).status).toBe(422);
  });

  test("takes what Airflow's parameters and bodies take", async () => {
    const backend = new MemoryStateBackend();
    const send = serve(backend);
    const json = { headers: { "content-type": "application/vnd.etl+json; charset=utf-8" } };
    expect((await send("PUT", "/k?map_index=1.0", { ...body({ value: 1 }), ...json })).status).toBe(
      204,
    );
    expect(await backend.get({ ...scope, mapIndex: 1 }, "k")).toMatchObject({ value: "1" });
    const expires = { value: 1, expires_at: "2026-02-01 01:00:00+0100" };
    expect((await send("PUT", "/at", body(expires))).status).toBe(204);
    expect(await backend.get(scope, "at")).toMatchObject({ expiresAt: 1_769_904_000_000 });
    expect((await send("DELETE", "?all_map_indices=Yes")).status).toBe(204);
    expect(await backend.get({ ...scope, mapIndex: 1 }, "k")).toBeUndefined();
  });

  test("counts a value's characters as Python writes them", async () => {
    const send = serve(new MemoryStateBackend(), {
      settings: stateStoreSettings({ valueCharsMax: 20 }),
    });
    const statusOf = async (value: unknown): Promise<number> =>
      (await send("PUT", "/k", body({ value }))).status;
    // "\u00e9" three times in quotes; [1, 2, 3, 4, 5, 600] with blanks.
    expect(await statusOf("ééé")).toBe(204);
    expect(await statusOf("éééa")).toBe(422);
    expect(await statusOf([1, 2, 3, 4, 5, 600])).toBe(204);
    expect(await statusOf([1, 2, 3, 4, 5, 6000])).toBe(422);
    expect(await statusOf(",:,:,:,:,:,:,:,:,:")).toBe(204);
  });

  test.each([
    [{ days: -1 }, "zero or more"],
    [{ days: 4_000_000 }, "9999"],
  ])("is not made with %o as its default retention", (defaultRetention, reason) => {
    const settings = { ...STATE_STORE_DEFAULTS, defaultRetention };
    expect(() => serve(new MemoryStateBackend(), { settings })).toThrow(reason);
  });

  test("a body that comes in pieces is read whole and in order, also amid a character", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ value: "größer als 9 €" }));
    const pieces = [bytes.slice(0, 13), bytes.slice(13, 14), bytes.slice(14)];
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
    const send = serve(new MemoryStateBackend());
    const init = { body: stream, duplex: "half" } as SendInit;
    expect((await send("PUT", "/k", init)).status).toBe(204);
    expect((await send("GET", "/k")).body).toMatchObject({ value: "größer als 9 €" });
  });

  test.each([
    ["1048576", 204],
    ["1048577", 413],
  ])(
    "a body that is said to have %s bytes is %i, and is read only if it may pass",
    async (length, status) => {
      const init = { ...body({ value: 1 }), headers: { "content-length": length } };
      expect((await serve(new MemoryStateBackend())("PUT", "/k", init)).status).toBe(status);
    },
  );

  test("an update is dated by the last whole millisecond", async () => {
    const { backend, calls } = recordingBackend();
    const clock = Object.assign(new VirtualClock(), { wallNow: () => 1_767_225_600_000.75 });
    const send = serve(backend, { clock });
    await send("PUT", "/k", body({ value: 1 }));
    await backend.set(scope, "k", "1", { expiresAt: null, updatedAt: 7 });
    expect((await send("PATCH", "/k", body({ value: 2 }))).status).toBe(200);
    expect((await backend.get(scope, "k"))?.updatedAt).toBe(1_767_225_600_000);
    expect(calls).toContain("update");
  });

  test("a body without a length is read up to the limit only, and then refused to its sender", async () => {
    let sent = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const init = { body: endless, duplex: "half" } as SendInit;
    expect((await serve(new MemoryStateBackend())("PUT", "/k", init)).status).toBe(413);
    expect(sent).toBeLessThan(30);
    expect(isCancelled).toBe(true);
  });

  test("a failing store is 503 without the reason (A6)", async () => {
    const errors: unknown[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (_: string, fields?: object) => void errors.push(fields),
    };
    const send = serve(failingBackend(new Error("password=hunter2")), { logger });
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/k"],
      ["DELETE", "/k"],
      ["DELETE", ""],
    ] as const) {
      expect(await send(method, path)).toMatchObject({
        status: 503,
        body: { detail: "The state store failed" },
      });
    }
    expect(errors.length).toBe(4);
  });

  test("an unreadable entry is listed as such and can be deleted", async () => {
    const backend = new MemoryStateBackend();
    await backend.set(scope, "k", "{oops", NEVER);
    const send = serve(backend);
    expect((await send("GET", "")).body).toMatchObject({
      task_state_store: [{ key: "k", value: null, unreadable: true }],
    });
    expect((await send("DELETE", "/k")).status).toBe(204);
  });
});
