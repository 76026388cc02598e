import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  contextStores,
  MemoryPayloadStore,
  MemoryStateBackend,
  OffloadingStateBackend,
  type StateBackend,
  StateModel,
} from "../../src/store/mod.ts";
import { plainBackend } from "./broken-backends.ts";
import { body, serve } from "./serve-store.ts";

const SCOPE = { kind: "task", dagId: "etl", taskId: "load" } as const;
const clock = new VirtualClock();
const NEVER = { expiresAt: null } as const;

function modelOn(backend: StateBackend = new MemoryStateBackend()): StateModel {
  return new StateModel(backend, SCOPE, { clock });
}

describe("StateModel.compareAndSet()", () => {
  test("writes what takes the place of the value that was read, and dates it", async () => {
    const state = modelOn();
    expect(await state.compareAndSet(null, { low: 1, high: [2] })).toBe(true);
    expect(await state.compareAndSet({ high: [2], low: 1 }, 3)).toBe(true);
    expect(await state.read()).toEqual({ value: 3, timestamp: clock.wallNow() });
  });

  test.each([
    ["another value is there", 4, 5],
    ["a value is there and none is expected", 4, null],
    ["an object has another member", { a: 1 }, { a: 1, b: 1 }],
    ["a list is shorter", [1], [1, 2]],
    ["a text looks like the number", 4, "4"],
    ["a member has another name", { a: 1 }, { b: 1 }],
  ] as const)("writes nothing when %s", async (_, found, expected) => {
    const state = modelOn();
    await state.set(found);
    expect(await state.compareAndSet(expected, "new")).toBe(false);
    expect(await state.get()).toEqual(found);
  });

  test("compares values, not how somebody else wrote them down", async () => {
    const backend = new MemoryStateBackend();
    await backend.set(SCOPE, "state", ' { "low" : 1.0 } ', NEVER);
    const state = modelOn(backend);
    expect(await state.compareAndSet({ low: 1 }, { low: 2 })).toBe(true);
  });

  test("is refused on a backend without it", async () => {
    const state = modelOn((await plainBackend()) as StateBackend);
    await expect(state.compareAndSet(null, 1)).rejects.toThrow(/the backend has no compareAndSet/);
    await expect(state.raise(1)).rejects.toThrow(/the backend has no compareAndSet/);
  });
});

describe("StateModel.raise()", () => {
  test("never lets a watermark fall, whichever run finishes last", async () => {
    const state = modelOn();
    expect(await state.raise("2026-11-21")).toBe(true);
    expect(await state.raise("2026-11-23")).toBe(true);
    expect(await state.raise("2026-11-22")).toBe(false);
    expect(await state.raise("2026-11-23")).toBe(false);
    expect(await state.get()).toBe("2026-11-23");
  });

  test("dates what it writes in whole milliseconds that have begun", async () => {
    const between = Object.assign(new VirtualClock(), { wallNow: () => 1_000.7 });
    const state = new StateModel(new MemoryStateBackend(), SCOPE, { clock: between });
    await state.raise(1);
    expect((await state.read())?.timestamp).toBe(1_000);
  });

  test("begins again when another run wrote between its read and its write", async () => {
    const backend = new MemoryStateBackend();
    const get = backend.get.bind(backend);
    const others = [7, 9];
    backend.get = async (scope, key) => {
      const entry = await get(scope, key);
      const other = others.shift();
      if (other !== undefined) await backend.set(scope, key, String(other), NEVER);
      return entry;
    };
    expect(await modelOn(backend).raise(8)).toBe(false);
    expect(await modelOn(backend).get()).toBe(9);
  });

  test("takes the order of its values, and without one refuses values that have none", async () => {
    const state = modelOn();
    await state.set({ seen: 3 });
    await expect(state.raise({ seen: 4 })).rejects.toThrow("Cannot raise a object to a object");
    const isBelow = (one: { seen: number }, other: { seen: number }): boolean =>
      one.seen < other.seen;
    expect(await state.raise({ seen: 4 }, isBelow)).toBe(true);
    expect(await state.raise({ seen: 2 }, isBelow)).toBe(false);
    await expect(state.raise(5)).rejects.toThrow(TypeError);
  });

  test("is there for each state of the context", async () => {
    const key = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 };
    const context = contextStores(new MemoryStateBackend(), key, { clock });
    const { taskState, taskInstanceState, processState } = context;
    for (const state of [taskState, taskInstanceState, processState("acquisition", "orders")]) {
      expect(await state.raise(2)).toBe(true);
      expect(await state.raise(1)).toBe(false);
    }
  });
});

describe("compareAndSet() of the stores of a context", () => {
  const KEY = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 };

  test("writes one key of a task only over the value that was read", async () => {
    const backend = new MemoryStateBackend();
    const { taskStateStore } = contextStores(backend, KEY, { clock });
    expect(await taskStateStore.compareAndSet("owner", "run-0", "run-1")).toBe(false);
    expect(await taskStateStore.compareAndSet("owner", null, "run-1")).toBe(true);
    expect(await taskStateStore.compareAndSet("owner", null, "run-2")).toBe(false);
    const retention = { hours: 1 };
    expect(await taskStateStore.compareAndSet("owner", "run-1", "run-3", { retention })).toBe(true);
    expect(await backend.get({ kind: "task-instance", ...KEY }, "owner")).toMatchObject({
      value: '"run-3"',
      expiresAt: clock.wallNow() + 3_600_000,
    });
  });

  test("takes an expired value of a task for none", async () => {
    const backend = new MemoryStateBackend();
    await backend.set({ kind: "task-instance", ...KEY }, "k", "1", { expiresAt: 1 });
    const { taskStateStore } = contextStores(backend, KEY, { clock });
    expect(await taskStateStore.compareAndSet("k", 1, 2)).toBe(false);
    expect(await taskStateStore.compareAndSet("k", null, 2)).toBe(true);
    expect(await taskStateStore.get("k")).toBe(2);
  });

  test("writes one key of an asset likewise, and says who wrote it", async () => {
    const backend = new MemoryStateBackend();
    const assets = [{ name: "orders" }];
    const { assetStateStore } = contextStores(backend, KEY, { clock, assets });
    expect(await assetStateStore.compareAndSet("low", null, 3)).toBe(true);
    expect(await assetStateStore.of("orders").compareAndSet("low", 2, 4)).toBe(false);
    expect(await assetStateStore.compareAndSet("low", 3, 4)).toBe(true);
    expect(await backend.get({ kind: "asset", name: "orders" }, "low")).toMatchObject({
      value: "4",
      expiresAt: null,
      writer: { kind: "task", ...KEY },
    });
  });

  test("refuses what set refuses, and a backend without it", async () => {
    const { taskStateStore } = contextStores(new MemoryStateBackend(), KEY, { clock });
    await expect(taskStateStore.compareAndSet("k", null, Number.NaN)).rejects.toThrow(TypeError);
    await expect(taskStateStore.compareAndSet("", null, 1)).rejects.toThrow(RangeError);
    const misspelt = { retentoin: 5 } as object;
    await expect(taskStateStore.compareAndSet("k", null, 1, misspelt)).rejects.toThrow(TypeError);
    const plain = contextStores((await plainBackend()) as StateBackend, KEY, { clock });
    await expect(plain.taskStateStore.compareAndSet("k", null, 1)).rejects.toThrow(
      "the backend has no compareAndSet",
    );
  });
});

describe("OffloadingStateBackend.compareAndSet()", () => {
  const long = (letter: string): string => JSON.stringify(letter.repeat(100));

  test("keeps its value in the database, however long, so that two writers share no payload", async () => {
    const payloads = new MemoryPayloadStore();
    const backend = new OffloadingStateBackend(new MemoryStateBackend(), payloads, {
      inlineCharsMax: 20,
    });
    const [left, right] = await Promise.all(
      ["a", "b"].map((letter) =>
        backend.compareAndSet(SCOPE, "k", { expected: null, value: long(letter) }, NEVER),
      ),
    );
    expect([left, right]).toEqual([true, false]);
    expect((await backend.get(SCOPE, "k"))?.value).toBe(long("a"));
    expect(payloads.names()).toEqual([]);
    const change = { expected: long("a"), value: '"short"' };
    expect(await backend.compareAndSet(SCOPE, "k", change, NEVER)).toBe(true);
  });

  test("refuses to compare a payload, whose reference may be there again with another one", async () => {
    const inner = new MemoryStateBackend();
    const backend = new OffloadingStateBackend(inner, new MemoryPayloadStore(), {
      inlineCharsMax: 20,
    });
    await backend.set(SCOPE, "k", long("a"), NEVER);
    const change = { expected: long("a"), value: "1" };
    await expect(backend.compareAndSet(SCOPE, "k", change, NEVER)).rejects.toThrow(RangeError);
    expect((await backend.get(SCOPE, "k"))?.value).toBe(long("a"));
  });

  test("needs an inner backend that has it", async () => {
    const backend = new OffloadingStateBackend(
      (await plainBackend()) as StateBackend,
      new MemoryPayloadStore(),
    );
    const change = { expected: null, value: "1" };
    await expect(backend.compareAndSet(SCOPE, "k", change, NEVER)).rejects.toThrow(
      "the inner backend has no compareAndSet",
    );
  });
});

describe("a PUT with an expected value", () => {
  test("writes only if that value is stored, or none where it is null", async () => {
    const send = serve(new MemoryStateBackend());
    const statuses = [];
    for (const sent of [
      { value: 1, expected: 0 },
      { value: 1, expected: null },
      { value: 2, expected: null },
      { value: { page: 2 }, expected: 1 },
      { value: 3, expected: { page: 1 } },
      { value: 4, expected: { page: 2 } },
    ]) {
      statuses.push((await send("PUT", "/k", body(sent))).status);
    }
    expect(statuses).toEqual([412, 204, 412, 204, 412, 204]);
    expect((await send("GET", "/k")).body).toMatchObject({ value: 4 });
  });

  test("lets one of two win", async () => {
    const send = serve(new MemoryStateBackend());
    const puts = [1, 2].map((value) => send("PUT", "/k", body({ value, expected: null })));
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual([204, 412]);
    expect((await send("GET", "/k")).body).toMatchObject({ value: 1 });
  });

  test("takes an expired value for none", async () => {
    const backend = new MemoryStateBackend();
    const scope = { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load" } as const;
    await backend.set({ ...scope, mapIndex: -1 }, "k", "1", { expiresAt: 1 });
    const send = serve(backend);
    expect((await send("PUT", "/k", body({ value: 2, expected: 1 }))).status).toBe(412);
    expect((await send("PUT", "/k", body({ value: 2, expected: null }))).status).toBe(204);
  });

  test("by PATCH keeps when the entry expires, also on a backend that cannot update", async () => {
    const backend = (await plainBackend()) as StateBackend;
    const scope = { kind: "task-instance", dagId: "etl", runId: "r1", taskId: "load" } as const;
    const expiresAt = clock.wallNow() + 3_600_000;
    await backend.set({ ...scope, mapIndex: -1 }, "k", "1", { expiresAt });
    const { status } = await serve(backend)("PATCH", "/k", body({ value: 2 }));
    expect(status).toBe(200);
    expect(await backend.get({ ...scope, mapIndex: -1 }, "k")).toMatchObject({
      value: "2",
      expiresAt,
    });
  });

  test("is refused by a backend that cannot compare", async () => {
    const send = serve((await plainBackend()) as StateBackend);
    const { status } = await send("PUT", "/k", body({ value: 1, expected: null }));
    expect(status).toBe(501);
  });
});
