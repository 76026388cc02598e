import { checkedOptions } from "../checked-options.ts";
import {
  type AssetRef,
  type AssetScope,
  expiresAtFrom,
  type ProcessScope,
  stateStoreSettings,
  type StateStoreSettings,
  type TaskInstanceScope,
  type TaskScope,
} from "../store/mod.ts";
import type { Clock, Logger } from "../time/mod.ts";
import type { Grant } from "./access.ts";

/** Settings of {@linkcode createStoreHandler}. */
export interface StoreHandlerOptions {
  /** Its wall time dates writes and decides what has expired. */
  readonly clock: Clock;
  /** Who may do what; at least one. */
  readonly grants: readonly Grant[];
  /**
   * The settings of the deployment, the ones that its stores, workers and sweeps have; those of one
   * that sets nothing by default. Used here: the retention of writes to task instances that name
   * none (state of tasks, processes and assets never expires by default), and the longest JSON text
   * of one value, counted as Python writes it, which escapes what is not ASCII.
   */
  readonly settings?: StateStoreSettings;
  /** The largest request body, in bytes. 1 MiB by default. */
  readonly bodyBytesMax?: number;
  /**
   * Returns whether the task instance exists; `mapIndex` is undefined when any map index will do.
   * Without it every task instance is taken to exist.
   */
  readonly hasTaskInstance?: (
    task: Omit<TaskInstanceScope, "mapIndex"> & { readonly mapIndex: number | undefined },
  ) => boolean | Promise<boolean>;
  /**
   * Returns whether the task, the process or the asset exists. Without it each is taken to exist.
   */
  readonly hasScope?: (scope: TaskScope | ProcessScope | AssetScope) => boolean | Promise<boolean>;
  /**
   * Returns the asset of a number, for Airflow's path `/assets/{asset_id}/state-store`; undefined
   * when there is none. Without it no asset has a number, and only names and URIs lead to one.
   */
  readonly findAsset?: (id: number) => AssetRef | undefined | Promise<AssetRef | undefined>;
  /** Where a failure of the backend is logged; by default the console. */
  readonly logger?: Logger;
}

const OPTIONS: readonly (keyof StoreHandlerOptions)[] = [
  "clock",
  "grants",
  "settings",
  "bodyBytesMax",
  "hasTaskInstance",
  "hasScope",
  "findAsset",
  "logger",
];

const BODY_BYTES_DEFAULT = 1_048_576;

/** The options with their defaults. */
export type CheckedOptions = StoreHandlerOptions & {
  readonly settings: StateStoreSettings;
  readonly bodyBytesMax: number;
};

/**
 * Applies the defaults.
 *
 * @throws {TypeError} when an option or a setting is unknown, or the default retention no duration
 * @throws {RangeError} when a setting is out of range
 */
export function checkedHandlerOptions(options: StoreHandlerOptions): CheckedOptions {
  checkedOptions(options, OPTIONS, "createStoreHandler");
  const settings = stateStoreSettings(options.settings);
  const { bodyBytesMax = BODY_BYTES_DEFAULT } = options;
  // A retention that no write could use is refused before the first request.
  expiresAtFrom(undefined, settings.defaultRetention, options.clock.wallNow());
  return { ...options, settings, bodyBytesMax };
}
