import { expect, test } from "vitest";
import { RunnerBench } from "./runner-bench.ts";

/** How many listeners the signal has, from now on. */
function countListeners(signal: AbortSignal): () => number {
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: never, options?: never): void => {
    listeners.add(listener);
    add(type, listener, options);
  };
  signal.removeEventListener = (type: string, listener: never, options?: never): void => {
    listeners.delete(listener);
    remove(type, listener, options);
  };
  return () => listeners.size;
}

test("for every number of rounds the runner's signal has the one listener of the round", async () => {
  const bench = new RunnerBench();
  const count = countListeners(bench.abort.signal);
  await bench.start(1);
  for (let round = 0; round < 20; round += 1) {
    bench.supervisor.faults.push(round % 3 === 0 ? "refuse" : "pass");
    await bench.rounds();
    expect(count()).toBe(1);
  }
});

test("a reply that the runner waits for has one listener, which goes when the reply comes", async () => {
  const bench = new RunnerBench();
  const count = countListeners(bench.abort.signal);
  await bench.start(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  bench.supervisor.gate = promise;
  await bench.rounds();
  expect(count()).toBe(1);
  resolve();
  await bench.settle();
  expect(count()).toBe(1);
  await bench.rounds(5);
  expect(count()).toBe(1);
});

test("triggers that ended and were reported are forgotten, however many there were", async () => {
  const bench = new RunnerBench();
  await bench.start();
  for (let id = 1; id <= 50; id += 1) {
    bench.create(id);
    await bench.rounds();
    bench.supervisor.toCancel.push(id);
    await bench.rounds(3);
    expect(bench.runner.runningIds()).toEqual([]);
  }
});

test("a trigger that is cancelled twice in one reply has its filter closed once", async () => {
  const bench = new RunnerBench();
  let closed = 0;
  bench.makers.set(1, () =>
    bench.watcher(() => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => {
          closed += 1;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    })),
  );
  await bench.start(1);
  bench.supervisor.toCancel.push(1, 1);
  await bench.rounds(2);
  expect(closed).toBe(1);
  expect(bench.supervisor.last.finished).toEqual([1]);
});
