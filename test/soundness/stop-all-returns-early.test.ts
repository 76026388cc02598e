import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { createManagerOf } from "../../sim/worlds/manager/profiles.ts";
import type { ManagerFactory } from "../../sim/worlds/stage.ts";
import { sleep } from "../../src/time/mod.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const MINUTE_MS = 60_000;
const plain = createManagerOf("faultlane");

/** The kit's manager, which waits for no group longer than a minute. */
const impatient: ManagerFactory = (host, settings, observer) => {
  const manager = plain(host, settings, observer);
  const stopAll = manager.stopAll.bind(manager);
  manager.stopAll = () => Promise.race([stopAll(), sleep(host.clock, MINUTE_MS)]);
  return manager;
};

test("a stopAll that returns before its groups have closed is found (a-group-takes-minutes-to-stop)", async () => {
  const scenario = readScenario("a-group-takes-minutes-to-stop");
  const { verdict } = await simulate(scenario, { trace: false });
  expect(verdict).toBe("held");
  const { violations } = await simulate(scenario, { createManager: impatient, trace: false });
  expect(violations[0]).toMatchObject({ checker: "I14", symptom: "stopped-before-close" });
});
