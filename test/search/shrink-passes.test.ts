import { describe, expect, test } from "vitest";
import { drawScenario } from "../../sim/scenario/world-kinds.ts";
import { seededStages } from "../../sim/search/shrink/shrink-passes.ts";
import { simplerText, simplerValue } from "../../sim/search/shrink/shrink-value.ts";
import { shrink, type ShrinkPass } from "../../sim/search/shrink/shrink.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import type { ProducerScenario } from "../../sim/worlds/producer/producer-scenario.ts";

/** What a pass makes of a subject, as long as `fails` says so. */
async function shrunk<S>(
  subject: S,
  pass: ShrinkPass<S>,
  fails: (candidate: S) => boolean,
): Promise<S> {
  const found = await shrink(subject, { stages: [[["pass", pass]]], stillFails: fails });
  expect(found.isMinimal).toBe(true);
  const again = await shrink(found.subject, { stages: [[["pass", pass]]], stillFails: fails });
  expect(again.subject).toEqual(found.subject);
  return found.subject;
}

describe("seededStages()", () => {
  const SEED = 40;
  const drawn = drawScenario("producer", 1);
  if (drawn.world !== "producer") throw new Error("another world was drawn");
  const [record] = drawn.records;
  if (record === undefined) throw new Error("no record was drawn");
  const scenario: ProducerScenario = { ...drawn, seed: SEED, behaviours: [], faults: [] };

  /** What the stages make of a scenario, as long as `fails` says so. */
  async function smallest(
    from: ProducerScenario,
    fails: (candidate: ProducerScenario) => boolean,
  ): Promise<ProducerScenario> {
    const { subject, isMinimal } = await shrink<Scenario>(from, {
      stages: seededStages(SEED, 3),
      stillFails: (candidate) => candidate.world === "producer" && fails(candidate),
    });
    expect(isMinimal).toBe(true);
    if (subject.world !== "producer") throw new Error("the world has changed");
    return subject;
  }

  test("leave a subscriber and nothing else where anything fails", async () => {
    const { records, subscribers, seed } = await smallest(scenario, () => true);
    expect({ records, subscribers: subscribers.length, seed }).toEqual({
      records: [],
      subscribers: 1,
      seed: SEED,
    });
  });

  test("take two parts that single steps cannot take", async () => {
    const cut = { at: 1_000, cut: ["triggerer", "broker"], oneWay: false, for: 1_000 } as const;
    const crash = { at: 2_000, crash: "broker", restartAfter: 3_000 } as const;
    const pause = { at: 3_000, pause: "triggerer", for: 1_000 } as const;
    const { faults } = await smallest({ ...scenario, faults: [cut, pause, crash] }, (one) => {
      const has = (name: string): boolean => one.faults.some((fault) => name in fault);
      return has("pause") && has("cut") === has("crash");
    });
    expect(faults).toEqual([{ ...pause, at: 3_000 }]);
  });

  test("try the other seeds where a smaller scenario does not fail with its own", async () => {
    const { length } = scenario.records;
    const small = await smallest(scenario, ({ records, seed }) => {
      return records.length === length || seed === SEED + 2;
    });
    expect({ records: small.records, seed: small.seed }).toEqual({ records: [], seed: SEED + 2 });
  });

  test("count toward 1, and round to the nearest second that still fails", async () => {
    const fault = { site: "broker.fetch", verdict: "crash-after", for: 2_000 } as const;
    const { faults, records } = await smallest(
      {
        ...scenario,
        records: [{ ...record, at: 12_437 }],
        faults: [{ ...fault, nth: 7, times: 5, restartAfter: 3_000 }],
      },
      (one) => {
        const [strike] = one.faults;
        const isStruck = strike !== undefined && "nth" in strike && (strike.nth ?? 0) >= 3;
        return isStruck && (one.records[0]?.at ?? 0) > 12_400;
      },
    );
    expect(faults).toEqual([{ ...fault, nth: 3, times: 1, restartAfter: 3_000 }]);
    expect(records[0]?.at).toBe(13_000);
  });
});

describe("simplerValue()", () => {
  const cases: readonly (readonly [string, unknown, (value: unknown) => boolean, unknown])[] = [
    ["a number", 4_711, (value) => (value as number) > 40, 41],
    ["a negative fraction", -3.7, (value) => (value as number) < 0, -1],
    ["true", true, () => true, false],
    ["text", "bärenhunger", (value) => String(value).includes("r"), "r"],
    ["what holds", { a: [1, { b: "deep" }] }, () => true, 0],
    ["an array", [5, 6, 7], (value) => Array.isArray(value) && value.length > 1, [0, 0]],
    [
      "a member's name",
      { "x y": null, z: 1 },
      (value) => typeof value === "object" && Object.keys(value ?? {}).includes("x y"),
      { "x y": null },
    ],
  ];
  for (const [what, value, fails, small] of cases) {
    test(`makes ${what} as simple as possible`, async () => {
      expect(await shrunk(value, simplerValue, fails)).toEqual(small);
    });
  }

  test("keeps whole letters of text", async () => {
    const fails = (text: string): boolean => text.length >= 2;
    expect(await shrunk("a\u{1f600}b", simplerText, fails)).toMatch(/^(aa|\u{1f600})$/u);
  });
});
