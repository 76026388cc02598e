import { expect, test } from "vitest";
import { ReferenceSharedStreamManager } from "../../sim/reference/mod.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import { type EventTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import { RunnerBench } from "./runner-bench.ts";

function fireEach(bench: RunnerBench, calls: string[]): EventTrigger {
  const plain = bench.watcher();
  return {
    ...plain,
    filterSharedStream(stream) {
      calls.push("filterSharedStream");
      return plain.filterSharedStream(stream);
    },
    filterSharedEvent(raw) {
      calls.push("filterSharedEvent");
      return new TriggerEvent(raw);
    },
  };
}

test("filterSharedEvent is preferred where it is there", async () => {
  const bench = new RunnerBench();
  const calls: string[] = [];
  bench.makers.set(1, () => fireEach(bench, calls));
  await bench.start(1, 2);
  await bench.emit("e0", "e1");
  await bench.rounds(3);
  expect(calls).toEqual(["filterSharedEvent", "filterSharedEvent"]);
  const { taken } = bench.supervisor;
  const fired = taken.map(({ triggerId, event }) => `${triggerId} ${String(event.payload)}`);
  expect(fired.toSorted()).toEqual(["1 e0", "1 e1", "2 e0", "2 e1"]);
  expect(new Set(taken.map(({ seq }) => seq))).toEqual(new Set([0, 1, 2, 3]));
  expect(bench.producer.batches.flat()).toEqual(["e0", "e1"]);
});

test("a filterSharedEvent that returns a promise fails its trigger, with the window open", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () => ({
    ...bench.watcher(),
    filterSharedEvent: (async () => undefined) as unknown as () => undefined,
  }));
  await bench.start(1, 2);
  await bench.emit("e0");
  await bench.rounds(2);
  expect(bench.supervisor.requests.flatMap(({ failures }) => failures)).toEqual([
    {
      triggerId: 1,
      error: "TypeError",
      message: "Cannot take a promise from filterSharedEvent: it must be synchronous",
    },
  ]);
  expect(bench.runner.runningIds()).toEqual([2]);
});

test("a trigger that is cancelled from within its filter sees nothing more", async () => {
  const bench = new RunnerBench();
  const seen: unknown[] = [];
  bench.makers.set(1, () => ({
    ...bench.watcher(),
    filterSharedEvent(raw: unknown) {
      seen.push(raw);
      void bench.manager.unsubscribe({ triggerId: 1, key: "k" });
      return new TriggerEvent(raw);
    },
  }));
  await bench.start(1, 2);
  await bench.emit("e0", "e1");
  await bench.rounds(2);
  expect(seen).toEqual(["e0"]);
  expect(bench.fired()).toContainEqual([1, "e0", null]);
  expect(bench.supervisor.requests.flatMap(({ finished }) => finished)).toEqual([1]);
});

test("a manager that does not offer visits leaves the asynchronous form to the runner", () => {
  const clock = new VirtualClock();
  const trigger = { createSharedStreamProducer: () => new RunnerBench().createProducer() };
  const place = { triggerId: 1, key: "k", trigger };
  expect(new ReferenceSharedStreamManager({ clock }).subscribe(place).visit).toBeUndefined();
  expect(new SharedStreamManager({ clock }).subscribe(place).visit).toBeDefined();
});
