import {
  type AttemptOutcome,
  type Operator,
  runTask,
  type TaskContext,
  type TaskFunction,
} from "../../src/operator/mod.ts";
import {
  AssetStateStore,
  type ContextStores,
  contextStores,
  OffloadingStateBackend,
  type PayloadStore,
  type Retention,
  type StateBackend,
  stateStoreSettings,
  type StoreScope,
  TaskStateStore,
} from "../../src/store/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";
import { askingStore, defaultRetentionMs } from "./asking-store.ts";
import { storedArguments } from "./as-stored.ts";
import { type ApiAddress, ApiStateBackend, type AttemptApi } from "./api-server.ts";
import type { Life } from "./life.ts";
import type { PayloadServer } from "./payload-server.ts";
import { scopeText } from "./traced-store.ts";
import type { Assignment } from "./task-database.ts";
import type { WorkerSlot } from "./worker.ts";

/** The methods that the stores of all scopes have in common. */
export type StateStore = Pick<TaskStateStore, "get" | "set" | "compareAndSet" | "delete" | "clear">;

/** What a simulated task can use in its process. */
export interface TaskServices {
  readonly life: Life;
  readonly assignment: Assignment;
  /** The stores of the task's context; they go over the API server with the attempt's token. */
  readonly contextStores: ContextStores;
  /** Returns the store of a scope, likewise. */
  stateStore(scope: StoreScope): StateStore;
  /** Where values that are too large for the database are kept; undefined: nowhere. */
  readonly payloads: PayloadStore | undefined;
  pushXcom(key: string, value: string): Promise<void>;
  pullXcom(key: string): Promise<string | undefined>;
}

export interface TaskProcessOptions {
  readonly api: ApiAddress<AttemptApi>;
  /** The default retention of the task's stores; undefined: the default of the store itself. */
  readonly retentionOf: (assignment: Assignment) => Retention | undefined;
  /** Where values of more than so many characters are kept; without it, in the database. */
  readonly offloading?:
    | { readonly server: PayloadServer; readonly inlineChars: number }
    | undefined;
  createOperator(services: TaskServices): Operator | TaskFunction;
}

/** Starts one incarnation of a task process: it runs the attempt that is pending in the slot. */
export function bootTaskProcess(life: Life, slot: WorkerSlot, options: TaskProcessOptions): void {
  const { pending } = slot;
  slot.pending = undefined;
  if (pending === undefined) return;
  const { assignment, abort } = pending;
  const { row, attempt, tryNumber, start } = assignment;
  const scope = scopeText({ kind: "task-instance", ...row.key });
  life.trace({ kind: "attempt", task: row.name, attempt, tryNumber, scope, start: start.kind });
  const retention = options.retentionOf(assignment);
  if (retention !== undefined) {
    life.trace({ kind: "retention-asked", attempt, key: "", ms: defaultRetentionMs(retention) });
  }
  const services = servicesOf(life, assignment, options);
  const ctx: TaskContext = {
    ...row.key,
    ...services.contextStores,
    tryNumber,
    signal: abort.signal,
    logger: silentLogger,
  };
  const operator = options.createOperator(services);
  void runTask(operator, ctx, start).then((ended) => {
    const outcome = storedOutcome(ended);
    const error = outcome.kind === "failed" ? nameOf(outcome.error) : "";
    const how = { outcome: outcome.kind, error, ...keyOf(outcome) };
    life.trace({ kind: "attempt-ended", task: row.name, attempt, ...how });
    life.after(0, () => pending.onOutcome(outcome));
  });
}

/** Returns the outcome with what it leaves for other processes as they will read it. */
function storedOutcome(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== "deferred" && outcome.kind !== "checkpointed") return outcome;
  try {
    return { ...outcome, ...storedArguments(outcome) };
  } catch (error) {
    return { kind: "failed", error };
  }
}

/** The idempotency key of an outcome that is a departure. */
function keyOf(outcome: AttemptOutcome): { readonly departureKey?: string } {
  return "idempotencyKey" in outcome ? { departureKey: outcome.idempotencyKey } : {};
}

function servicesOf(
  life: Life,
  assignment: Assignment,
  { api, retentionOf, offloading }: TaskProcessOptions,
): TaskServices {
  const { attempt, row } = assignment;
  const payloads = offloading?.server.for(life);
  const backend = backendOf(new ApiStateBackend(life, api, attempt), payloads, offloading);
  const { clock } = life;
  const defaultRetention = retentionOf(assignment);
  const stores = contextStores(backend, row.key, {
    clock,
    settings: stateStoreSettings(defaultRetention === undefined ? {} : { defaultRetention }),
    assets: [{ name: row.task }],
  });
  const { taskStateStore: direct } = stores;
  const scopeOfTask = scopeText({ kind: "task-instance", ...row.key });
  const taskStateStore = askingStore(direct, defaultRetention, {
    retention: (key, ms) => life.trace({ kind: "retention-asked", attempt, key, ms }),
    begin: () => life.world.now,
    removed: (what, since) =>
      life.trace({ kind: "state-removed", attempt, scope: scopeOfTask, since, ...what }),
  });
  return {
    life,
    assignment,
    payloads,
    contextStores: { ...stores, taskStateStore },
    stateStore: (scope) =>
      scope.kind === "asset"
        ? new AssetStateStore(backend, scope, { clock })
        : new TaskStateStore(backend, scope, {
            clock,
            ...(defaultRetention === undefined ? {} : { defaultRetention }),
          }),
    pushXcom: (key, value) =>
      life.callAsync("api.xcom", api.host, () => api.server().pushXcom(attempt, key, value)),
    pullXcom: (key) =>
      life.callAsync("api.xcom", api.host, () => api.server().pullXcom(attempt, key)),
  };
}

function backendOf(
  direct: StateBackend,
  payloads: PayloadStore | undefined,
  { inlineChars: inlineCharsMax }: { readonly inlineChars: number } = { inlineChars: 0 },
): StateBackend {
  if (payloads === undefined) return direct;
  return new OffloadingStateBackend(direct, payloads, { inlineCharsMax });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
