import { STREAM_MARKS } from "../../checkers/stream/stream-marks.ts";
import { CLIENT_MARKS } from "../../workloads/marks.ts";
import { runStreamCheckers } from "../run-stream-checkers.ts";
import { streamStory } from "../../story/stream-story.ts";
import type { WorldKind } from "../world-kind.ts";
import type { ManagerScenario } from "./manager-scenario.ts";
import { managerMakeup } from "./manager-makeup.ts";
import { buildManagerWorld } from "./manager-world.ts";
import { drawManagerScenario } from "./draw-manager.ts";

/** One manager alone: without a broker nothing is redelivered, and nothing has to be settled. */
export const managerKind: WorldKind<ManagerScenario> = {
  build: (world, scenario, { createManager }) => buildManagerWorld(world, scenario, createManager),
  draw: drawManagerScenario,
  judge: (scenario, sometimes) => {
    const isDefault = (id: string): boolean => {
      if (id === "I23") return scenario.strictPersistence;
      return id !== "settled" && id !== "at-least-once";
    };
    return runStreamCheckers(scenario, isDefault, sometimes);
  },
  story: streamStory,
  marks: [...STREAM_MARKS, ...CLIENT_MARKS],
  mayStall: () => true,
  makeup: managerMakeup,
  hasJobs: false,
};
