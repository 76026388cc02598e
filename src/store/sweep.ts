import { type Clock, type DurationLike, millisecondsFrom } from "../time/mod.ts";
import {
  type StateBackend,
  SWEEP_BATCH_DEFAULT,
  type SweepReport,
  type SweepRequest,
} from "./backend.ts";
import { fromBackend } from "./stored-value.ts";

/** A sweep's request with every default applied; what a backend works from. */
export interface SweepPlan {
  readonly now: number;
  /** Infinity for one delete over all. */
  readonly batchSize: number;
  readonly dryRun: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * The plan of a sweep.
 *
 * @throws {TypeError} when `now` is missing
 * @throws {RangeError} when the batch size is not a whole number from 0 up
 */
export function sweepPlanFrom(request: SweepRequest): SweepPlan {
  const { now, batchSize = SWEEP_BATCH_DEFAULT, dryRun = false, signal } = request;
  if (typeof now !== "number" || !Number.isFinite(now)) {
    throw new TypeError(`Cannot sweep at ${String(now)}: now is milliseconds since the epoch`);
  }
  if (!Number.isSafeInteger(batchSize) || batchSize < 0) {
    throw new RangeError(
      `Cannot sweep in batches of ${String(batchSize)}: write a whole number, 0 for all in one`,
    );
  }
  return { now, batchSize: batchSize === 0 ? Infinity : batchSize, dryRun, signal };
}

/**
 * Deletes a batch at a time until one comes back short.
 *
 * Holds: a batch that was deleted stays deleted, whatever ends the sweep.
 *
 * @throws the signal's reason, unwrapped, when it aborts between two batches
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

export interface SweepOptions {
  /** Whose wall time "expired" means; sampled once. */
  readonly clock: Clock;
  /**
   * How long an entry is left after it expired. Expiry comes from the writers' clocks: a grace
   * longer than these may be apart keeps a sweep from taking what a slow writer still counts on.
   */
  readonly grace?: DurationLike;
  readonly batchSize?: number;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Deletes what has expired, all scopes over.
 *
 * @throws {StoreUnavailable} when the backend failed; what it deleted until then stays deleted
 */
export async function sweepStore(
  backend: StateBackend,
  options: SweepOptions,
): Promise<SweepReport> {
  const { clock, grace, signal, ...rest } = options;
  const graceMs = grace === undefined ? 0 : millisecondsFrom(grace, "grace of a sweep");
  const request: SweepRequest = {
    ...rest,
    now: clock.wallNow() - graceMs,
    ...(signal === undefined ? {} : { signal }),
  };
  sweepPlanFrom(request);
  signal?.throwIfAborted();
  try {
    return await fromBackend(
      () => "sweep what has expired",
      () => backend.sweepExpired(request),
    );
  } catch (error) {
    // Cancelled is no failure of the store: the reason goes out as it came in.
    signal?.throwIfAborted();
    throw error;
  }
}
