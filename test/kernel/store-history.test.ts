import { expect, test } from "vitest";
import { MemoryStateBackend, type StateBackend, type StoreScope } from "../../src/store/mod.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { StoreHistory } from "../../sim/hosts/store-history.ts";
import { World } from "../../sim/kernel/world.ts";

const SCOPE: StoreScope = { kind: "task", dagId: "orders", taskId: "load" };
const KEYS = ["a", "b", "c", "d", "e"];

async function keysOf(backend: StateBackend | undefined): Promise<readonly string[]> {
  const { entries = [] } = (await backend?.list(SCOPE, { limit: 100, offset: 0 })) ?? {};
  return entries.map(({ key }) => key).toSorted();
}

/** A history of a sweep in batches of one, over entries of which all but one have expired. */
async function sweptHistory(signal?: AbortSignal): Promise<[StoreHistory, World]> {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const history = new StoreHistory(world, () => new MemoryStateBackend());
  for (const [at, key] of KEYS.entries()) {
    const expiresAt = at === 0 ? null : at;
    await history.backend.set(SCOPE, key, `"${key}"`, { expiresAt });
  }
  const request = { now: 100, batchSize: 1, ...(signal === undefined ? {} : { signal }) };
  await history.backend.sweepExpired(request).catch(() => undefined);
  return [history, world];
}

test("a replica has swept all that was swept where nobody could stop it", async () => {
  const [history] = await sweptHistory();
  expect(await keysOf(history.backend)).toEqual(["a"]);
  await history.failOver(0);
  expect(await keysOf(history.backend)).toEqual(["a"]);
});

test("a replica has swept one batch of what could be stopped", async () => {
  const ending = new AbortController();
  const [history] = await sweptHistory(ending.signal);
  await history.failOver(0);
  expect(await keysOf(history.backend)).toHaveLength(KEYS.length - 1);
});

test("a sweep that only counts leaves a replica as it is", async () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const history = new StoreHistory(world, () => new MemoryStateBackend());
  await history.backend.set(SCOPE, "a", "1", { expiresAt: 1 });
  await history.backend.sweepExpired({ now: 100, dryRun: true });
  await history.failOver(0);
  expect(await keysOf(history.backend)).toEqual(["a"]);
});

test("reads are late while the replica lags, and not once it has caught up or time is over", async () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const history = new StoreHistory(world, () => new MemoryStateBackend());
  await history.backend.set(SCOPE, "a", "1", { expiresAt: null });
  await world.run(1_000);
  await history.backend.set(SCOPE, "b", "2", { expiresAt: null });
  expect(await history.replica()).toBeUndefined();
  history.lag(1, 10);
  expect(await keysOf(await history.replica())).toEqual(["a"]);
  history.lag(0, 10);
  expect(await keysOf(await history.replica())).toEqual(["a", "b"]);
  history.lag(1_000, 10);
  expect(await keysOf(await history.replica())).toEqual(["a"]);
  history.lag(1_001, 10);
  expect(await keysOf(await history.replica())).toEqual([]);
  expect(history.catchUp()).toBe(true);
  expect(await history.replica()).toBeUndefined();
  expect(history.catchUp()).toBe(false);
  history.lag(1, 10);
  await world.run(1_010);
  expect(await history.replica()).toBeUndefined();
  expect(history.catchUp()).toBe(false);
});

test("another replica that takes over has lost what was committed later, for good", async () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const history = new StoreHistory(world, () => new MemoryStateBackend());
  for (const key of KEYS) {
    await history.backend.set(SCOPE, key, "1", { expiresAt: null });
    await world.run(world.now + 10);
  }
  await history.failOver(20);
  expect(await keysOf(history.backend)).toEqual(["a", "b", "c"]);
  await history.backend.delete(SCOPE, "a");
  await history.failOver(world.now);
  expect(await keysOf(history.backend)).toEqual(["b", "c"]);
  await history.failOver(20);
  expect(await keysOf(history.backend)).toEqual(["a", "b", "c"]);
});
