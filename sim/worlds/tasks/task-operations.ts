import { isOver, type TaskDatabase, type TaskRow } from "../../hosts/task-database.ts";
import type { World } from "../../kernel/world.ts";
import type { TaskOperation } from "./task-scenario.ts";

/** What operations on tasks reach. */
export interface TaskOperationTargets {
  readonly database: TaskDatabase;
  deploy(deployment: Extract<TaskOperation, { readonly deploy: string }>): void;
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
      perform(operation, targets).catch((error: unknown) => world.fail(error));
    });
  }
}

/** Only a task instance that is over cannot be stopped any more. */
function takesEffect(operation: TaskOperation, { database }: TaskOperationTargets): boolean {
  return !("stop" in operation) || !isOver(rowNamed(database, operation.stop));
}

async function perform(operation: TaskOperation, targets: TaskOperationTargets): Promise<void> {
  const { database } = targets;
  if ("clear" in operation) {
    await database.clear(rowNamed(database, operation.clear), operation.keepState);
  } else if ("stop" in operation) {
    database.stop(rowNamed(database, operation.stop));
  } else {
    targets.deploy(operation);
  }
}

/** @throws {RangeError} when there is no task instance of this name yet */
function rowNamed(database: TaskDatabase, name: string): TaskRow {
  const row = database.rows().find((one) => one.name === name);
  if (row !== undefined) return row;
  const known = database.rows().map((one) => `"${one.name}"`);
  throw new RangeError(`There is no task instance "${name}" now; there are ${known.join(", ")}`);
}
