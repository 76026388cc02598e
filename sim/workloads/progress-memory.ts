import {
  type JsonValue,
  NEVER_EXPIRE,
  STATE_MODEL_KEY,
  type StateModel,
  type StoreScope,
} from "../../src/store/mod.ts";
import { retentionMs } from "../hosts/asking-store.ts";
import type { TaskRow } from "../hosts/task-database.ts";
import type { TaskServices } from "../hosts/task-process.ts";

/** Where a task stores its progress: one of the store's scopes, or an XCom. */
export type ProgressScope = "task-instance" | "task" | "process" | "asset" | "xcom";

/**
 * How progress is written: as a number, as values that look like the references which a payload
 * store has in the database, or by the models of AIP-30 in the task's context.
 */
export type ProgressForm = "number" | "lookalike" | "model";

/** A task's progress as a number; undefined until it is set. */
export interface ProgressMemory {
  get(): Promise<number | undefined>;
  set(value: number): Promise<void>;
  /** Writes a value unless a higher one is there, by compare-and-set. */
  raise(value: number): Promise<void>;
}

/** Returns the stored progress of a task, in a scope and under `key`. */
export function progressMemory(
  services: TaskServices,
  scope: ProgressScope,
  key: string,
  form: ProgressForm = "number",
): ProgressMemory {
  if (scope === "xcom") {
    return {
      async get() {
        const text = await services.pullXcom(key);
        return text === undefined ? undefined : Number(text);
      },
      set: (value) => services.pushXcom(key, String(value)),
      raise: () => Promise.reject(new TypeError("Cannot compare and set an XCom")),
    };
  }
  if (form === "model") return modelMemory(services, scope);
  const store = services.stateStore(progressScopeOf(services.assignment.row, scope));
  if (form === "lookalike") {
    return {
      get: async () => numberIn(await store.get(key)),
      set: (value) => store.set(key, lookalikeOf(value)),
      raise: () => Promise.reject(new TypeError("Cannot compare lookalikes")),
    };
  }
  return {
    // A comparison with null, not a truthiness check: page 0 is a page (E47).
    get: async () => (await store.get<number>(key)) ?? undefined,
    set: (value) => store.set(key, value),
    async raise(value) {
      for (;;) {
        const before = await store.get<number>(key);
        if (before !== null && before >= value) return;
        // Where this fails another run has written meanwhile.
        if (await store.compareAndSet(key, before, value)) return;
      }
    },
  };
}

/** TaskState, TaskInstanceState or ProcessState: one value, without a key and without an end. */
function modelMemory(services: TaskServices, scope: ProgressScope): ProgressMemory {
  const { life, assignment } = services;
  const model = modelOf(services, scope);
  const { attempt } = assignment;
  const ms = retentionMs(NEVER_EXPIRE);
  life.trace({ kind: "retention-asked", attempt, key: STATE_MODEL_KEY, ms });
  return {
    get: async () => (await model.get<number>()) ?? undefined,
    set: (value) => model.set(value),
    raise: async (value) => void (await model.raise(value)),
  };
}

function modelOf({ contextStores, assignment }: TaskServices, scope: ProgressScope): StateModel {
  const { taskState, taskInstanceState, processState } = contextStores;
  switch (scope) {
    case "task":
      return taskState;
    case "task-instance":
      return taskInstanceState;
    case "process":
      return processState("warehouse", assignment.row.task);
    default:
      throw new TypeError(`Cannot keep progress in a model of AIP-30 for "${scope}"`);
  }
}

/** A value that says what a reference to a payload says: as an object, or as its very text. */
function lookalikeOf(value: number): NonNullable<JsonValue> {
  const reference = { "faultlane-payload": `page-${value}/0`, slot: 0 };
  return value % 2 === 0 ? reference : ` ${JSON.stringify(reference)}`;
}

function numberIn(value: JsonValue | null | undefined): number | undefined {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  const [, page] = /page-(\d+)/.exec(text) ?? [];
  return page === undefined ? undefined : Number(page);
}

/** Returns the scope in the state store in which a task keeps its progress. */
export function progressScopeOf(
  { key, task }: Pick<TaskRow, "key" | "task">,
  scope: Exclude<ProgressScope, "xcom">,
): StoreScope {
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
