import type { Dice } from "../../choices/dice.ts";
import { drawManagerSettings } from "../draw-manager-settings.ts";
import { FILTER_FORMS } from "../../workloads/filter-form.ts";
import { EXPECT_ALL } from "../drawn-parts.ts";
import type { ManagerScenario } from "./manager-scenario.ts";

/** Draws a whole scenario of the manager world. */
export function drawManagerScenario(dice: Dice): Omit<ManagerScenario, "name"> {
  const scenario = drawBasis(dice);
  // Drawn last, so that the rest of a seed's scenario stays as it was before there were these.
  const badEnds = dice.oneIn(2);
  return { ...scenario, hostile: { ...scenario.hostile, badEnds, busyStops: dice.oneIn(3) } };
}

function drawBasis(dice: Dice): Omit<ManagerScenario, "name"> {
  return {
    story: "Drawn from a seed.",
    world: "manager",
    ...drawManagerSettings(dice, {
      queues: [1_024, 64, 3],
      ackTimeouts: [30_000, 10_000, 300_000],
    }),
    keys: dice.from([2, 1, 4]),
    triggers: dice.from([4, 2, 8]),
    lanes: dice.from([2, 1, 4]),
    operations: dice.from([60, 20, 120]),
    hostile: {
      failures: !dice.oneIn(4),
      stopAll: !dice.oneIn(4),
      sameTurn: !dice.oneIn(4),
      bursts: !dice.oneIn(4),
      pullsOn: dice.oneIn(4),
      badEnds: false,
      busyStops: false,
      longAdvances: false,
    },
    filter: { form: dice.from(FILTER_FORMS) },
    mode: dice.from(["ack", "ack", "either", "fast"]),
    phases: { safety: 60_000, liveness: 3_600_000 },
    expect: EXPECT_ALL,
  };
}
