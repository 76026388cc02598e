import { expect, test } from "vitest";
import type { SharedStream } from "../../src/shared-stream/mod.ts";
import { TriggerEvent } from "../../src/triggerer/mod.ts";
import { type Filter, RunnerBench } from "./runner-bench.ts";

/** Fires for every event, and hangs on one of them. */
function hangOn(name: string): Filter {
  return async function* (stream: SharedStream<unknown>) {
    for await (const raw of stream) {
      if (raw === name) await new Promise<never>(() => undefined);
      yield new TriggerEvent(raw);
    }
  };
}

test("K13 after a lost reply the request is sent again unchanged, taken once, confirmed once", async () => {
  const bench = new RunnerBench();
  await bench.start(1);
  await bench.emit("e0");
  await bench.rounds();
  bench.supervisor.faults.push("lose", "lose");
  await bench.emit("e1");
  await bench.rounds();
  expect(bench.confirmed).toEqual([]);
  await bench.emit("e2");
  await bench.rounds(2);
  const [, , third, again, yetAgain] = bench.supervisor.requests;
  expect(third?.events.map(({ event }) => event.payload)).toEqual(["e1"]);
  expect(again).toBe(third);
  expect(yetAgain).toBe(third);
  expect(bench.confirmed).toEqual([[0]]);
  expect(bench.producer.batches).toEqual([["e0"]]);
  await bench.rounds(2);
  expect(bench.fired()).toEqual([
    [1, "e0", 0],
    [1, "e1", 1],
    [1, "e2", 2],
  ]);
  expect(bench.confirmed).toEqual([[0], [1], [2]]);
  expect(bench.producer.batches).toEqual([["e0"], ["e1"], ["e2"]]);
  expect(bench.supervisor.requests.map(({ round }) => round)).toEqual([1, 2, 3, 3, 3, 4, 5]);
  const warnings = bench.log.filter(({ level }) => level === "warn");
  expect(warnings.map(({ message }) => message)).toEqual([
    "Cannot sync with the supervisor, will send again",
    "Cannot sync with the supervisor, will send again",
  ]);
});

test("K13 what a lost reply wanted created or cancelled comes with its repetition", async () => {
  const bench = new RunnerBench();
  await bench.start(1);
  bench.create(2);
  bench.supervisor.toCancel.push(1);
  bench.supervisor.faults.push("lose");
  await bench.rounds();
  expect(bench.runner.runningIds()).toEqual([1]);
  await bench.rounds();
  expect(bench.created).toEqual([1, 2]);
  await bench.rounds();
  expect(bench.runner.runningIds()).toEqual([2]);
});

test("K7 a sync that fails keeps the outbox: events, failures and the finished go out later", async () => {
  const bench = new RunnerBench();
  bench.makers.set(2, () =>
    bench.watcher(() => {
      throw new Error("bad filter");
    }),
  );
  await bench.start(1, 2);
  await bench.emit("e0");
  bench.supervisor.faults.push("refuse", "refuse", "refuse");
  await bench.rounds(3);
  expect(bench.supervisor.taken).toEqual([]);
  expect(bench.runner.runningIds()).toEqual([1, 2]);
  await bench.rounds();
  expect(bench.fired()).toEqual([[1, "e0", 0]]);
  expect(bench.supervisor.last).toMatchObject({
    round: 2,
    failures: [{ triggerId: 2, error: "Error" }],
    finished: [2],
  });
  expect(bench.runner.runningIds()).toEqual([1]);
});

test("K8 an event is taken once, however often its request is sent", async () => {
  const bench = new RunnerBench();
  await bench.start(1);
  await bench.emit("e0");
  bench.supervisor.faults.push("lose", "refuse", "lose", "lose");
  await bench.rounds(6);
  expect(bench.fired()).toEqual([[1, "e0", 0]]);
  expect(bench.producer.batches).toEqual([["e0"]]);
});

test("K23 an event that cannot be encoded fails its trigger, the others go out", async () => {
  const bench = new RunnerBench({ ackTimeout: { seconds: 10 } });
  bench.supervisor.encode = ({ payload }) => {
    if (payload === "poison") throw new TypeError("Cannot encode a function");
  };
  bench.makers.set(2, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      for await (const raw of stream) yield new TriggerEvent(`2 ${String(raw)}`);
    }),
  );
  await bench.start(1, 2);
  await bench.emit("poison");
  await bench.rounds();
  expect(bench.fired()).toEqual([[2, "2 poison", 1]]);
  expect(bench.supervisor.last.failures).toEqual([
    { triggerId: 1, error: "TypeError", message: "Cannot encode a function" },
  ]);
  expect(bench.messages()).toEqual(["Cannot encode a trigger event"]);
  await bench.rounds(8);
  expect(bench.producer.begun).toEqual([]);
  await bench.rounds(2);
  expect(bench.producer.out("poison")).toEqual([1, 1, 0]);
  await bench.rounds();
  expect(bench.runner.runningIds()).toEqual([2]);
});

test("K24 E-03 a filter that raises on an event counts as acked there, as failed when we are strict", async () => {
  for (const strictPersistence of [false, true]) {
    const bench = new RunnerBench({ strictPersistence });
    bench.makers.set(1, () =>
      bench.watcher(async function* (stream: SharedStream<unknown>) {
        for await (const raw of stream) throw new Error(`cannot read ${String(raw)}`);
        yield new TriggerEvent("never");
      }),
    );
    await bench.start(1);
    await bench.emit("e0");
    expect(bench.producer.out("e0")).toEqual(strictPersistence ? [0, 1, 0] : [1, 0, 0]);
  }
});

test("K28 each request names its runner; a new one counts rounds and numbers from the start", async () => {
  const first = new RunnerBench({ runnerId: "triggerer-1/1" });
  const second = new RunnerBench({ runnerId: "triggerer-1/2" });
  for (const bench of [first, second]) {
    bench.supervisor.isStoring = false;
    await bench.start(1);
    await bench.emit("e0");
    await bench.rounds();
    expect(bench.fired()).toEqual([[1, "e0", 0]]);
    expect(bench.supervisor.requests.map(({ round }) => round)).toEqual([1, 2]);
  }
  expect(first.supervisor.requests.map(({ runnerId }) => runnerId)).toEqual([
    "triggerer-1/1",
    "triggerer-1/1",
  ]);
  expect(second.supervisor.last.runnerId).toBe("triggerer-1/2");
  first.supervisor.persistedSeqs = [0];
  await first.rounds();
  await second.rounds();
  expect(first.producer.batches).toEqual([["e0"]]);
  expect(second.producer.batches).toEqual([]);
});

test("E-22 a cancelled trigger is unsubscribed before its filter comes to rest", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () => bench.watcher(hangOn("e0")));
  await bench.start(1, 2);
  await bench.emit("e0");
  await bench.rounds(2);
  expect(bench.producer.batches).toEqual([]);
  bench.supervisor.toCancel.push(1);
  await bench.rounds();
  expect(bench.producer.out("e0")).toEqual([2, 0, 0]);
  await bench.emit("e1");
  await bench.rounds(2);
  expect(bench.producer.out("e1")).toEqual([1, 0, 0]);
  expect(bench.runner.runningIds()).toEqual([2]);
  expect(bench.supervisor.requests.flatMap(({ finished }) => finished)).toEqual([1]);
});

test("E-05 a cancel that is repeated changes nothing: the drain comes to its end", async () => {
  const bench = new RunnerBench();
  await bench.start(1);
  bench.producer.block();
  await bench.emit("e0", "e1");
  await bench.rounds(2);
  expect(bench.producer.begun).toEqual([["e0", "e1"]]);
  for (let round = 0; round < 5; round += 1) {
    bench.supervisor.toCancel.push(1, 1, 99);
    await bench.rounds();
    expect(bench.producer.aclosed).toBe(0);
    expect(bench.supervisor.last.finished).toEqual([]);
  }
  bench.producer.unblock();
  await bench.settle();
  expect(bench.producer.batches).toEqual([["e0", "e1"]]);
  expect(bench.producer.aclosed).toBe(1);
  await bench.rounds();
  expect(bench.supervisor.last.finished).toEqual([1]);
});

test("what a filter yields after its cancel is not fired", async () => {
  const bench = new RunnerBench();
  let letFire: () => void = () => undefined;
  bench.makers.set(1, () =>
    bench.watcher(async function* (stream: SharedStream<unknown>) {
      const { value } = (await stream.next()) as { value: unknown };
      await new Promise<void>((resolve) => {
        letFire = resolve;
      });
      yield new TriggerEvent(value);
    }),
  );
  await bench.start(1, 2);
  await bench.emit("e0");
  bench.supervisor.toCancel.push(1);
  await bench.rounds();
  letFire();
  await bench.settle();
  await bench.rounds(2);
  expect(bench.fired()).toEqual([[2, "e0", 0]]);
});

test.for(["throws", "rejects"] as const)(
  "a filter whose return() %s at the cancel is a warning, and the runner goes on",
  async (how) => {
    const bench = new RunnerBench();
    const failure = new Error("cannot close");
    bench.makers.set(1, () =>
      bench.watcher(() => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => undefined),
          return: () => {
            if (how === "throws") throw failure;
            return Promise.reject(failure);
          },
        }),
      })),
    );
    await bench.start(1, 2);
    bench.supervisor.toCancel.push(1);
    await bench.rounds(2);
    expect(bench.messages()).toEqual(["A cancelled trigger failed"]);
    expect(bench.runner.runningIds()).toEqual([2]);
    expect(bench.supervisor.last.finished).toEqual([1]);
  },
);

test("T17 an unsubscribe that throws is logged, and the trigger is reported all the same", async () => {
  const bench = new RunnerBench();
  bench.unsubscribeBy = () => {
    throw new Error("cannot leave");
  };
  await bench.start(1);
  bench.supervisor.toCancel.push(1);
  await bench.rounds(2);
  expect(bench.messages()).toEqual(["Cannot unsubscribe a trigger"]);
  expect(bench.supervisor.last.finished).toEqual([1]);
});

test("T19 run(signal) stops everything: the loop, the triggers, the streams", async () => {
  const bench = new RunnerBench();
  bench.makers.set(1, () => bench.watcher(hangOn("e0")));
  await bench.start(1, 2);
  await bench.emit("e0");
  const { length } = bench.supervisor.requests;
  await bench.stop();
  expect(bench.isOver).toBe(true);
  expect(bench.manager.groupKeys()).toEqual([]);
  expect(bench.producer.aclosed).toBe(1);
  await bench.rounds(10);
  expect(bench.supervisor.requests).toHaveLength(length);
  expect(bench.clock.nextDueAt()).toBeUndefined();
  expect(bench.supervisor.taken).toEqual([]);
});

test("T19 run(signal) stops the streams of those, too, whose unsubscribe failed", async () => {
  const bench = new RunnerBench();
  bench.unsubscribeBy = () => {
    throw new Error("cannot leave");
  };
  await bench.start(1);
  await bench.stop();
  expect(bench.isOver).toBe(true);
  expect(bench.manager.groupKeys()).toEqual([]);
  expect(bench.producer.aclosed).toBe(1);
});

test("T19 run(signal) waits for the advance that is under way", async () => {
  const bench = new RunnerBench();
  await bench.start(1);
  bench.producer.block();
  await bench.emit("e0");
  await bench.rounds(2);
  await bench.stop();
  expect(bench.isOver).toBe(false);
  bench.producer.unblock();
  await bench.settle();
  expect(bench.isOver).toBe(true);
  expect(bench.producer.batches).toEqual([["e0"]]);
  expect(bench.producer.aclosed).toBe(1);
});

test("T19 after an abort a pending reply is not awaited, and nothing in it is done", async () => {
  const bench = new RunnerBench();
  await bench.start(1);
  let answer: () => void = () => undefined;
  bench.supervisor.gate = new Promise((resolve) => {
    answer = resolve;
  });
  bench.create(2);
  await bench.rounds();
  await bench.stop();
  expect(bench.isOver).toBe(true);
  expect(bench.manager.groupKeys()).toEqual([]);
  answer();
  await bench.settle();
  expect(bench.created).toEqual([1]);
  expect(bench.messages()).toEqual([]);
});

test("T19 a reply that fails after the abort is ignored", async () => {
  const bench = new RunnerBench();
  let fail: (error: Error) => void = () => undefined;
  bench.supervisor.gate = new Promise((_, reject) => {
    fail = reject;
  });
  await bench.start(1);
  await bench.stop();
  expect(bench.isOver).toBe(true);
  fail(new Error("connection reset"));
  await bench.settle();
  expect(bench.messages()).toEqual([]);
});

test("T19 with a signal that is aborted already nothing is sent", async () => {
  const bench = new RunnerBench();
  bench.abort.abort();
  await bench.start(1);
  expect(bench.isOver).toBe(true);
  expect(bench.supervisor.requests).toEqual([]);
});

test.each<readonly [string, unknown, string]>([
  ["nothing", undefined, "Cannot fire undefined: write new TriggerEvent(payload)"],
  ["null", null, "Cannot fire null: write new TriggerEvent(payload)"],
  ["a bare payload", "SUCCESS", "Cannot fire SUCCESS: write new TriggerEvent(payload)"],
  ["an object", { order: 17 }, "Cannot fire an object without a payload: write"],
])("a trigger that fires %s fails alone, in each of its forms", async (_, fired, why) => {
  const event = fired as TriggerEvent;
  const calls: string[] = [];
  const bench = new RunnerBench();
  async function* fires(): AsyncGenerator<TriggerEvent> {
    try {
      yield event;
      calls.push("went on");
    } finally {
      calls.push("closed");
    }
  }
  bench.makers.set(1, () => bench.watcher(() => fires()));
  bench.makers.set(2, () => ({ run: fires }));
  bench.makers.set(3, () => ({
    ...bench.watcher(),
    filterSharedEvent: () => (event === undefined ? [event] : event),
  }));
  bench.makers.set(4, () => ({
    ...bench.watcher(),
    filterSharedEvent: () => [new TriggerEvent("is not fired either"), event],
  }));
  await bench.start(1, 2, 3, 4, 5);
  await bench.emit("e0");
  await bench.rounds(2);
  expect(bench.fired()).toEqual([[5, "e0", expect.any(Number)]]);
  expect(bench.runner.runningIds()).toEqual([5]);
  const failures = bench.supervisor.requests.flatMap((request) => request.failures);
  const ids = failures.map(({ triggerId, error }) => `${triggerId} ${error}`);
  expect(ids.toSorted()).toEqual(["1 TypeError", "2 TypeError", "3 TypeError", "4 TypeError"]);
  const told = bench.log.filter(({ message }) => message === "A trigger failed");
  expect(told.filter(({ fields }) => String(fields?.["error"]).includes(why))).toHaveLength(4);
  expect(calls).toEqual(["closed", "closed"]);
});
