import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { BaseOperator, runTask, type TaskContext } from "../../src/operator/mod.ts";
import { JobOperator } from "../../src/operators/mod.ts";
import { PostgresStateBackend } from "../../src/platform/postgres-state-backend.ts";
import { SqliteStateBackend } from "../../src/platform/sqlite-state-backend.ts";
import { findResumption, resumeOrSubmit, type ResumableJob } from "../../src/resumable/mod.ts";
import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import {
  AssetStateStore,
  clearOnSuccess,
  clearOrphanedAssets,
  clearTaskInstances,
  contextStores,
  MemoryPayloadStore,
  MemoryStateBackend,
  OffloadingStateBackend,
  StateModel,
  stateStoreSettings,
  sweepStore,
  TaskStateStore,
} from "../../src/store/mod.ts";
import { createStoreHandler } from "../../src/store-http/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";
import { TriggerRunner } from "../../src/triggerer/mod.ts";

/** What takes options, given one that it does not know. */
export interface OptionTaker {
  /** The interface of its options; undefined: it has none of that name. */
  readonly takes?: string;
  /** How its error names it. */
  readonly what: string;
  readonly call: (unknown: object) => unknown;
}

const clock = new VirtualClock();
const backend = new MemoryStateBackend();
const task = { kind: "task", dagId: "etl", taskId: "load" } as const;
const key = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 };
const instance = { kind: "task-instance", ...key } as const;
const token = "at-least-16-characters";
const supervisor = { sync: () => Promise.reject(new Error("Nobody is there")) };
const store = new TaskStateStore(backend, instance, { clock });

function mustNot(): never {
  throw new Error("Nothing may be done where an option is unknown");
}

const job: ResumableJob<string, number, object> = {
  submitJob: mustNot,
  getJobStatus: mustNot,
  isJobActive: mustNot,
  isJobSucceeded: mustNot,
  pollUntilComplete: mustNot,
  getJobResult: mustNot,
};

abstract class Batch extends JobOperator<string, number> {}

async function errorOf(execute: (operator: BaseOperator) => unknown): Promise<unknown> {
  const operator = new BaseOperator();
  const { signal } = new AbortController();
  const ctx: TaskContext = { ...key, tryNumber: 1, signal, logger: silentLogger };
  const outcome = await runTask(() => execute(operator), ctx);
  if (outcome.kind === "failed") throw outcome.error;
  return outcome;
}

/** Every constructor and function of src that takes options. */
export const OPTION_TAKERS: readonly OptionTaker[] = [
  {
    takes: "TaskStateStoreOptions",
    what: "TaskStateStore",
    call: (unknown) => new TaskStateStore(backend, task, { clock, ...unknown }),
  },
  { takes: "SetOptions", what: "set", call: (unknown) => store.set("page", 5, unknown) },
  { takes: "ClearOptions", what: "clear", call: (unknown) => store.clear(unknown) },
  {
    takes: "AssetStateStoreOptions",
    what: "AssetStateStore",
    call: (unknown) => new AssetStateStore(backend, { name: "a" }, { clock, ...unknown }),
  },
  {
    takes: "StateModelOptions",
    what: "StateModel",
    call: (unknown) => new StateModel(backend, task, { clock, ...unknown }),
  },
  {
    takes: "ContextStoresOptions",
    what: "contextStores",
    call: (unknown) => contextStores(backend, key, { clock, ...unknown }),
  },
  { takes: "StateStoreSettings", what: "stateStoreSettings", call: stateStoreSettings },
  {
    takes: "SweepOptions",
    what: "sweepStore",
    call: (unknown) => sweepStore(backend, { clock, ...unknown }),
  },
  {
    takes: "ClearOnSuccessOptions",
    what: "clearOnSuccess",
    call: (unknown) => clearOnSuccess(backend, instance, { state: "success", ...unknown }),
  },
  {
    takes: "ClearTaskInstancesOptions",
    what: "clearTaskInstances",
    call: (unknown) => clearTaskInstances(backend, [instance], { reset: mustNot, ...unknown }),
  },
  {
    takes: "ClearOrphanedAssetsOptions",
    what: "clearOrphanedAssets",
    call: (unknown) => clearOrphanedAssets(backend, [], unknown),
  },
  {
    what: "OffloadingStateBackend",
    call: (unknown) => new OffloadingStateBackend(backend, new MemoryPayloadStore(), unknown),
  },
  {
    takes: "SqliteOptions",
    what: "SqliteStateBackend",
    call: (unknown) => new SqliteStateBackend(":memory:", unknown),
  },
  {
    takes: "PostgresOptions",
    what: "PostgresStateBackend",
    call: (unknown) => new PostgresStateBackend("postgres://nobody@127.0.0.1:1/none", unknown),
  },
  {
    takes: "StoreHandlerOptions",
    what: "createStoreHandler",
    call: (unknown) => createStoreHandler(backend, { clock, grants: [{ token }], ...unknown }),
  },
  {
    what: "a grant",
    call: (unknown) => createStoreHandler(backend, { clock, grants: [{ token, ...unknown }] }),
  },
  {
    takes: "ResumeOptions",
    what: "resumeOrSubmit",
    call: (unknown) => resumeOrSubmit(job, {}, unknown),
  },
  {
    takes: "ResumeOptions",
    what: "findResumption",
    call: (unknown) => findResumption(job, {}, { durable: false, ...unknown }),
  },
  {
    takes: "SharedStreamManagerOptions",
    what: "SharedStreamManager",
    call: (unknown) => new SharedStreamManager(unknown),
  },
  {
    takes: "TriggerRunnerOptions",
    what: "TriggerRunner",
    call: (unknown) =>
      new TriggerRunner(clock, new SharedStreamManager({ clock }), supervisor, {
        runnerId: "runner-1/1",
        createTrigger: mustNot,
        ...unknown,
      }),
  },
  {
    what: "defer",
    call: (unknown) =>
      errorOf((operator) => operator.defer({ trigger: {}, methodName: "goOn", ...unknown })),
  },
  {
    what: "checkpoint",
    call: (unknown) => errorOf((operator) => operator.checkpoint({ remoteJobId: "1", ...unknown })),
  },
  {
    takes: "JobOperatorOptions",
    what: "JobOperator",
    call: (unknown) => Reflect.construct(Batch, [clock, unknown]) as Batch,
  },
];
