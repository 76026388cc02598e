import { afterEach, beforeEach, expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { inMacrotask } from "../../sim/realm/drain.ts";
import { World } from "../../sim/kernel/world.ts";

type Listener = (error: Error) => void;
let others: Listener[];
let uncaught: Error[];

beforeEach(() => {
  others = process.listeners("uncaughtException") as Listener[];
  uncaught = [];
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => void uncaught.push(error));
});

afterEach(() => {
  process.removeAllListeners("uncaughtException");
  for (const listener of others) process.on("uncaughtException", listener);
});

test("Node drains promise work without a hop", async () => {
  expect(await inMacrotask((drainNow) => drainNow?.())).toBe(true);
});

test("the runtime reports what a tick throws, and goes on with the other ticks", async () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const thrown = new Error("from a tick");
  const seen: string[] = [];
  // The first step runs before the macrotask of the others.
  world.schedule(0, { lane: "a" }, () => undefined);
  world.schedule(1, { lane: "a" }, () => {
    process.nextTick(() => {
      throw thrown;
    });
    process.nextTick(() => void seen.push("the second tick"));
  });
  world.schedule(2, { lane: "a" }, () => void seen.push(`a later step, ${uncaught.length}`));
  await world.run(10);
  expect(uncaught).toEqual([thrown]);
  expect(seen).toEqual(["the second tick", "a later step, 1"]);
});
