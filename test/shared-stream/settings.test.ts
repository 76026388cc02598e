import { describe, expect, test } from "vitest";
import {
  DEFAULT_ACK_TIMEOUT,
  DEFAULT_SUBSCRIBER_QUEUE_MAX,
  SharedStreamManager,
  sharedStreamSettingsFromEnv,
} from "../../src/shared-stream/mod.ts";

const PREFIX = "AIRFLOW__TRIGGERER__SHARED_STREAM_";

describe("the settings of a manager", () => {
  test("are those of Airflow's variables", () => {
    const settings = sharedStreamSettingsFromEnv({
      [`${PREFIX}SUBSCRIBER_QUEUE_SIZE`]: "0",
      [`${PREFIX}ACK_TIMEOUT`]: "1.5",
      [`${PREFIX}COHORT_GRACE_PERIOD`]: ".25",
    });
    expect(settings).toEqual({
      maxSubscriberQueue: 0,
      ackTimeout: { milliseconds: 1_500 },
      cohortGracePeriod: { milliseconds: 250 },
    });
    expect(new SharedStreamManager(settings).groupKeys()).toEqual([]);
    expect(sharedStreamSettingsFromEnv({ [`${PREFIX}ACK_TIMEOUT`]: " " })).toEqual({});
  });

  test.each([
    ["ACK_TIMEOUT", "5m", `Cannot use "5m" as ${PREFIX}ACK_TIMEOUT: write a number of seconds`],
    ["ACK_TIMEOUT", ".", "write a number of seconds"],
    ["COHORT_GRACE_PERIOD", "1e3", "write a number of seconds"],
    ["SUBSCRIBER_QUEUE_SIZE", "many", "write an integer"],
  ])("refuse %s=%s", (name, text, message) => {
    expect(() => sharedStreamSettingsFromEnv({ [PREFIX + name]: text })).toThrow(message);
  });

  test("have defaults that can be read", () => {
    expect([DEFAULT_SUBSCRIBER_QUEUE_MAX, DEFAULT_ACK_TIMEOUT]).toEqual([1_024, { seconds: 300 }]);
  });

  test("are refused when one is unknown, and the known ones are named", () => {
    const unknown = (options: object) => () => new SharedStreamManager(options);
    expect(unknown({ ack_timeout: 5 })).toThrow(
      new TypeError(
        'Cannot use "ack_timeout" as an option of SharedStreamManager: write { clock, logger, observer, maxSubscriberQueue, ackTimeout, cohortGracePeriod, strictPersistence }',
      ),
    );
    expect(unknown(7 as unknown as object)).toThrow("Cannot use 7 as the options");
  });
});
