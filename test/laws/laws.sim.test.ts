import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keep, play } from "./drawn-scenario.ts";
import { crashWindowOf, LANE_ORDERING, type Law, SNAPSHOT_AT_FAN_OUT } from "./laws.ts";

const LAWS: readonly Law[] = [SNAPSHOT_AT_FAN_OUT, crashWindowOf("resumable"), LANE_ORDERING];

test.each(LAWS.map((law) => [law.name, law] as const))(
  "%s holds in every scenario that fast-check draws",
  async (name, { scenarios, broken, reaches }) => {
    let reached = 0;
    const property = fc.asyncProperty(scenarios, async (drawn) => {
      const report = await play(drawn);
      reached += new Map(report.stats.marks).get(reaches) ?? 0;
      const wrong = broken(report);
      if (wrong.length === 0) return;
      throw new Error(`${wrong.join("\n")}\n  scenario: ${keep(drawn, name)}`);
    });
    await fc.assert(property, { seed: 33, numRuns: 40 });
    expect(reached).toBeGreaterThan(0);
  },
);
