import {
  type AirflowOption,
  integerFrom,
  secondsFrom,
  settingsFromAirflow,
} from "../airflow-settings.ts";
import type { SharedStreamManagerOptions } from "./manager.ts";

/** The options of a manager for which Airflow has a setting. */
export type SharedStreamSettings = Pick<
  SharedStreamManagerOptions,
  "maxSubscriberQueue" | "ackTimeout" | "cohortGracePeriod"
>;

const AIRFLOW_OPTIONS: readonly AirflowOption<SharedStreamSettings>[] = [
  ["shared_stream_subscriber_queue_size", "maxSubscriberQueue", integerFrom],
  ["shared_stream_ack_timeout", "ackTimeout", secondsFrom],
  ["shared_stream_cohort_grace_period", "cohortGracePeriod", secondsFrom],
];

/**
 * Returns the options of a manager that Airflow's environment variables give, such as
 * `AIRFLOW__TRIGGERER__SHARED_STREAM_ACK_TIMEOUT=60`.
 *
 * Shape: `shared_stream_subscriber_queue_size` an integer, `shared_stream_ack_timeout` and
 * `shared_stream_cohort_grace_period` seconds.
 *
 * @example
 * ```ts
 * import { SharedStreamManager, sharedStreamSettingsFromEnv } from "faultlane";
 *
 * const env = { AIRFLOW__TRIGGERER__SHARED_STREAM_ACK_TIMEOUT: "60" };
 * new SharedStreamManager(sharedStreamSettingsFromEnv(env));
 * console.log(sharedStreamSettingsFromEnv(env).ackTimeout); // => { milliseconds: 60000 }
 * ```
 *
 * @throws {TypeError} when one is not of the form of its setting
 *
 * Source: Airflow 3.3, Configuration Reference, "[triggerer]"
 */
export function sharedStreamSettingsFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): SharedStreamSettings {
  return settingsFromAirflow(env, "TRIGGERER", AIRFLOW_OPTIONS);
}
