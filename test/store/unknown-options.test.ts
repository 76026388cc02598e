import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import {
  AssetStateStore,
  contextStores,
  MemoryPayloadStore,
  MemoryStateBackend,
  OffloadingStateBackend,
  StateModel,
  TaskStateStore,
} from "../../src/store/mod.ts";
import { createStoreHandler } from "../../src/store-http/mod.ts";
import { TriggerRunner } from "../../src/triggerer/mod.ts";

const clock = new VirtualClock();
const backend = new MemoryStateBackend();
const task = { kind: "task", dagId: "etl", taskId: "load" } as const;
const key = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 };
const token = "at-least-16-characters";
const supervisor = { sync: () => Promise.reject(new Error("Nobody is there")) };
const misspelt = { tocken: 1 } as object;

const MAKERS: readonly (readonly [what: string, make: () => unknown])[] = [
  ["TaskStateStore", () => new TaskStateStore(backend, task, { clock, ...misspelt })],
  ["AssetStateStore", () => new AssetStateStore(backend, { name: "a" }, { clock, ...misspelt })],
  ["StateModel", () => new StateModel(backend, task, { clock, ...misspelt })],
  ["contextStores", () => contextStores(backend, key, { clock, ...misspelt })],
  [
    "OffloadingStateBackend",
    () => new OffloadingStateBackend(backend, new MemoryPayloadStore(), misspelt),
  ],
  [
    "createStoreHandler",
    () => createStoreHandler(backend, { clock, grants: [{ token }], ...misspelt }),
  ],
  ["a grant", () => createStoreHandler(backend, { clock, grants: [{ token, ...misspelt }] })],
  ["SharedStreamManager", () => new SharedStreamManager(misspelt)],
  [
    "TriggerRunner",
    () =>
      new TriggerRunner(clock, new SharedStreamManager({ clock }), supervisor, {
        runnerId: "runner-1/1",
        createTrigger: () => {
          throw new Error("There is no trigger");
        },
        ...misspelt,
      }),
  ],
];

test.each(MAKERS)("%s refuses an option that it does not know", (what, make) => {
  expect(make).toThrow(TypeError);
  expect(make).toThrow(`Cannot use "tocken" as an option of ${what}: write {`);
});
