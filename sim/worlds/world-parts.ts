import type { ProducerUnderTest } from "./producer/producer-under-test.ts";
import type { ManagerFactory } from "./stage.ts";
import type { OperatorUnderTest } from "./operator/operator-under-test.ts";
import type { TaskWorldParts } from "./tasks/task-parts.ts";

/** Code under test that replaces a world's own parts; each world uses those that it has. */
export interface WorldParts {
  /** Creates the shared-stream manager instead of the one of the scenario's profile. */
  readonly createManager?: ManagerFactory;
  /** Replaces the state store backend or operators of a world of tasks. */
  readonly taskParts?: TaskWorldParts;
  /** The operator of an operator world; default: an operator of the kit that fits the system. */
  readonly operator?: OperatorUnderTest;
  /** The producer of a world of a producer, with what belongs to it. */
  readonly producer?: ProducerUnderTest;
}

/** The names of all parts. */
export const PART_NAMES: readonly (keyof WorldParts)[] = [
  "createManager",
  "taskParts",
  "operator",
  "producer",
];

/** Returns the code under test out of options that have other members as well. */
export function partsOf(options: WorldParts): WorldParts {
  const names: readonly string[] = PART_NAMES;
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}
