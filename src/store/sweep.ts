import { checkedOptions } from "../checked-options.ts";
import { type Clock, type DurationLike, millisecondsFrom } from "../time/mod.ts";
import {
  type StateBackend,
  SWEEP_BATCH_DEFAULT,
  type SweepReport,
  type SweepRequest,
} from "./backend.ts";
import { callBackend } from "./backend-call.ts";
import { STATE_STORE_DEFAULTS, type StateStoreSettings } from "./state-store-settings.ts";

/** A sweep request with every default applied. */
export interface SweepPlan {
  readonly now: number;
  /** Infinity for a single batch. */
  readonly batchSize: number;
  readonly dryRun: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns `request` with its defaults applied.
 *
 * @throws {TypeError} when `now` is missing
 * @throws {RangeError} when the batch size is not an integer of 0 or more
 */
export function sweepPlanFrom(request: SweepRequest): SweepPlan {
  const { now, batchSize = SWEEP_BATCH_DEFAULT, dryRun = false, signal } = request;
  if (typeof now !== "number" || !Number.isFinite(now)) {
    throw new TypeError(
      `Cannot sweep at ${String(now)}: now must be in milliseconds since the epoch`,
    );
  }
  if (!Number.isSafeInteger(batchSize) || batchSize < 0) {
    throw new RangeError(
      `Cannot sweep in batches of ${String(batchSize)}: write an integer of 0 or more, 0 for a single batch`,
    );
  }
  return { now, batchSize: batchSize === 0 ? Infinity : batchSize, dryRun, signal };
}

/**
 * Calls `deleteBatch`, which returns how many entries it deleted, until a batch is not full.
 *
 * @throws the signal's reason when it aborts between two batches; earlier batches stay deleted
 */
export async function sweepInBatches(
  plan: SweepPlan,
  deleteBatch: () => Promise<number>,
): Promise<SweepReport> {
  let expired = 0;
  let batches = 0;
  for (;;) {
    plan.signal?.throwIfAborted();
    const deleted = await deleteBatch();
    if (deleted > 0) batches += 1;
    expired += deleted;
    if (deleted < plan.batchSize) return { expired, batches, entries: [] };
  }
}

/** Settings of {@linkcode sweepStore}. */
export interface SweepOptions {
  /** Its wall time, read once, decides what has expired. */
  readonly clock: Clock;
  /**
   * How long to keep an entry after it expired; zero by default. Writers compute the expiry with
   * their own clocks: a grace above the largest clock skew keeps an entry until all of them agree
   * that it has expired.
   */
  readonly grace?: DurationLike;
  /** The settings of the deployment; those of one that sets nothing by default. */
  readonly settings?: StateStoreSettings;
  /** How many entries one transaction deletes; 0 means all of them. By default as the settings say. */
  readonly batchSize?: number;
  /** Reports what would be deleted and deletes nothing. */
  readonly dryRun?: boolean;
  /** Stops the sweep between two batches; earlier batches stay deleted. */
  readonly signal?: AbortSignal;
}

const SWEEP_OPTIONS: readonly (keyof SweepOptions)[] = [
  "clock",
  "grace",
  "settings",
  "batchSize",
  "dryRun",
  "signal",
];

/**
 * Deletes the expired entries of all scopes.
 *
 * @example
 * ```ts
 * import { MemoryStateBackend, sweepStore } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const backend = new MemoryStateBackend();
 * const scope = { kind: "task", dagId: "etl", taskId: "load" } as const;
 * await backend.set(scope, "old", "1", { expiresAt: systemClock.wallNow() - 60_000 });
 * const { expired } = await sweepStore(backend, { clock: systemClock, grace: { seconds: 30 } });
 * console.log(expired); // => 1
 * ```
 *
 * @throws {TypeError} when an option is unknown
 * @throws {RangeError} when the batch size is not an integer of 0 or more
 * @throws {StoreUnavailable} when the backend failed; earlier batches stay deleted
 * @throws the signal's reason when it aborts
 *
 * Source: Airflow 3.3, core-concepts/task-state-store, garbage collection
 */
export async function sweepStore(
  backend: StateBackend,
  options: SweepOptions,
): Promise<SweepReport> {
  checkedOptions(options, SWEEP_OPTIONS, "sweepStore");
  const { clock, grace, signal, settings = STATE_STORE_DEFAULTS, dryRun } = options;
  const graceMs = grace === undefined ? 0 : millisecondsFrom(grace, "grace of a sweep");
  const request: SweepRequest = {
    batchSize: options.batchSize ?? settings.sweepBatchSize,
    ...(dryRun === undefined ? {} : { dryRun }),
    now: clock.wallNow() - graceMs,
    ...(signal === undefined ? {} : { signal }),
  };
  sweepPlanFrom(request);
  signal?.throwIfAborted();
  try {
    return await callBackend(
      () => "sweep expired entries",
      () => backend.sweepExpired(request),
    );
  } catch (error) {
    // An abort is no failure of the store: reject with the reason itself.
    signal?.throwIfAborted();
    throw error;
  }
}
