import type { Dice } from "../choices/dice.ts";
import type { StreamScenarioBase } from "./stream-scenario.ts";

/** Draws what a scenario with a shared-stream manager says of it; `queues` are the lengths to try. */
export function drawManagerSettings(
  dice: Dice,
  queues: readonly number[],
): Pick<StreamScenarioBase, "profile" | "strictPersistence" | "manager"> {
  return {
    profile: "faultlane",
    strictPersistence: dice.oneIn(2),
    manager: {
      maxSubscriberQueue: dice.from(queues),
      ackTimeout: dice.from([30_000, 10_000, 300_000]),
      cohortGracePeriod: dice.from([0, 0, 2_000]),
    },
  };
}
