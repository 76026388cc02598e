import { expect, test } from "vitest";
import {
  clearOnSuccess,
  clearTaskInstances,
  type SweepOptions,
  sweepStore,
  type TaskInstanceScope,
} from "../../src/store/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { failingBackend, recordingBackend } from "./recording-backend.ts";

const scope: TaskInstanceScope = {
  kind: "task-instance",
  dagId: "d",
  runId: "r",
  taskId: "t",
  mapIndex: 2,
};

test("clearOnSuccess() logs a failing clear and does not reject (A77, A78, E63)", async () => {
  const logged: unknown[] = [];
  const logger = {
    ...silentLogger,
    error: (message: string, fields?: object) => void logged.push([message, fields]),
  };
  const error = new Error("down");
  await clearOnSuccess(failingBackend(error), scope, { state: "success", logger });
  expect(logged).toEqual([
    [
      "Cannot clear task state after success",
      { scope: 'task instance (dag "d", run "r", task "t", map index 2)', error },
    ],
  ]);
});

test("clearOnSuccess() refuses an asset (A83, E55)", async () => {
  const { backend, calls } = recordingBackend();
  const asset = { kind: "asset", name: "orders" } as unknown as TaskInstanceScope;
  await expect(clearOnSuccess(backend, asset, { state: "success" })).rejects.toThrow(
    new TypeError("Cannot clear asset (orders) on success: it is not a task instance"),
  );
  expect(calls).toEqual([]);
});

test("clearTaskInstances() rejects when a delete fails, so that the reset can be rolled back (A84)", async () => {
  const steps: string[] = [];
  const clear = clearTaskInstances(failingBackend(new Error("down")), [scope], {
    keepTaskState: false,
    reset: async () => void steps.push("reset"),
  });
  await expect(clear).rejects.toThrow(
    'Cannot delete the state of task instance (dag "d", run "r", task "t", map index 2): down',
  );
  expect(steps).toEqual(["reset"]);
});

test("sweepStore() refuses an option that it does not know", async () => {
  const { backend, calls } = recordingBackend();
  const misspelt = { clock: new VirtualClock(), batch: 5 } as unknown as SweepOptions;
  await expect(sweepStore(backend, misspelt)).rejects.toThrow(
    'Cannot use "batch" as an option of sweepStore',
  );
  expect(calls).toEqual([]);
});

test.each([undefined, Number.NaN, Infinity, "1970-01-01"])(
  "sweepExpired() refuses to sweep at %s",
  async (now) => {
    const { backend } = recordingBackend();
    await backend.set(scope, "k", "1", { expiresAt: 1 });
    await expect(backend.sweepExpired({ now: now as number })).rejects.toThrow(
      new TypeError(`Cannot sweep at ${String(now)}: now must be in milliseconds since the epoch`),
    );
    expect(await backend.get(scope, "k")).toBeDefined();
  },
);

test("sweepStore() refuses a negative batch size, and rejects with the reason of an abort", async () => {
  const { backend, calls } = recordingBackend();
  const clock = new VirtualClock();
  await expect(sweepStore(backend, { clock, batchSize: -1 })).rejects.toThrow(
    new RangeError(
      "Cannot sweep in batches of -1: write an integer of 0 or more, 0 for a single batch",
    ),
  );
  await expect(sweepStore(backend, { clock, batchSize: 1.5 })).rejects.toThrow(RangeError);
  const reason = new Error("enough");
  await expect(sweepStore(backend, { clock, signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
  expect(calls).toEqual([]);
});

test("a sweep that is aborted between two batches keeps the first, and the next sweep deletes the rest (A69)", async () => {
  const { backend } = recordingBackend();
  for (let at = 0; at < 6; at += 1) await backend.set(scope, `k${at}`, "1", { expiresAt: 10 });
  const stop = new AbortController();
  const clock = new VirtualClock();
  const sweep = sweepStore(backend, { clock, batchSize: 2, signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(sweep).rejects.toThrow("enough");
  expect((await backend.list(scope, { limit: 9, offset: 0 })).total).toBe(4);
  expect((await backend.sweepExpired({ now: 11, batchSize: 2 })).expired).toBe(4);
});
