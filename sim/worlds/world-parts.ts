import type { ManagerFactory } from "./stage.ts";
import type { TaskWorldParts } from "./tasks/task-world.ts";

/** Code under test that replaces a world's own parts; each world uses those that it has. */
export interface WorldParts {
  /** Creates the shared-stream manager instead of the one of the scenario's profile. */
  readonly createManager?: ManagerFactory;
  /** Replaces the state store backend or operators of a world of tasks. */
  readonly taskParts?: TaskWorldParts;
}
