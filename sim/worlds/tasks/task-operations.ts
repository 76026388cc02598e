import type { StoreScope } from "../../../src/store/mod.ts";
import { WATERMARK_KEY } from "../../workloads/watermark-loader.ts";
import { isOver, type TaskDatabase, type TaskRow } from "../../hosts/task-database.ts";
import { scopeText } from "../../hosts/traced-store.ts";
import { DAG_PROCESSOR } from "./store-hosts.ts";
import type { Migrate } from "./store-upgrade.ts";
import type { World } from "../../kernel/world.ts";
import type { TaskOperation } from "./task-scenario.ts";

/** How often it is checked whether the runs of a task that is to be removed are over. */
const OVER_CHECK_MS = 1_000;

/** What operations on tasks reach. */
export interface TaskOperationTargets {
  readonly database: TaskDatabase;
  deploy(deployment: Extract<TaskOperation, { readonly deploy: string }>): void;
  migrate(operation: Migrate): Promise<void>;
  runsOf(task: string): number;
  /** The tasks that were removed from their DAGs. */
  readonly removed: Set<string>;
  /** Starts a run by hand for a logical date. */
  triggerRun(task: string, logicalDate: number): void;
  /** Returns the scope of a task's watermark; undefined while no run of it has begun. */
  watermarkScope(task: string): StoreScope | undefined;
}

/** Schedules what users and operators do to tasks. */
export function installTaskOperations(
  world: World,
  operations: readonly TaskOperation[],
  targets: TaskOperationTargets,
): void {
  for (const operation of operations) {
    world.schedule(operation.at, { lane: "operations" }, () => {
      if (takesEffect(operation, targets)) world.injector.tookEffect(operation);
      perform(world, operation, targets).catch((error: unknown) => world.fail(error));
    });
  }
}

/** A task instance cannot be stopped once it is over; before its run begins there is nothing yet. */
function takesEffect(operation: TaskOperation, targets: TaskOperationTargets): boolean {
  const { database } = targets;
  if ("deploy" in operation || "trigger" in operation || "migrate" in operation) return true;
  // Whether a watermark is set back is known once it is read, and a removal waits for its runs.
  if ("rewind" in operation || "remove" in operation) return false;
  if ("clear" in operation) return rowNamed(database, operation.clear) !== undefined;
  const row = rowNamed(database, operation.stop);
  return row !== undefined && !isOver(row);
}

async function perform(
  world: World,
  operation: TaskOperation,
  targets: TaskOperationTargets,
): Promise<void> {
  const { database } = targets;
  if ("deploy" in operation) {
    targets.deploy(operation);
    return;
  }
  if ("migrate" in operation) {
    await targets.migrate(operation);
    return;
  }
  if ("remove" in operation) {
    removeOnceOver(world, operation, targets);
    return;
  }
  if ("trigger" in operation) {
    targets.triggerRun(operation.trigger, operation.logicalDate);
    return;
  }
  if ("rewind" in operation) {
    const { rewind: task, to } = operation;
    const scope = targets.watermarkScope(task);
    if (scope === undefined) return;
    const isSet = await database.rewind(task, scope, WATERMARK_KEY, to);
    if (isSet) world.injector.tookEffect(operation);
    return;
  }
  const row = rowNamed(database, "clear" in operation ? operation.clear : operation.stop);
  if (row === undefined) return;
  if ("clear" in operation) await database.clear(row, operation.keepState);
  else database.stop(row);
}

function removeOnceOver(
  world: World,
  operation: Extract<TaskOperation, { readonly remove: string }>,
  targets: TaskOperationTargets,
): void {
  const { remove: task } = operation;
  const rows = targets.database.rows().filter((row) => row.task === task);
  if (rows.length < targets.runsOf(task) || !rows.every(isOver)) {
    world.schedule(OVER_CHECK_MS, { lane: "operations" }, () =>
      removeOnceOver(world, operation, targets),
    );
    return;
  }
  targets.removed.add(task);
  const scope = scopeText({ kind: "asset", name: task });
  world.trace.emit(DAG_PROCESSOR, { kind: "asset-undeclared", scope });
  world.injector.tookEffect(operation);
}

function rowNamed(database: TaskDatabase, name: string): TaskRow | undefined {
  return database.rows().find((one) => one.name === name);
}
