import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  AssetStateStore,
  MemoryStateBackend,
  type StateBackend,
  StateModel,
  type StoreScope,
  TaskStateStore,
} from "../../src/store/mod.ts";
import { body, serve } from "./serve-store.ts";

const AT = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const INSTANCE = {
  kind: "task-instance",
  dagId: "etl",
  runId: "r1",
  taskId: "load",
  mapIndex: -1,
} as const;
const ASSET = { kind: "asset", name: "orders" } as const;
const PROCESS = { kind: "process", namespace: "etl", processName: "load" } as const;

type Write = (backend: StateBackend, clock: VirtualClock) => Promise<unknown>;
const retention = { hours: 1 } as const;

const WRITES: readonly (readonly [string, StoreScope, number | null, Write])[] = [
  [
    "set() of a task's store",
    INSTANCE,
    AT + HOUR_MS,
    (backend, clock) => new TaskStateStore(backend, INSTANCE, { clock }).set("k", 1, { retention }),
  ],
  [
    "setMany() of a task's store",
    INSTANCE,
    AT + HOUR_MS,
    (backend, clock) =>
      new TaskStateStore(backend, INSTANCE, { clock }).setMany([["k", 1]], { retention }),
  ],
  [
    "compareAndSet() of a task's store",
    INSTANCE,
    AT + HOUR_MS,
    (backend, clock) =>
      new TaskStateStore(backend, INSTANCE, { clock }).compareAndSet("k", null, 1, { retention }),
  ],
  [
    "set() of an asset's store",
    ASSET,
    null,
    (backend, clock) => new AssetStateStore(backend, ASSET, { clock }).set("k", 1),
  ],
  [
    "a watermark that is raised",
    PROCESS,
    null,
    (backend, clock) => new StateModel(backend, PROCESS, { clock }).raise(1),
  ],
  [
    "a value that is written over HTTP",
    INSTANCE,
    AT + 30 * 24 * HOUR_MS,
    (backend, clock) => serve(backend, { clock })("PUT", "/k", body({ value: 1 })),
  ],
];

test.each(WRITES)("%s is dated in whole milliseconds", async (_, scope, expiresAt, write) => {
  const backend = new MemoryStateBackend();
  // A clock may tell parts of a millisecond.
  await write(backend, Object.assign(new VirtualClock(), { wallNow: () => AT + 0.75 }));
  const { entries } = await backend.list(scope, { limit: 10, offset: 0 });
  const dates = entries.map((entry) => [entry.updatedAt, entry.expiresAt]);
  expect(dates).toEqual([[AT, expiresAt]]);
});
