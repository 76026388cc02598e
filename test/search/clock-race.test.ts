import { describe, expect, test } from "vitest";
import { CLOCK_TASK, type Choices, type Scheduler } from "../../sim/choices/choices.ts";
import type { StepOwner } from "../../sim/kernel/step.ts";
import { World } from "../../sim/kernel/world.ts";

/** Lets the clock go first wherever it may. */
function clockFirst(): Choices & { readonly asked: string[][] } {
  const asked: string[][] = [];
  const scheduler: Scheduler = {
    racesClock: true,
    choose(tasks) {
      asked.push([...tasks]);
      return tasks.at(-1) === CLOCK_TASK ? tasks.length - 1 : 0;
    },
    took: () => undefined,
  };
  return {
    asked,
    scheduler,
    stream: () => ({ choose: () => 0 }),
    recorded: () => [],
  };
}

class Process implements StepOwner {
  readonly alive = true;
  readonly skewMs = 0;
  readonly stalls: number[] = [];
  pausedUntil = 0;

  readonly stall = (untilMs: number): void => {
    this.stalls.push(untilMs);
    this.pausedUntil = untilMs;
  };
}

/** A ticking process beside one step of `owner` at 1 ms; answers when the step ran. */
async function whenRun(
  owner: StepOwner | undefined,
  prepare: (world: World) => void = () => undefined,
): Promise<number | undefined> {
  const world = new World(clockFirst(), { keepTrace: false });
  prepare(world);
  let ranAt: number | undefined;
  for (let at = 1; at <= 200; at += 1) {
    world.schedule(at * 1_000, { lane: "ticks", hop: false }, () => undefined);
  }
  world.schedule(1, { owner, lane: "process", hop: false }, () => {
    ranAt = world.now;
  });
  await world.run(500_000);
  return ranAt;
}

describe("a world whose clock is a task", () => {
  test("lets time skip past the due steps of a process, which is stalled until then", async () => {
    const process = new Process();
    await whenRun(process);
    expect(process.stalls.slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
  });

  test("stalls for a minute in total, and no longer", async () => {
    expect(await whenRun(new Process())).toBe(60_000);
  });

  test("does not skip past steps without an owner, or of an owner that cannot be stalled", async () => {
    expect(await whenRun(undefined)).toBe(1);
    expect(await whenRun({ alive: true, skewMs: 0, pausedUntil: 0 })).toBe(1);
  });

  test("does not skip past steps once faults are over", async () => {
    expect(await whenRun(new Process(), (world) => world.injector.disarm())).toBe(1);
  });

  test("names the clock last among the tasks, and makes a choice also for a single one", async () => {
    const choices = clockFirst();
    const world = new World(choices, { keepTrace: false });
    const [one, other] = [new Process(), new Process()];
    world.schedule(1, { owner: one, lane: "one", hop: false }, () => undefined);
    world.schedule(1, { owner: other, lane: "other", hop: false }, () => undefined);
    world.schedule(5, { owner: one, lane: "one", hop: false }, () => undefined);
    await world.run(10);
    expect(choices.asked[0]).toEqual(["one", "other", CLOCK_TASK]);
  });
});
