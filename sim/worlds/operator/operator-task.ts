import type { JobSystemName } from "../../jobs/presets.ts";
import type { TaskInstanceScope } from "../../../src/store/mod.ts";

/** The run whose task an operator is run in, where a scenario names none. */
export const RUN_DEFAULT = "run-1";

/** The task that an operator is run in. */
export interface OperatorTask {
  /** Its logical key. */
  readonly key: string;
  readonly scope: TaskInstanceScope;
}

/** Names a system and a run: by these is kept what an operator's runs without faults have shown. */
export function runKey(system: JobSystemName, runId: string = RUN_DEFAULT): string {
  return `${system} ${runId}`;
}

/** Returns the task of one run. */
export function operatorTask(runId: string = RUN_DEFAULT): OperatorTask {
  const scope = {
    kind: "task-instance",
    dagId: "etl",
    runId,
    taskId: "load",
    mapIndex: -1,
  } as const;
  return { key: `${scope.dagId}/${runId}/${scope.taskId}`, scope };
}
