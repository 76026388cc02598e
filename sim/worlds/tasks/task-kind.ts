import { createTaskCheckers, TASK_CHECKER_IDS } from "../../checkers/mod.ts";
import { TASK_MARKS, TaskMarks } from "../../checkers/task/task-marks.ts";
import { taskStory } from "../../story/task-story.ts";
import { runTaskCheckers } from "../run-task-checkers.ts";
import { actsIn, type WorldKind } from "../world-kind.ts";
import type { TaskScenario } from "./task-scenario.ts";
import { taskMakeup } from "./task-makeup.ts";
import { taskProblems } from "./task-problems.ts";
import { buildTaskWorld } from "./task-world.ts";
import { drawTaskScenario } from "./draw-tasks.ts";

/** A scheduler, workers, an API server, a metadata database and an outside job system. */
export const taskKind: WorldKind<TaskScenario> = {
  build: (world, scenario, { taskParts }) => buildTaskWorld(world, scenario, taskParts),
  draw: drawTaskScenario,
  problems: taskProblems,
  acts: ({ operations }) => actsIn("operations", operations),
  checkers: TASK_CHECKER_IDS,
  isOwed: () => true,
  judge: ({ expect, tasks, heartbeat: heartbeatMs }, sometimes) => {
    const retriesMin = Math.min(...tasks.map(({ retries }) => retries));
    const checkers = createTaskCheckers({ retriesMin, heartbeatMs }).filter(
      ({ id }) => expect.checkers === "all" || expect.checkers.includes(id),
    );
    return runTaskCheckers(checkers, new TaskMarks(sometimes));
  },
  story: taskStory,
  marks: TASK_MARKS,
  // Retention may be shorter than a stall, so that a world of tasks must ask for pauses itself.
  mayStall: ({ storm }) => (storm?.pauses.numerator ?? 0) > 0,
  makeup: taskMakeup,
  hasJobs: true,
};
