import { checkedOptions } from "../checked-options.ts";
import {
  type AssetRef,
  type AssetScope,
  DEFAULT_RETENTION,
  expiresAtFrom,
  type ProcessScope,
  type Retention,
  type TaskInstanceScope,
  type TaskScope,
  VALUE_CHARS_MAX,
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
   * Retention of writes to task instances that name none; zero means never. 30 days by default.
   * State of tasks, processes and assets never expires by default.
   */
  readonly defaultRetention?: Retention;
  /**
   * The longest JSON text of one value, in characters as Python writes it, which escapes what is
   * not ASCII; 0 means no limit. Airflow's `[state_store] max_value_storage_bytes`.
   */
  readonly valueCharsMax?: number;
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
  "defaultRetention",
  "valueCharsMax",
  "bodyBytesMax",
  "hasTaskInstance",
  "hasScope",
  "findAsset",
  "logger",
];

const BODY_BYTES_DEFAULT = 1_048_576;

/** The options with their defaults. */
export type Settings = Omit<StoreHandlerOptions, "defaultRetention"> & {
  readonly defaultRetention: Retention;
  readonly valueCharsMax: number;
  readonly bodyBytesMax: number;
};

/**
 * Applies the defaults.
 *
 * @throws {TypeError} when the default retention is no duration, or an option is unknown
 * @throws {RangeError} when it is negative or too long
 */
export function settingsFrom(options: StoreHandlerOptions): Settings {
  checkedOptions(options, OPTIONS, "createStoreHandler");
  const { valueCharsMax = VALUE_CHARS_MAX, bodyBytesMax = BODY_BYTES_DEFAULT } = options;
  const { defaultRetention = DEFAULT_RETENTION } = options;
  // A retention that no write could use is refused before the first request.
  expiresAtFrom(undefined, defaultRetention, options.clock.wallNow());
  return { ...options, defaultRetention, valueCharsMax, bodyBytesMax };
}
