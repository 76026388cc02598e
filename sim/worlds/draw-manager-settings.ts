import type { Dice } from "../choices/dice.ts";
import type { StreamScenarioBase } from "./stream-scenario.ts";

/** What a world may try; `ackTimeouts` in virtual milliseconds. */
interface ManagerSettingsRange {
  readonly queues: readonly number[];
  readonly ackTimeouts: readonly number[];
}

/** Draws what a scenario with a shared-stream manager says of it. */
export function drawManagerSettings(
  dice: Dice,
  { queues, ackTimeouts }: ManagerSettingsRange,
): Pick<StreamScenarioBase, "profile" | "strictPersistence" | "manager"> {
  return {
    profile: "faultlane",
    strictPersistence: dice.oneIn(2),
    manager: {
      maxSubscriberQueue: dice.from(queues),
      ackTimeout: dice.from(ackTimeouts),
      cohortGracePeriod: dice.from([0, 0, 2_000]),
    },
  };
}
