import { expect, test } from "vitest";
import type { SharedStream } from "../../src/shared-stream/mod.ts";
import { type EventTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import { RunnerBench } from "./runner-bench.ts";

test("T0 a workload becomes a trigger, once: an id that is known is left alone", async () => {
  const bench = new RunnerBench();
  await bench.start(1, 2, 1);
  expect(bench.created).toEqual([1, 2]);
  bench.create(2);
  await bench.rounds();
  expect(bench.created).toEqual([1, 2]);
  expect(bench.runner.runningIds()).toEqual([1, 2]);
  expect(bench.manager.groupKeys()).toEqual(["k"]);
});

test("T0 a trigger that cannot be created is reported as failed and finished, the others run", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () => {
    throw new RangeError("bad kwargs");
  });
  await bench.start(1, 2);
  await bench.rounds();
  expect(bench.supervisor.last.failures).toMatchObject([{ triggerId: 1, error: "RangeError" }]);
  expect(bench.supervisor.last.finished).toEqual([1]);
  expect(bench.runner.runningIds()).toEqual([2]);
});

test("T1 the key is computed once; with a key the trigger subscribes and its filter gets the stream", async () => {
  const bench = new RunnerBench();
  let asked = 0;
  bench.makers.set(1, () => ({
    ...bench.watcher(),
    sharedStreamKey: () => {
      asked += 1;
      return ["orders", 3];
    },
  }));
  await bench.start(1);
  await bench.emit("e0");
  await bench.rounds(3);
  expect(asked).toBe(1);
  expect(bench.manager.groupKeys()).toEqual([["orders", 3]]);
  expect(bench.fired()).toEqual([[1, "e0", 0]]);
});

function noKey(): null {
  throw new Error("no connection id");
}

test.for(["is null", "cannot be computed"])(
  "T1 when the key %s the trigger runs alone",
  async (how) => {
    const bench = new RunnerBench();
    bench.makers.set(1, () => ({
      ...bench.watcher(),
      sharedStreamKey: how === "is null" ? () => null : noKey,
      async *run() {
        yield new TriggerEvent("alone");
      },
    }));
    await bench.start(1);
    await bench.rounds();
    expect(bench.fired()).toEqual([[1, "alone", null]]);
    expect(bench.producers).toEqual([]);
    expect(bench.supervisor.last.finished).toEqual([1]);
    const said = "Cannot compute the shared stream key, running alone";
    expect(bench.messages()).toEqual(how === "is null" ? [] : [said]);
  },
);

test("T1 without a key and without a run method it fails", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () => ({ ...bench.watcher(), sharedStreamKey: () => null }));
  await bench.start(1);
  await bench.rounds();
  expect(bench.supervisor.last.failures).toMatchObject([{ triggerId: 1, error: "TypeError" }]);
});

test("T1 a key that cannot be compared fails the trigger, and nothing is subscribed", async () => {
  const bench = new RunnerBench();
  const key = { topic: "orders" } as unknown as string;
  bench.makers.set(1, () => ({ ...bench.watcher(), sharedStreamKey: () => key }));
  await bench.start(1);
  await bench.rounds();
  expect(bench.supervisor.last.failures).toMatchObject([{ triggerId: 1, error: "TypeError" }]);
  expect(bench.manager.groupKeys()).toEqual([]);
});

test("T1 a filter that throws at the call is unsubscribed", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () =>
    bench.watcher(() => {
      throw new Error("bad filter");
    }),
  );
  await bench.start(1);
  await bench.rounds();
  expect(bench.supervisor.last.failures).toMatchObject([{ triggerId: 1, error: "Error" }]);
  expect(bench.manager.groupKeys()).toEqual([]);
});

test("T2 T3 T4 T5 siblings share one producer, each filter gets every event", async () => {
  const bench = new RunnerBench();
  await bench.start(1, 2);
  await bench.emit("e0");
  await bench.rounds();
  expect(bench.producers.map(({ opened }) => opened)).toEqual([1]);
  expect(bench.fired()).toEqual([
    [1, "e0", 0],
    [2, "e0", 1],
  ]);
});

test("T6 T7 T8 a filter may fire none, one or many for an event; each is bound to it", async () => {
  const bench = new RunnerBench();
  bench.supervisor.isStoring = false;
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      for await (const raw of stream) {
        for (let at = 0; at < Number(raw); at += 1) {
          await Promise.resolve();
          yield new TriggerEvent(`${String(raw)}.${at}`);
        }
      }
    }),
  );
  await bench.start(1);
  await bench.emit(0, 2, 1);
  await bench.rounds();
  expect(bench.fired()).toEqual([
    [1, "2.0", 0],
    [1, "2.1", 1],
    [1, "1.0", 2],
  ]);
  expect(bench.producer.batches).toEqual([[0]]);
  bench.supervisor.persistedSeqs = [0, 2];
  await bench.rounds();
  expect(bench.producer.batches).toEqual([[0]]);
  bench.supervisor.persistedSeqs = [1];
  await bench.rounds();
  expect(bench.producer.batches).toEqual([[0], [2, 1]]);
  expect(bench.producer.clean).toEqual([0, 2, 1]);
});

test("T7 on the fast path there is nothing to bind", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () => {
    const { createSharedStreamProducer: _, ...trigger } = bench.watcher();
    const openSharedStream: EventTrigger["openSharedStream"] = (signal) =>
      bench.createProducer().openRaws(signal);
    return { ...trigger, openSharedStream };
  });
  await bench.start(1);
  await bench.emit("e0");
  await bench.rounds();
  expect(bench.fired()).toEqual([[1, "e0", null]]);
});

test("T9 T10 T13 T14 T15 T16 an event goes out, is stored, is confirmed a round later, is settled", async () => {
  const bench = new RunnerBench();
  await bench.start(1);
  await bench.emit("e0");
  expect(bench.supervisor.requests.map(({ events }) => events.length)).toEqual([0]);
  await bench.rounds();
  expect(bench.fired()).toEqual([[1, "e0", 0]]);
  expect(bench.confirmed).toEqual([]);
  expect(bench.producer.batches).toEqual([]);
  await bench.rounds();
  expect(bench.confirmed).toEqual([[0]]);
  expect(bench.producer.batches).toEqual([["e0"]]);
  expect(bench.supervisor.requests.map(({ round }) => round)).toEqual([1, 2, 3]);
  expect(bench.supervisor.last.events).toEqual([]);
});

test("T9 the next round begins one interval after the reply", async () => {
  const bench = new RunnerBench({ syncInterval: { milliseconds: 250 } });
  await bench.start();
  await bench.rounds();
  expect(bench.supervisor.requests).toHaveLength(5);
});

test("T17 T18 a filter that returns is over: unsubscribed, and reported as finished, once", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      const { value } = (await stream.next()) as { value: unknown };
      yield new TriggerEvent(value);
    }),
  );
  await bench.start(1, 2);
  await bench.emit("e0");
  await bench.rounds();
  expect(bench.supervisor.last.finished).toEqual([1]);
  expect(bench.supervisor.last.failures).toMatchObject([]);
  await bench.rounds();
  expect(bench.supervisor.last.finished).toEqual([]);
  expect(bench.producer.out("e0")).toEqual([2, 0, 0]);
  expect(bench.runner.runningIds()).toEqual([2]);
});

test("T18 a filter that raises before it fired is a failure", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      for await (const raw of stream) throw new SyntaxError(`cannot read ${String(raw)}`);
      yield new TriggerEvent("never");
    }),
  );
  await bench.start(1);
  await bench.emit("e0");
  await bench.rounds();
  expect(bench.supervisor.last.failures).toMatchObject([{ triggerId: 1, error: "SyntaxError" }]);
  expect(bench.supervisor.last.finished).toEqual([1]);
  expect(bench.messages()).toContain("A trigger failed");
});

test("T18 a filter that throws undefined has failed as well", async () => {
  const bench = new RunnerBench();
  const throwIt = (thrown: unknown): void => {
    throw thrown;
  };
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      await stream.next();
      throwIt(undefined);
      yield new TriggerEvent("never");
    }),
  );
  await bench.start(1);
  await bench.emit("e0");
  await bench.rounds();
  expect(bench.supervisor.last.failures).toMatchObject([{ triggerId: 1, error: "undefined" }]);
  expect(bench.supervisor.last.finished).toEqual([1]);
  expect(bench.messages()).toEqual(["A trigger failed"]);
});

test("T18 E-38 a filter that raises after it fired is reported as finished only", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      for await (const raw of stream) {
        if (raw === "e1") throw new SyntaxError("cannot read e1");
        yield new TriggerEvent(raw);
      }
    }),
  );
  await bench.start(1);
  await bench.emit("e0", "e1");
  await bench.rounds();
  expect(bench.fired()).toEqual([[1, "e0", 0]]);
  expect(bench.supervisor.last.failures).toMatchObject([]);
  expect(bench.supervisor.last.finished).toEqual([1]);
  expect(bench.messages()).toContain("A trigger failed");
});

test("T18 a trigger that was force-failed may be created again under its id, with the next reply at the earliest", async () => {
  const bench = new RunnerBench({ ackTimeout: { seconds: 5 } });
  bench.supervisor.isStoring = false;
  await bench.start(1);
  await bench.emit("e0");
  await bench.rounds(5);
  expect(bench.producer.out("e0")).toEqual([0, 1, 0]);
  expect(bench.messages()).toContain("A trigger failed");
  expect(bench.runner.runningIds()).toEqual([1]);
  bench.create(1);
  await bench.rounds();
  expect(bench.supervisor.last.finished).toEqual([1]);
  expect(bench.created).toEqual([1, 1]);
  expect(bench.producers).toHaveLength(2);
  await bench.emit("e0");
  await bench.rounds();
  expect(bench.fired()).toEqual([
    [1, "e0", 0],
    [1, "e0", 1],
  ]);
});

test("T18 a group that failed ends all its triggers, each is reported", async () => {
  const bench = new RunnerBench();
  await bench.start(1, 2);
  bench.producer.fail(new Error("connection lost"));
  await bench.settle();
  await bench.rounds();
  expect(bench.supervisor.last.failures).toMatchObject([
    { triggerId: 1, error: "Error" },
    { triggerId: 2, error: "Error" },
  ]);
  expect(bench.supervisor.last.finished).toEqual([1, 2]);
  expect(bench.runner.runningIds()).toEqual([]);
});
