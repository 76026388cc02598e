import { describe, expect, test } from "vitest";
import { checkResumableJob } from "../../sim/check/mod.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { watchCode } from "../../sim/run/watch-code.ts";
import { PresetJob } from "../../sim/workloads/preset-job.ts";
import { PresetOperator } from "../../sim/workloads/preset-operator.ts";
import { Reschedules } from "../../sim/worlds/tasks/reschedules.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { managerThat } from "./manager-that.ts";

const OWNER = { alive: true, pausedUntil: 0, skewMs: 0, name: "one" } as const;

async function spin(): Promise<never> {
  for (;;) await new Promise((resolve) => setImmediate(resolve));
}

/** What a world says of code that takes so many steps, each so many virtual ms after the last. */
async function saidOf(
  steps: number,
  everyMs: number,
  watched: Parameters<typeof watchCode>[1] = {},
): Promise<readonly unknown[]> {
  const world = new World(new CalmChoices(), { keepTrace: true, digest: false });
  using _ = watchCode(world, watched);
  let left = steps;
  const step = (): void => {
    left -= 1;
    if (left > 0) world.schedule(everyMs, { lane: "a", owner: OWNER }, step);
  };
  world.schedule(0, { lane: "a", owner: OWNER }, step);
  await world.run(1_000_000);
  expect(world.isEnded).toBe(world.trace.length > 0);
  return world.trace
    .events()
    .map(({ host, ...event }) => ("steps" in event ? [host, event] : host));
}

describe("code that spins ends the run, and is a finding", () => {
  test("of a manager: no virtual time passes, and nothing comes to an end (hostile-client)", async () => {
    const createManager = managerThat(() => void spin());
    const { verdict, violations } = await simulate(readScenario("hostile-client"), {
      createManager,
      trace: false,
    });
    expect(verdict).toBe("broken");
    expect(violations).toMatchObject([
      {
        checker: "hot-loop",
        symptom: "spinning-host",
        detail: "client spins: 100000 steps of the world within 0 ms, and no end",
      },
    ]);
  });

  test("of an operator", async () => {
    class Spinning extends PresetOperator {
      override pollUntilComplete(): Promise<void> {
        return spin();
      }
    }
    const check = checkResumableJob(
      (client, { clock, task: name }) => {
        const job = { system: "livy", name, pollEveryMs: 1_000 } as const;
        return new Spinning(new PresetJob(client, clock, job));
      },
      { system: "livy", numRuns: 5 },
    );
    await expect(check).rejects.toThrow("attempt-1 spins: 4000 steps of the world within");
  });

  test("a window of virtual time is 2 s, and in it are as many steps as the world is large", async () => {
    const code = { codeUnderTest: { noun: "producer", records: 10 } };
    expect(await saidOf(4_800, 0, code)).toEqual([]);
    expect(await saidOf(4_801, 0, code)).toEqual([
      ["one", { at: 0, kind: "spinning", steps: 4_800, ms: 0 }],
    ]);
    // One each millisecond is 2,000 within a window.
    expect(await saidOf(10_000, 1, code)).toEqual([]);
    expect(await saidOf(5_000, 0, { actors: 1 })).toEqual([]);
  });
});

describe("Reschedules", () => {
  const told = (task: string, tryNumber: number, state: "queued" | "up_for_reschedule") =>
    ({
      at: 0,
      host: "database",
      kind: "task-state",
      task,
      state,
      tryNumber,
      attempt: 0,
      result: "",
    }) as const;

  test("areTooMany() counts those of one try of one task", () => {
    const reschedules = new Reschedules();
    for (let nth = 1; nth <= 30; nth += 1) {
      expect(reschedules.areTooMany("pages", 1)).toBe(false);
      reschedules.observe(told("pages", 1, "up_for_reschedule"));
      reschedules.observe(told("pages", 1, "queued"));
      reschedules.observe(told("pages", 2, "queued"));
      reschedules.observe(told("others", 1, "queued"));
    }
    expect(reschedules.areTooMany("pages", 1)).toBe(true);
    expect(reschedules.areTooMany("pages", 2)).toBe(false);
    expect(reschedules.areTooMany("others", 1)).toBe(false);
  });
});
