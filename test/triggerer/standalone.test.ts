import { expect, test } from "vitest";
import { rejectSharedStreamEvent, type SharedStream } from "../../src/shared-stream/mod.ts";
import { type EventTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import { RunnerBench } from "./runner-bench.ts";

const OUTSIDE = "Cannot reject a shared stream event outside an ack-mode binding window";

function alone(bench: RunnerBench, run: NonNullable<EventTrigger["run"]>): () => EventTrigger {
  return () => ({ ...bench.watcher(), sharedStreamKey: () => null, run });
}

test("a standalone trigger fires what it yields, with nothing to confirm", async () => {
  const bench = new RunnerBench();
  bench.makers.set(
    1,
    alone(bench, async function* () {
      yield new TriggerEvent("a");
      yield new TriggerEvent("b");
    }),
  );
  await bench.start(1);
  await bench.rounds();
  expect(bench.fired()).toEqual([
    [1, "a", null],
    [1, "b", null],
  ]);
  expect(bench.supervisor.last.finished).toEqual([1]);
  expect(bench.producers).toEqual([]);
});

test("a standalone trigger's signal aborts at its cancel, and it is reported at once", async () => {
  const bench = new RunnerBench();
  let given: AbortSignal | undefined;
  bench.makers.set(
    1,
    alone(bench, async function* (signal) {
      given = signal;
      await new Promise<never>(() => undefined);
      yield new TriggerEvent("never");
    }),
  );
  await bench.start(1);
  expect(given?.aborted).toBe(false);
  bench.supervisor.toCancel.push(1);
  await bench.rounds(2);
  expect(given?.aborted).toBe(true);
  expect(bench.supervisor.last.finished).toEqual([1]);
});

test("the stop of the runner aborts it, too", async () => {
  const bench = new RunnerBench();
  let given: AbortSignal | undefined;
  bench.makers.set(
    1,
    alone(bench, async function* (signal) {
      given = signal;
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
      yield new TriggerEvent("too late");
    }),
  );
  await bench.start(1);
  await bench.stop();
  expect(given?.aborted).toBe(true);
  expect(bench.isOver).toBe(true);
});

test("the ambient reject of a filter is about the event that it works on, however it waits", async () => {
  const bench = new RunnerBench();
  const picky = (refused: string) =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      for await (const raw of stream) {
        await Promise.resolve();
        if (raw === refused) rejectSharedStreamEvent();
        else yield new TriggerEvent(raw);
      }
    });
  bench.makers.set(1, () => picky("e0"));
  bench.makers.set(2, () => picky("e1"));
  await bench.start(1, 2);
  await bench.emit("e0", "e1", "e2");
  await bench.rounds(2);
  expect(["e0", "e1", "e2"].map((name) => bench.producer.out(name))).toEqual([
    [1, 0, 1],
    [1, 0, 1],
    [2, 0, 0],
  ]);
  expect(bench.log.filter(({ level }) => level === "warn")).toEqual([]);
});

test("an ambient reject in a standalone trigger warns, whatever its neighbours work on", async () => {
  const bench = new RunnerBench();
  let go: () => void = () => undefined;
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      for await (const raw of stream) {
        await new Promise<never>(() => undefined);
        yield new TriggerEvent(raw);
      }
    }),
  );
  bench.makers.set(
    2,
    alone(bench, async function* () {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      rejectSharedStreamEvent();
      yield new TriggerEvent("alone");
    }),
  );
  await bench.start(1, 2);
  await bench.emit("e0");
  go();
  await bench.settle();
  expect(bench.messages()).toEqual([OUTSIDE]);
  expect(bench.producer.begun).toEqual([]);
});

test("an ambient reject before a filter's first pull warns, whatever its neighbours work on", async () => {
  const bench = new RunnerBench();
  let go: () => void = () => undefined;
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      for await (const raw of stream) {
        await new Promise<never>(() => undefined);
        yield new TriggerEvent(raw);
      }
    }),
  );
  bench.makers.set(2, () =>
    bench.watcher(async function* () {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      rejectSharedStreamEvent();
      yield new TriggerEvent("early");
    }),
  );
  await bench.start(1, 2);
  await bench.emit("e0");
  go();
  await bench.settle();
  expect(bench.messages()).toEqual([OUTSIDE]);
  expect(bench.producer.begun).toEqual([]);
});
