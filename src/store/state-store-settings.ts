import {
  type AirflowOption,
  booleanFrom,
  daysFrom,
  integerFrom,
  settingsFromAirflow,
} from "../airflow-settings.ts";
import { checkedOptions } from "../checked-options.ts";
import { millisecondsFrom } from "../time/mod.ts";
import { SWEEP_BATCH_DEFAULT } from "./backend.ts";
import { DEFAULT_RETENTION, NEVER_EXPIRE, type Retention } from "./retention.ts";
import { VALUE_CHARS_MAX } from "./stored-value.ts";

/**
 * How a deployment keeps state: one place for what its stores, workers, sweeps, command line and
 * HTTP server share.
 *
 * Source: Airflow 3.3, Task and Asset State Store Configuration, `[state_store]`
 */
export interface StateStoreSettings {
  /**
   * Retention of writes to a task instance that name none; zero means never. 30 days by default.
   * Airflow's `default_retention_days`.
   */
  readonly defaultRetention: Retention;
  /**
   * Whether the state of a task instance is deleted when it succeeds; false by default. Airflow's
   * `clear_on_success`.
   */
  readonly clearOnSuccess: boolean;
  /**
   * How many entries one transaction of a sweep deletes; 0 means all of them. 5,000 by default,
   * where Airflow's `state_cleanup_batch_size` is 0.
   */
  readonly sweepBatchSize: number;
  /**
   * The longest JSON text of one value, in UTF-16 code units; 0 means no limit. 65,535 by default.
   * Airflow's `max_value_storage_bytes`.
   */
  readonly valueCharsMax: number;
}

/** The settings of a deployment that sets nothing. */
export const STATE_STORE_DEFAULTS: StateStoreSettings = Object.freeze({
  defaultRetention: DEFAULT_RETENTION,
  clearOnSuccess: false,
  sweepBatchSize: SWEEP_BATCH_DEFAULT,
  valueCharsMax: VALUE_CHARS_MAX,
});

/**
 * Returns the settings of a deployment that sets only some, after checking them.
 *
 * @example
 * ```ts
 * import { contextStores, MemoryStateBackend, stateStoreSettings } from "faultlane";
 * import { systemClock as clock } from "faultlane/platform";
 *
 * const settings = stateStoreSettings({ defaultRetention: { days: 7 } });
 * const key = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 };
 * const { taskStateStore } = contextStores(new MemoryStateBackend(), key, { clock, settings });
 * await taskStateStore.set("last_page", 5);
 * console.log(settings.sweepBatchSize); // => 5000
 * ```
 *
 * @throws {TypeError} when a setting is unknown or of the wrong type
 * @throws {RangeError} when one is out of range
 */
export function stateStoreSettings(given: Partial<StateStoreSettings> = {}): StateStoreSettings {
  checkedOptions(given, SETTINGS, "stateStoreSettings");
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const settings: StateStoreSettings = { ...STATE_STORE_DEFAULTS, ...Object.fromEntries(set) };
  const { defaultRetention, clearOnSuccess } = settings;
  if (defaultRetention !== NEVER_EXPIRE) millisecondsFrom(defaultRetention, "defaultRetention");
  if (typeof clearOnSuccess !== "boolean") {
    throw new TypeError(
      `Cannot use ${String(clearOnSuccess)} as clearOnSuccess: write true or false`,
    );
  }
  for (const name of ["sweepBatchSize", "valueCharsMax"] as const) {
    const value: unknown = settings[name];
    if (Number.isSafeInteger(value) && (value as number) >= 0) continue;
    throw new RangeError(`Cannot use ${String(value)} as ${name}: write an integer of 0 or more`);
  }
  return settings;
}

const SETTINGS = Object.keys(STATE_STORE_DEFAULTS) as (keyof StateStoreSettings)[];

/**
 * Returns the settings that Airflow's environment variables give, such as
 * `AIRFLOW__STATE_STORE__DEFAULT_RETENTION_DAYS=7`.
 *
 * Shape: `default_retention_days` a number of days, `clear_on_success` True or False (case does not
 * matter; 1, 0, t, f, yes, no, on and off as well), `state_cleanup_batch_size` and
 * `max_value_storage_bytes` integers.
 *
 * @example
 * ```ts
 * import { stateStoreSettingsFromEnv } from "faultlane";
 *
 * const env = { AIRFLOW__STATE_STORE__CLEAR_ON_SUCCESS: "True" };
 * console.log(stateStoreSettingsFromEnv(env).clearOnSuccess); // => true
 * ```
 *
 * @throws {TypeError} when one is not of the form of its setting
 * @throws {RangeError} when one is out of range
 *
 * Source: Airflow 3.3, Configuration Reference, "[state_store]"
 */
export function stateStoreSettingsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): StateStoreSettings {
  return stateStoreSettings(settingsFromAirflow(env, "STATE_STORE", AIRFLOW_OPTIONS));
}

const AIRFLOW_OPTIONS: readonly AirflowOption<StateStoreSettings>[] = [
  ["default_retention_days", "defaultRetention", daysFrom],
  ["clear_on_success", "clearOnSuccess", booleanFrom],
  ["state_cleanup_batch_size", "sweepBatchSize", integerFrom],
  ["max_value_storage_bytes", "valueCharsMax", integerFrom],
];
