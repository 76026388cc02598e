import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  type AssetRef,
  AssetStateStores,
  contextStores,
  MemoryStateBackend,
  StateModel,
  stateStoreSettings,
  type TaskScope,
} from "../../src/store/mod.ts";

const KEY = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: 2 };
const INSTANCE = { kind: "task-instance", ...KEY } as const;

function assetsOf(...assets: AssetRef[]): AssetStateStores {
  return new AssetStateStores(new MemoryStateBackend(), assets, { clock: new VirtualClock() });
}

describe("the stores of a context", () => {
  test("are those of its task instance, its task, a process and its assets", async () => {
    const backend = new MemoryStateBackend();
    const clock = new VirtualClock();
    const stores = contextStores(backend, KEY, { clock, assets: [{ name: "orders" }] });
    await stores.taskStateStore.set("page", 1);
    await stores.taskInstanceState.set("app-1");
    await stores.taskState.set("2026-11-23");
    await stores.processState("warehouse", "orders").set(7);
    await stores.assetStateStore.set("watermark", 17);
    const { scopes } = await backend.listScopes({ limit: 9, offset: 0 });
    expect(scopes.map(({ scope, entries }) => [scope, entries])).toEqual([
      [{ kind: "asset", name: "orders" }, 1],
      [{ kind: "process", namespace: "warehouse", processName: "orders" }, 1],
      [{ kind: "task", dagId: "etl", taskId: "load" }, 1],
      [INSTANCE, 2],
    ]);
    const entry = await backend.get({ kind: "asset", name: "orders" }, "watermark");
    expect(entry?.writer).toEqual({ kind: "task", ...KEY });
  });

  test("follow the deployment's settings", async () => {
    const backend = new MemoryStateBackend();
    const clock = new VirtualClock();
    const settings = stateStoreSettings({ defaultRetention: { hours: 1 }, valueCharsMax: 9 });
    const stores = contextStores(backend, KEY, { clock, settings, assets: [{ uri: "s3://a" }] });
    await stores.taskStateStore.set("page", 1);
    expect((await backend.get(INSTANCE, "page"))?.expiresAt).toBe(clock.wallNow() + 3_600_000);
    await stores.taskInstanceState.set(1);
    expect((await backend.get(INSTANCE, "state"))?.expiresAt).toBeNull();
    const tooLong = "x".repeat(9);
    for (const write of [
      () => stores.taskStateStore.set("page", tooLong),
      () => stores.taskState.set(tooLong),
      () => stores.processState("a", "b").set(tooLong),
      () => stores.assetStateStore.set("page", tooLong),
    ]) {
      await expect(write()).rejects.toThrow("the limit is 9");
    }
  });

  test("a retention of null is the default, as Airflow's None", async () => {
    const backend = new MemoryStateBackend();
    const clock = new VirtualClock();
    const { taskStateStore } = contextStores(backend, KEY, { clock });
    await taskStateStore.set("a", 1, { retention: null });
    await taskStateStore.set("b", 1);
    const [a, b] = await Promise.all([backend.get(INSTANCE, "a"), backend.get(INSTANCE, "b")]);
    expect(a?.expiresAt).toBe(clock.wallNow() + 30 * 86_400_000);
    expect(b?.expiresAt).toBe(a?.expiresAt);
  });
});

describe("AssetStateStores", () => {
  test("chooses an asset by name, by URI or by its reference (A99)", async () => {
    const both = { name: "refunds", uri: "s3://refunds" };
    const stores = assetsOf({ name: "orders" }, both, { uri: "s3://raw" });
    await stores.of("refunds").set("k", 1);
    expect(await stores.of("s3://refunds").get("k")).toBe(1);
    expect(await stores.of(both).get("k")).toBe(1);
    expect(await stores.of({ uri: "s3://raw" }).get("k", 0)).toBe(0);
    expect(await stores.of("orders").get("k")).toBeNull();
  });

  test("a name goes before a URI that is equal to it", async () => {
    const stores = assetsOf({ uri: "orders" }, { name: "orders" });
    await stores.of("orders").set("k", "by name");
    expect(await stores.of({ name: "orders" }).get("k")).toBe("by name");
    expect(await stores.of({ uri: "orders" }).get("k")).toBeNull();
  });

  test("refuses what the task does not declare, and what is no asset", () => {
    const stores = assetsOf({ name: "orders" });
    expect(() => stores.of("refunds")).toThrow(
      new RangeError(
        'Cannot use the state of "refunds": the task declares asset (orders) as inlets and outlets',
      ),
    );
    expect(() => stores.of({ name: "orders", uri: "s3://orders" })).toThrow(
      "Cannot use the state of asset (orders, s3://orders)",
    );
    expect(() => assetsOf().of("orders")).toThrow("the task declares no asset");
    expect(() => stores.of(7 as unknown as string)).toThrow(
      new TypeError("Cannot use 7 as an asset: write its name or { name, uri }"),
    );
    expect(() => assetsOf({})).toThrow(TypeError);
  });

  test("goes to the only asset without a name, and to none of several", async () => {
    const one = assetsOf({ name: "orders" }, { name: "orders" });
    await one.set("k", 1);
    await one.set("l", 2);
    expect(await one.get("k", 0)).toBe(1);
    await one.delete("k");
    expect(await one.get("k")).toBeNull();
    await one.clear({ allMapIndices: true });
    expect(await one.get("l", 0)).toBe(0);
    await expect(one.set("k", 1, ...([{ retention: null }] as never[]))).rejects.toThrow(
      "its state never expires",
    );
    const two = assetsOf({ name: "orders" }, { uri: "s3://refunds" });
    for (const [method, call] of [
      ["get", () => two.get("k")],
      ["set", () => two.set("k", 1)],
      ["delete", () => two.delete("k")],
      ["clear", () => two.clear()],
    ] as const) {
      await expect(call()).rejects.toThrow(
        new RangeError(
          `Cannot ${method} the state of an asset without its name: the task declares asset (orders), asset (s3://refunds) as inlets and outlets, use of("name")`,
        ),
      );
    }
    await expect(assetsOf().get("k")).rejects.toThrow("the task declares no asset");
  });
});

describe("StateModel, a state of AIP-30", () => {
  const TASK: TaskScope = { kind: "task", dagId: "etl", taskId: "load" };

  test("D17 is one value with the time of its last write", async () => {
    const backend = new MemoryStateBackend();
    const clock = new VirtualClock();
    const state = new StateModel(backend, TASK, { clock });
    expect(await state.read()).toBeUndefined();
    expect(await state.get()).toBeNull();
    expect(await state.get("1900-01-01")).toBe("1900-01-01");
    await state.set("old");
    await state.set(0);
    expect(await state.read()).toEqual({ value: 0, timestamp: clock.wallNow() });
    expect(await state.get(7)).toBe(0);
    expect((await backend.list(TASK, { limit: 9, offset: 0 })).total).toBe(1);
    await state.delete();
    expect(await state.get()).toBeNull();
  });

  test("D21 a human's edit through the store is the next run's value", async () => {
    const backend = new MemoryStateBackend();
    const state = new StateModel(backend, TASK, { clock: new VirtualClock() });
    await state.set("2026-11-23");
    await backend.update(TASK, "state", '"2026-01-01"', {});
    expect(await state.get()).toBe("2026-01-01");
  });

  test("refuses an asset, null, and what JSON cannot represent", async () => {
    const backend = new MemoryStateBackend();
    const clock = new VirtualClock();
    const asset = { kind: "asset", name: "orders" } as unknown as TaskScope;
    expect(() => new StateModel(backend, asset, { clock })).toThrow("use AssetStateStore");
    const state = new StateModel(backend, TASK, { clock });
    await expect(state.set(null as unknown as string)).rejects.toThrow("Cannot store null");
    await expect(state.set({ at: Number.NaN })).rejects.toThrow(TypeError);
  });
});
