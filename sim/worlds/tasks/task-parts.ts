import type { Operator, TaskFunction } from "../../../src/operator/mod.ts";
import type { StateBackend } from "../../../src/store/mod.ts";
import type { DeferralTrigger } from "../../../src/triggerer/mod.ts";
import type { Life } from "../../hosts/life.ts";
import type { TaskServices } from "../../hosts/task-process.ts";
import type { SchemaPlan } from "../../hosts/upgraded-store.ts";
import type { JobClient } from "../../jobs/job-client.ts";
import type { World } from "../../kernel/world.ts";
import type { TaskSpec } from "./task-scenario.ts";

/** Code under test in a world of tasks. */
export interface TaskWorldParts {
  /** Creates the backend of the state store; it lives in the metadata database. */
  createBackend?(world: World): StateBackend;
  /**
   * How a migration changes the schema; undefined: the new column is added first, and the old one
   * dropped last.
   *
   * @internal
   */
  readonly schemaPlan?: SchemaPlan;
  /**
   * Creates the operator of a task; undefined: the scenario's own operator. `hook` makes a client
   * of the job system, in worlds that have one.
   *
   * @internal
   */
  createOperator?(
    spec: TaskSpec,
    services: TaskServices,
    hook: () => JobClient,
  ): Operator | TaskFunction | undefined;
  /**
   * Creates what waits in the triggerer, in a process of its own, from the `trigger` of a deferral,
   * which comes as JSON; undefined: the scenario's own trigger.
   *
   * @internal
   */
  createTrigger?(
    trigger: unknown,
    spec: TaskSpec,
    life: Life,
    hook: () => JobClient,
  ): DeferralTrigger | undefined;
}
