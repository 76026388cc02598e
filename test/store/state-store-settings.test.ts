import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  clearOnSuccess,
  contextStores,
  MemoryStateBackend,
  NEVER_EXPIRE,
  STATE_STORE_DEFAULTS,
  stateStoreSettings,
  stateStoreSettingsFromEnv,
  sweepStore,
} from "../../src/store/mod.ts";
import { body, serve } from "./serve-store.ts";

const PREFIX = "AIRFLOW__STATE_STORE__";
const HOUR_MS = 3_600_000;
/** The task instance to which the client of `serve` sends. */
const KEY = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: -1 };
const SCOPE = { kind: "task-instance", ...KEY } as const;

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

test("one settings object holds for what tasks write, the worker's clear, HTTP and the sweep", async () => {
  const backend = new MemoryStateBackend();
  const settings = stateStoreSettings({
    defaultRetention: { hours: 1 },
    valueCharsMax: 9,
    sweepBatchSize: 1,
  });
  const clock = new VirtualClock();
  const expiresAt = clock.wallNow() + HOUR_MS;
  const { taskStateStore } = contextStores(backend, KEY, { clock, settings });
  const send = serve(backend, { clock, settings });
  await taskStateStore.set("written", 1);
  await expect(taskStateStore.set("written", "too long")).rejects.toThrow(RangeError);
  expect((await send("PUT", "/sent", body({ value: 2 }))).status).toBe(204);
  expect((await send("PUT", "/sent", body({ value: "too long" }))).status).toBe(422);
  expect((await backend.get(SCOPE, "written"))?.expiresAt).toBe(expiresAt);
  expect((await backend.get(SCOPE, "sent"))?.expiresAt).toBe(expiresAt);

  await clearOnSuccess(backend, SCOPE, { state: "success", settings });
  expect(await backend.get(SCOPE, "written")).toBeDefined();
  const clearing = stateStoreSettings({ ...settings, clearOnSuccess: true });
  await clearOnSuccess(backend, SCOPE, { state: "success", settings: clearing });
  expect(await backend.get(SCOPE, "written")).toBeUndefined();

  for (const key of ["a", "b", "c"]) await taskStateStore.set(key, 1);
  await clock.advance(2 * HOUR_MS, () => Promise.resolve());
  expect(await sweepStore(backend, { clock, settings })).toMatchObject({ expired: 3, batches: 3 });
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
