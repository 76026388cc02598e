import { expect, test } from "vitest";
import { MemoryStateBackend, type StoreScope } from "../../src/store/mod.ts";
import { DRY_RUN_ENTRIES_MAX } from "../../src/store/backend.ts";

const SCOPE: StoreScope = { kind: "asset", name: "orders" };
const LATER = 2_000;

test("a dry run counts all that is expired, and lists no more than so many", async () => {
  const backend = new MemoryStateBackend();
  const keys = Array.from({ length: DRY_RUN_ENTRIES_MAX + 1 }, (_, nth) => `key-${nth}`);
  for (const key of keys) await backend.set(SCOPE, key, "1", { expiresAt: LATER - 1 });
  const { expired, entries } = await backend.sweepExpired({ now: LATER, dryRun: true });
  expect([expired, entries.length]).toEqual([keys.length, DRY_RUN_ENTRIES_MAX]);
  expect((await backend.list(SCOPE, { limit: 1, offset: 0 })).total).toBe(keys.length);
});
