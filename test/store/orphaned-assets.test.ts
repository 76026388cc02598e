import { describe, expect, test } from "vitest";
import {
  type AssetRef,
  AssetStateStore,
  clearOrphanedAssets,
  MemoryStateBackend,
  type StateBackend,
  StoreUnavailable,
} from "../../src/mod.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";

const clock = new VirtualClock();
const TASK = { kind: "task", dagId: "etl", taskId: "load" } as const;
const ORDERS = { name: "orders", uri: "s3://shop/orders" };
const CLICKS: AssetRef = { name: "clicks" };

async function storeOf(assets: readonly AssetRef[]): Promise<MemoryStateBackend> {
  const backend = new MemoryStateBackend();
  for (const asset of assets) await new AssetStateStore(backend, asset, { clock }).set("mark", 1);
  await backend.set(TASK, "mark", "1", { expiresAt: null });
  return backend;
}

async function assetsLeft(backend: StateBackend): Promise<readonly string[]> {
  const page = await backend.listScopes?.({ limit: 5_000, offset: 0 });
  return (page?.scopes ?? []).flatMap(({ scope }) =>
    scope.kind === "asset" ? [`${scope.name ?? ""} ${scope.uri ?? ""}`] : [],
  );
}

describe("clearOrphanedAssets()", () => {
  test("deletes the state of what is not declared, and nothing else", async () => {
    const backend = await storeOf([{ name: "orders" }, CLICKS]);
    expect(await clearOrphanedAssets(backend, [{ name: "orders" }])).toEqual([CLICKS]);
    expect(await assetsLeft(backend)).toEqual(["orders "]);
    expect(await backend.get(TASK, "mark")).toBeDefined();
  });

  test("keeps each address of an asset that has a name and a URI", async () => {
    const backend = await storeOf([ORDERS, { name: ORDERS.name }, { uri: ORDERS.uri }]);
    expect(await clearOrphanedAssets(backend, [ORDERS])).toEqual([]);
    expect(await assetsLeft(backend)).toHaveLength(3);
  });

  test("takes what has another URI for another asset", async () => {
    const old = { name: "orders", uri: "s3://old/orders" };
    const backend = await storeOf([old, ORDERS]);
    expect(await clearOrphanedAssets(backend, [ORDERS])).toEqual([old]);
  });

  test("deletes nothing in a dry run", async () => {
    const backend = await storeOf([CLICKS]);
    expect(await clearOrphanedAssets(backend, [], { dryRun: true })).toEqual([CLICKS]);
    expect(await assetsLeft(backend)).toHaveLength(1);
  });

  test("finds more assets than a page has", async () => {
    const many = Array.from({ length: 2_100 }, (_, at) => ({ name: `asset-${at}` }));
    const backend = await storeOf(many);
    expect(await clearOrphanedAssets(backend, [CLICKS])).toHaveLength(2_100);
    expect(await assetsLeft(backend)).toEqual([]);
  });

  test("refuses what it cannot do", async () => {
    const backend = await storeOf([]);
    const unlisted: StateBackend = Object.assign(Object.create(backend) as StateBackend, {
      listScopes: undefined,
    });
    await expect(clearOrphanedAssets(unlisted, [])).rejects.toThrow(TypeError);
    await expect(clearOrphanedAssets(backend, [{}])).rejects.toThrow(TypeError);
    const options = { dryrun: true } as object;
    await expect(clearOrphanedAssets(backend, [], options)).rejects.toThrow('"dryrun"');
  });

  test("rejects with StoreUnavailable when the backend fails", async () => {
    const backend = await storeOf([CLICKS]);
    backend.clear = () => Promise.reject(new Error("no connection"));
    await expect(clearOrphanedAssets(backend, [])).rejects.toThrow(StoreUnavailable);
    backend.listScopes = () => Promise.reject(new Error("no connection"));
    await expect(clearOrphanedAssets(backend, [])).rejects.toThrow(
      "Cannot list the scopes of the store: no connection",
    );
  });
});
