import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { worldKindOf } from "../../sim/scenario/world-kinds.ts";
import { readScenario } from "../sim/read-scenarios.ts";

/** In how many runs of a fixed set of seeds each situation has to be reached at least. */
interface Reach {
  readonly scenario: string;
  readonly seeds: number;
  readonly floors: Readonly<Record<string, number>>;
}

const REACHES: readonly Reach[] = [
  {
    scenario: "groups-end-while-they-are-busy",
    seeds: 25,
    floors: {
      "everything was stopped with several groups busy": 15,
      "a drain failed in stopAll while other groups were not closed": 3,
      "a drain failed while somebody was subscribed": 5,
      "a key was taken again while its old group drained": 18,
      "a drain failed after its key had been taken again": 12,
      "an advance failed after its group had failed": 5,
      "an advance was slow and then failed": 18,
      "a source failed when its group was stopped": 20,
      "a source failed after its group had failed": 15,
      "a producer failed to close": 10,
    },
  },
  {
    scenario: "a-task-rejects-when-its-window-is-closed",
    seeds: 10,
    floors: {
      "a filter was called with an event": 6,
      "an event was delivered on the fast path": 10,
      "a task rejected when its own window was closed and another one open": 5,
    },
  },
  {
    scenario: "store/a-user-sets-a-watermark-back",
    seeds: 3,
    floors: { "a user set a watermark back": 3 },
  },
  {
    scenario: "triggers-without-a-stream",
    seeds: 5,
    floors: {
      "a trigger without a stream fired": 5,
      "a trigger without a stream called the ambient reject": 5,
      "a filter was called with an event": 5,
      "an event was delivered on the fast path": 5,
    },
  },
];

/** In how many runs of seeds 1 to `seeds` each mark was reached, by mark. */
async function runsByMark({ scenario, seeds }: Reach): Promise<ReadonlyMap<string, number>> {
  const runs = new Map<string, number>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { stats, verdict } = await simulate(readScenario(scenario), { seed, trace: false });
    expect(`seed ${seed}: ${verdict}`).toBe(`seed ${seed}: held`);
    for (const [mark, times] of stats.marks)
      if (times > 0) runs.set(mark, (runs.get(mark) ?? 0) + 1);
  }
  return runs;
}

describe("the workloads reach the rare situations", () => {
  for (const reach of REACHES) {
    test(`${reach.scenario}, seeds 1 to ${reach.seeds}`, async () => {
      const runs = await runsByMark(reach);
      const { marks } = worldKindOf(readScenario(reach.scenario));
      const wanted = Object.entries(reach.floors);
      expect(marks).toEqual(expect.arrayContaining(wanted.map(([mark]) => mark)));
      const missed = wanted.filter(([mark, least]) => (runs.get(mark) ?? 0) < least);
      expect(missed.map(([mark]) => `${mark}: ${runs.get(mark) ?? 0}`)).toEqual([]);
    });
  }

  // The source of a group throws while the group waits for its turn in stopAll.
  test.each([105, 249, 261])("and such a failure is the group's own, seed %i", async (seed) => {
    const scenario = readScenario("groups-end-while-they-are-busy");
    expect((await simulate(scenario, { seed, trace: false })).violations).toEqual([]);
  });
});
