import type { StoreScope } from "../../src/store/mod.ts";
import type { TaskServices } from "../hosts/task-process.ts";

/** Where a task stores its progress: one of the store's scopes, or an XCom. */
export type ProgressScope = "task-instance" | "task" | "process" | "asset" | "xcom";

/** A task's progress as a number; undefined until it is set. */
export interface ProgressMemory {
  get(): Promise<number | undefined>;
  set(value: number): Promise<void>;
}

/** Returns the stored progress of a task, in a scope and under `key`. */
export function progressMemory(
  services: TaskServices,
  scope: ProgressScope,
  key: string,
): ProgressMemory {
  if (scope === "xcom") {
    return {
      async get() {
        const text = await services.pullXcom(key);
        return text === undefined ? undefined : Number(text);
      },
      set: (value) => services.pushXcom(key, String(value)),
    };
  }
  const store = services.stateStore(storeScope(services, scope));
  return {
    // A comparison with null, not a truthiness check: page 0 is a page (E47).
    get: async () => (await store.get<number>(key)) ?? undefined,
    set: (value) => store.set(key, value),
  };
}

function storeScope(
  { assignment }: TaskServices,
  scope: Exclude<ProgressScope, "xcom">,
): StoreScope {
  const { key, task } = assignment.row;
  switch (scope) {
    case "task-instance":
      return { kind: "task-instance", ...key };
    case "task":
      return { kind: "task", dagId: key.dagId, taskId: key.taskId };
    case "process":
      return { kind: "process", namespace: "warehouse", processName: task };
    case "asset":
      return { kind: "asset", name: task };
    default:
      return scope satisfies never;
  }
}
