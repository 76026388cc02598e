import { describe, expect, test } from "vitest";
import {
  NEVER_EXPIRE,
  STATE_STORE_DEFAULTS,
  stateStoreSettings,
  stateStoreSettingsFromEnv,
} from "../../src/store/mod.ts";

const PREFIX = "AIRFLOW__STATE_STORE__";

describe("the settings of a deployment", () => {
  test("are Airflow's where nothing is set, but for the sweep's batches", () => {
    expect(stateStoreSettings()).toEqual(STATE_STORE_DEFAULTS);
    expect(STATE_STORE_DEFAULTS).toEqual({
      defaultRetention: { days: 30 },
      clearOnSuccess: false,
      sweepBatchSize: 5_000,
      valueCharsMax: 65_535,
    });
  });

  test("take what is set, and undefined for the default", () => {
    const given = { defaultRetention: NEVER_EXPIRE, valueCharsMax: 0, sweepBatchSize: undefined };
    const settings = stateStoreSettings(given as object);
    expect(settings).toEqual({ ...STATE_STORE_DEFAULTS, ...given, sweepBatchSize: 5_000 });
  });

  test.each([
    [{ ttl: 7 }, 'TypeError: Cannot use "ttl" as an option of stateStoreSettings'],
    [{ defaultRetention: 7 }, "TypeError: Cannot use a bare number as defaultRetention"],
    [{ defaultRetention: { days: -1 } }, "RangeError: Cannot use -86400000 milliseconds"],
    [{ clearOnSuccess: 1 }, "TypeError: Cannot use 1 as clearOnSuccess: write true or false"],
    [{ sweepBatchSize: -1 }, "RangeError: Cannot use -1 as sweepBatchSize"],
    [{ valueCharsMax: "64k" }, "RangeError: Cannot use 64k as valueCharsMax"],
  ])("refuse %j", (given, message) => {
    let thrown: unknown;
    try {
      stateStoreSettings(given as object);
    } catch (error) {
      thrown = error;
    }
    expect(String(thrown)).toContain(message);
  });
});

describe("the settings of an environment", () => {
  test("are read by Airflow's names", () => {
    expect(
      stateStoreSettingsFromEnv({
        [`${PREFIX}DEFAULT_RETENTION_DAYS`]: " 7 ",
        [`${PREFIX}CLEAR_ON_SUCCESS`]: "True",
        [`${PREFIX}STATE_CLEANUP_BATCH_SIZE`]: "0",
        [`${PREFIX}MAX_VALUE_STORAGE_BYTES`]: "1048576",
        [`${PREFIX}BACKEND`]: "mypackage.state.CustomStateBackend",
      }),
    ).toEqual({
      defaultRetention: { days: 7 },
      clearOnSuccess: true,
      sweepBatchSize: 0,
      valueCharsMax: 1_048_576,
    });
  });

  test("keep the defaults where a variable is absent or empty", () => {
    const env = { [`${PREFIX}DEFAULT_RETENTION_DAYS`]: "", PATH: "/bin" };
    expect(stateStoreSettingsFromEnv(env)).toEqual(STATE_STORE_DEFAULTS);
  });

  test("take the words that Airflow takes for a truth value", () => {
    const read = (text: string): boolean =>
      stateStoreSettingsFromEnv({ [`${PREFIX}CLEAR_ON_SUCCESS`]: text }).clearOnSuccess;
    expect(["t", "TRUE", "1", "yes", "on"].map(read)).not.toContain(false);
    expect(["f", "False", "0", "no", "off"].map(read)).not.toContain(true);
  });

  test.each([
    ["DEFAULT_RETENTION_DAYS", "7d", `Cannot use "7d" as ${PREFIX}DEFAULT_RETENTION_DAYS`],
    ["DEFAULT_RETENTION_DAYS", "-1", "Cannot use -86400000 milliseconds as defaultRetention"],
    ["CLEAR_ON_SUCCESS", "perhaps", "write True or False"],
    ["STATE_CLEANUP_BATCH_SIZE", "-5", "Cannot use -5 as sweepBatchSize"],
    ["MAX_VALUE_STORAGE_BYTES", "64k", "write an integer"],
  ])("refuse %s=%s", (name, text, message) => {
    expect(() => stateStoreSettingsFromEnv({ [PREFIX + name]: text })).toThrow(message);
  });
});
