import type { ManagerFactory } from "./stage.ts";
import type { TaskWorldParts } from "./tasks/task-world.ts";

/** Code under test, in place of the parts that a world has of its own; each world takes what it knows. */
export interface WorldParts {
  /** Another shared-stream manager than the profile's: a user's fork, a planted bug. */
  readonly createManager?: ManagerFactory;
  /** Other parts of a world of tasks than the kit's: a store backend, operators. */
  readonly taskParts?: TaskWorldParts;
}
