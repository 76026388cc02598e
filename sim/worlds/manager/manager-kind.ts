import { CHECKER_IDS } from "../../checkers/mod.ts";
import { STREAM_MARKS } from "../../checkers/stream/stream-marks.ts";
import { CLIENT_OPTIONS } from "../../workloads/hostile-client.ts";
import { CLIENT_MARKS } from "../../workloads/marks.ts";
import { runStreamCheckers } from "../run-stream-checkers.ts";
import { streamStory } from "../../story/stream-story.ts";
import type { WorldKind } from "../world-kind.ts";
import type { ManagerScenario } from "./manager-scenario.ts";
import { managerMakeup } from "./manager-makeup.ts";
import { buildManagerWorld } from "./manager-world.ts";
import { drawManagerScenario } from "./draw-manager.ts";

/** What is promised of records, which only a broker has. */
const OF_A_BROKER: readonly string[] = ["goodput", "reads-on", "settled", "at-least-once"];

/** One manager alone: without a broker nothing is redelivered, and nothing has to be settled. */
export const managerKind: WorldKind<ManagerScenario> = {
  build: (world, scenario, { createManager }) => buildManagerWorld(world, scenario, createManager),
  draw: drawManagerScenario,
  // The client is drawn, and nothing strikes it from outside.
  problems: () => [],
  acts: () => [],
  checkers: CHECKER_IDS,
  isOwed,
  judge: (scenario, sometimes) =>
    runStreamCheckers(scenario, (id) => isOwed(scenario, id), sometimes),
  story: streamStory,
  marks: [...STREAM_MARKS, ...CLIENT_MARKS],
  mayStall: () => true,
  optionWords: ({ label, value }) => CLIENT_OPTIONS.get(label)?.[value],
  makeup: managerMakeup,
  hasJobs: false,
};

function isOwed({ strictPersistence }: ManagerScenario, checker: string): boolean {
  if (checker === "I23") return strictPersistence;
  return !OF_A_BROKER.includes(checker);
}
