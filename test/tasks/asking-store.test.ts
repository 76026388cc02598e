import { expect, test } from "vitest";
import { askingStore } from "../../sim/hosts/asking-store.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  MemoryStateBackend,
  NEVER_EXPIRE,
  type TaskInstanceScope,
  TaskStateStore,
} from "../../src/store/mod.ts";

const SCOPE: TaskInstanceScope = {
  kind: "task-instance",
  dagId: "etl",
  runId: "r1",
  taskId: "load",
  mapIndex: -1,
};
const DEFAULT_MS = 5_000;

/** A store with a default retention, and what it tells of the retentions of its writes. */
function asking(): { readonly store: TaskStateStore; readonly told: unknown[] } {
  const told: unknown[] = [];
  const direct = new TaskStateStore(new MemoryStateBackend(), SCOPE, { clock: new VirtualClock() });
  const store = askingStore(
    direct,
    { milliseconds: DEFAULT_MS },
    {
      retention: (key, ms) => told.push([key, ms]),
      removed: () => undefined,
      begin: () => 0,
    },
  );
  return { store, told };
}

test("each way to write tells the retention that it names", async () => {
  const { store, told } = asking();
  await store.set("set", 1, { retention: { milliseconds: 10 } });
  await store.setMany(Object.entries({ one: 1, two: 2 }), { retention: { milliseconds: 20 } });
  await store.compareAndSet("swapped", null, 1, { retention: { milliseconds: 30 } });
  await store.set("kept", 1, { retention: NEVER_EXPIRE });
  expect(told).toEqual([
    ["set", 10],
    ["one", 20],
    ["two", 20],
    ["swapped", 30],
    ["kept", null],
  ]);
});

test("a write that names no retention tells the default where the key had one of its own", async () => {
  const { store, told } = asking();
  await store.set("plain", 1);
  await store.set("own", 1, { retention: { milliseconds: 10 } });
  await store.compareAndSet("own", 1, 2);
  expect(told).toEqual([
    ["own", 10],
    ["own", DEFAULT_MS],
  ]);
});
