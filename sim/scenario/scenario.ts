import type { ManagerScenario } from "../worlds/manager/manager-scenario.ts";
import type { OperatorScenario } from "../worlds/operator/operator-scenario.ts";
import type { ProducerScenario } from "../worlds/producer/producer-scenario.ts";
import type { TaskScenario } from "../worlds/tasks/task-scenario.ts";
import type { TriggererScenario } from "../worlds/triggerer/triggerer-scenario.ts";

/** What `simulate` runs. */
export type Scenario =
  | TriggererScenario
  | ManagerScenario
  | TaskScenario
  | OperatorScenario
  | ProducerScenario;
