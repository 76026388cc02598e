import { expect, test } from "vitest";
import { MemoryStateBackend, type StateBackend, type StoreScope } from "../../src/store/mod.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { TracedStore } from "../../sim/hosts/traced-store.ts";
import { World } from "../../sim/kernel/world.ts";

const SCOPE: StoreScope = { kind: "task", dagId: "orders", taskId: "load" };

/** A backend with only what every backend has. */
function plainBackend(): StateBackend {
  const inner = new MemoryStateBackend();
  return {
    get: (scope, key) => inner.get(scope, key),
    set: (scope, key, value, options) => inner.set(scope, key, value, options),
    delete: (scope, key) => inner.delete(scope, key),
    clear: (scope, options) => inner.clear(scope, options),
    list: (scope, page) => inner.list(scope, page),
    sweepExpired: (request) => inner.sweepExpired(request),
  };
}

test("what the backend of a world has not is refused by name", async () => {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const store = new TracedStore(world, "store", { backend: plainBackend() }).clearing("user");
  const why = "the backend of this world has no";
  await expect(store.update?.(SCOPE, "a", "1", {})).rejects.toThrow(
    `Cannot replace a value: ${why} update`,
  );
  const change = { expected: null, value: "1" };
  await expect(store.compareAndSet?.(SCOPE, "a", change, { expiresAt: null })).rejects.toThrow(
    `Cannot compare and set: ${why} compareAndSet`,
  );
});
