import { describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { writeScenario } from "../../sim/scenario/write.ts";
import type { Violation } from "../../sim/checkers/mod.ts";
import { identityOf, isSameFailure } from "../../sim/search/shrink/shrink-identity.ts";
import { NothingToShrink, shrinkScenario } from "../../sim/search/shrink/shrink-scenario.ts";
import { fewer, lower, shrink, type ShrinkPass } from "../../sim/search/shrink/shrink.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";

const ITEMS: readonly (readonly [string, ShrinkPass<readonly number[]>])[] = [["items", fewer]];

describe("shrink()", () => {
  test("keeps the items without which it does not fail", async () => {
    const subject = Array.from({ length: 100 }, (_, at) => at);
    const small = await shrink(subject, {
      stages: [ITEMS],
      stillFails: (items) => [3, 41, 98].every((one) => items.includes(one)),
    });
    expect(small).toMatchObject({ subject: [3, 41, 98], isMinimal: true });
    expect(small.reruns).toBeLessThan(100);
  });

  test("runs no candidate twice, and stops at its limit of reruns", async () => {
    const asked: string[] = [];
    const stillFails = (items: readonly number[]): boolean => {
      asked.push(items.join());
      return items.includes(1) && items.includes(5);
    };
    const small = await shrink([1, 2, 3, 4, 5], { stages: [ITEMS], stillFails });
    expect(new Set(asked).size).toBe(asked.length);
    asked.length = 0;
    const cut = await shrink([1, 2, 3, 4, 5], { stages: [ITEMS], stillFails, rerunsMax: 2 });
    expect(small.subject).toEqual([1, 5]);
    expect(cut).toMatchObject({ reruns: 2, isMinimal: false });
  });

  test("reports its progress pass by pass", async () => {
    const told: string[] = [];
    await shrink(9, {
      stages: [[["size", (subject: number) => lower(subject, 0)]]],
      stillFails: (size) => size >= 4,
      onProgress: ({ pass, reruns, taken }) => told.push(`${pass} ${reruns} ${taken}`),
    });
    expect(told).toEqual(["size 1 0", "size 2 1", "size 3 2", "size 4 2", "size 5 2"]);
  });
});

describe("writeScenario()", () => {
  for (const name of scenarioNames()) {
    test(`writes ${name} so that parsing gives the same scenario`, () => {
      const scenario = readScenario(name);
      const text = writeScenario(scenario, ["told above it"]);
      expect(text).toMatch(/^# told above it\nstory: >/);
      expect(parseScenario(text, scenario.name)).toEqual(scenario);
    });
  }
});

describe("identityOf()", () => {
  const violation: Violation = {
    checker: "I1",
    promise: "a promise",
    at: 1,
    host: "h",
    symptom: "wrong-snapshot",
    detail: "record orders/1@12, at 500 ms",
    ref: undefined,
    story: [],
  };

  test("does not depend on the wording, the time or the host", () => {
    const elsewhere = { ...violation, at: 7, host: "g", detail: "record k0/2#3, at 7 ms" };
    expect(identityOf(elsewhere)).toEqual(identityOf(violation));
  });

  test("distinguishes two symptoms of one promise", () => {
    const other = identityOf({ ...violation, symptom: "wrong-ack" });
    expect(isSameFailure(other, identityOf(violation))).toBe(false);
  });
});

/** Only the abort-like error matters; the rest is noise around it. */
const STORM = `
story: Airflow's pump dies without a word, in a storm that has nothing to do with it.
world: triggerer
profile: airflow-3.3
triggerers: 2
streams:
  - { name: orders, partitions: 2, triggers: 3, publishEvery: 650ms, filter: { slow: "1/9" } }
  - { name: payments, advanceThrows: { nth: 2, error: AbortError } }
operations: [{ at: 3s, createTrigger: orders }]
faults:
  - { site: sync.request, rate: "1/4", verdict: drop-reply }
  - { at: 2s, pause: runner-1, for: 100ms }
storm: { crashes: "1/3", pauses: "1/2", cuts: "1/3", rebalances: "1/2" }
phases: { safety: 30s }
expect: { checkers: [I1] }
`;

/** Breaks where chance crashes the attempt: its job runs on, and the next attempt submits another. */
const STRUCK = `
story: a worker is lost while its job runs, sometimes
world: tasks
workers: 2
tasks: [{ name: load, operator: plain, runs: 3 }]
faults: [{ site: job.status, rate: "1/12", verdict: crash-before }]
phases: { safety: 5m }
expect: { checkers: [R-I1] }
`;

describe("shrinkScenario()", () => {
  const breaking = async (text: string): Promise<readonly [Scenario, number]> => {
    const scenario = parseScenario(text, "storm");
    for (let seed = 1; seed < 50; seed += 1) {
      const report = await simulate(scenario, { seed, trace: false });
      if (report.verdict === "broken") return [scenario, seed];
    }
    throw new Error("No seed breaks it");
  };

  test("keeps only those faults of a storm that the failure needs", async () => {
    const [scenario, seed] = await breaking(STORM);
    const small = await shrinkScenario(scenario, { seed });
    expect(small.isMinimal).toBe(true);
    expect(small.text.replaceAll(/^#.*\n/gm, "")).toMatchInlineSnapshot(`
      "story: >
        Shrunk from storm: breaks I1 (group-outlives-poll).
      world: triggerer
      profile: airflow-3.3
      streams:
        - { name: payments, advanceThrows: { nth: 1, error: AbortError } }
      choices: calm
      phases: { safety: 4s, liveness: 1s }
      expect: { checkers: [ I1 ] }
      "
    `);
    const report = await simulate(parseScenario(small.text, "small"));
    expect(report.violations.map(identityOf)).toContainEqual(small.failure);
  });

  test("lists random faults as the calls that they struck", async () => {
    const [scenario, seed] = await breaking(STRUCK);
    const small = await shrinkScenario(scenario, { seed });
    expect(small.isMinimal).toBe(true);
    expect(small.text.replaceAll(/^#.*\n/gm, "")).toMatchInlineSnapshot(`
      "story: >
        Shrunk from storm: breaks R-I1 (submitted-twice).
      world: tasks
      tasks:
        - { name: load, retries: 1, operator: plain }
      faults:
        - { site: job.status, verdict: crash-before, nth: 1 }
      choices: calm
      phases: { safety: 1s, liveness: 1s }
      expect: { checkers: [ R-I1 ] }
      "
    `);
  });

  test("shrinks a recorded run to the same scenario as its seed, and its own result no further", async () => {
    const [scenario, seed] = await breaking(STORM);
    const small = await shrinkScenario(scenario, { seed });
    const { choices } = await simulate(scenario, { seed });
    const recorded = await shrinkScenario(scenario, { replay: choices });
    expect(recorded.text).toBe(small.text);
    const again = await shrinkScenario(parseScenario(small.text, scenario.name));
    expect({ ...again.scenario, story: "" }).toEqual({ ...small.scenario, story: "" });
  });

  test("rejects a run in which all promises hold", async () => {
    const scenario = readScenario("wall-clock-jumps-an-hour");
    await expect(shrinkScenario(scenario)).rejects.toThrow(NothingToShrink);
  });
});
