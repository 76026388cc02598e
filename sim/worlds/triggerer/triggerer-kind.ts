import { CHECKER_IDS } from "../../checkers/mod.ts";
import { REDELIVERY_MARKS, STREAM_MARKS } from "../../checkers/stream/stream-marks.ts";
import { WATCHER_MARKS } from "../../workloads/marks.ts";
import { runStreamCheckers } from "../run-stream-checkers.ts";
import { streamStory } from "../../story/stream-story.ts";
import { actsIn, type WorldKind } from "../world-kind.ts";
import type { TriggererScenario } from "./triggerer-scenario.ts";
import { triggererMakeup } from "./triggerer-makeup.ts";
import { triggererProblems } from "./triggerer-problems.ts";
import { buildTriggererWorld } from "./triggerer-world.ts";
import { drawTriggererScenario } from "./draw-triggerer.ts";

/** Triggerers, a metadata database and a broker. */
export const triggererKind: WorldKind<TriggererScenario> = {
  build: (world, scenario, { createManager }) =>
    buildTriggererWorld(world, scenario, createManager),
  draw: drawTriggererScenario,
  problems: triggererProblems,
  acts: ({ operations }) => actsIn("operations", operations),
  checkers: CHECKER_IDS,
  isOwed,
  judge: (scenario, sometimes) =>
    runStreamCheckers(scenario, (id) => isOwed(scenario, id), sometimes),
  story: streamStory,
  marks: [...STREAM_MARKS, ...REDELIVERY_MARKS, ...WATCHER_MARKS],
  mayStall: () => true,
  makeup: triggererMakeup,
  hasJobs: false,
};

function isOwed(
  { strictPersistence, operations, streams }: TriggererScenario,
  checker: string,
): boolean {
  if (checker === "reads-on") return streams.every((stream) => !hasLimit(stream));
  if (checker !== "I23") return true;
  const isDropped = operations.some(
    (operation) => "upgrade" in operation && operation.upgrade.strictPersistence === false,
  );
  return strictPersistence && !isDropped;
}

/** Whether the producer of a stream waits while so many of its events are outstanding. */
function hasLimit(stream: TriggererScenario["streams"][number]): boolean {
  return stream.inFlightMax !== undefined;
}
