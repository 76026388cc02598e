import { describe, expect, test } from "vitest";
import { drain } from "../../sim/realm/drain.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

async function nested(depth: number, done: string[]): Promise<void> {
  for (let at = 0; at < depth; at += 1) await Promise.resolve();
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await (async () => {
    await Promise.resolve();
    done.push("promises");
    queueMicrotask(() => void done.push("microtask"));
  })();
}

describe("all promise work has finished", () => {
  test("after a hop", async () => {
    const done: string[] = [];
    void nested(100, done);
    await drain();
    expect(done).toEqual(["promises", "microtask"]);
  });

  test("before the next step of a world begins, in a run of any length", async () => {
    const world = new World(new CalmChoices(), { keepTrace: false });
    const done: string[] = [];
    const seen: number[] = [];
    for (let at = 0; at < 1_000; at += 1) {
      world.schedule(at, { lane: "a" }, () => {
        seen.push(done.length);
        void nested(at % 7, done);
      });
    }
    await world.run(2_000);
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, at) => 2 * at));
  });
});

test("signals and timers of the process have their turn while a world runs", async () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  for (let at = 0; at < 10_000; at += 1) world.schedule(at, { lane: "a" }, () => undefined);
  await world.run(10_000);
  isOver = true;
  expect(turns).toBeGreaterThan(20);
});
