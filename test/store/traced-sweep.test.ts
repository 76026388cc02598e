import { expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { TracedStore } from "../../sim/hosts/traced-store.ts";
import { World } from "../../sim/kernel/world.ts";
import { MemoryStateBackend, type StoreScope, type SweepReport } from "../../src/store/mod.ts";

const SCOPE: StoreScope = { kind: "asset", name: "orders" };
const LATER = 2_000;

/** Deletes nothing, and says so after a while. */
class Refusing extends MemoryStateBackend {
  readonly reason: Error = new Error("the database is gone");

  override async sweepExpired(): Promise<SweepReport> {
    await Promise.resolve();
    throw this.reason;
  }
}

/** Stores three keys that expire and one that does not. */
async function storeOn(backend: MemoryStateBackend): Promise<{
  readonly store: TracedStore;
  readonly swept: () => readonly string[];
  readonly hosts: () => readonly string[];
}> {
  for (const key of ["a", "b", "c"]) await backend.set(SCOPE, key, "1", { expiresAt: LATER - 1 });
  await backend.set(SCOPE, "kept", "1", { expiresAt: null });
  const world = new World(new CalmChoices(), { keepTrace: true });
  const store = new TracedStore(world, "database", { backend });
  const swept = (): readonly string[] =>
    world.trace.events().flatMap((event) => (event.kind === "state-swept" ? [event.key] : []));
  const hosts = (): readonly string[] => world.trace.events().map(({ host }) => host);
  return { store, swept, hosts };
}

test("a sweep in a world is one batch at a time, and traces what it deleted", async () => {
  const { store, swept, hosts } = await storeOn(new MemoryStateBackend());
  expect(await store.sweepBatch(LATER, 2)).toBe(2);
  expect(swept()).toEqual(["a", "b"]);
  expect(hosts()).toEqual(["database", "database"]);
  expect(await store.sweepBatch(LATER, 2)).toBe(1);
  expect(await store.sweepBatch(LATER, 2)).toBe(0);
  expect(swept()).toEqual(["a", "b", "c"]);
});

test("a sweep that the backend refuses fails with the backend's error", async () => {
  const backend = new Refusing();
  const { store, swept } = await storeOn(backend);
  await expect(store.sweepBatch(LATER, 2)).rejects.toBe(backend.reason);
  expect(swept()).toEqual([]);
});
