import { expect, test } from "vitest";
import { systemClock } from "../../src/platform/mod.ts";

test("systemClock reads the process's own clocks", () => {
  const [before, earliest] = [performance.now(), Date.now()];
  const [now, wallNow] = [systemClock.now(), systemClock.wallNow()];
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(performance.now());
  expect(wallNow).toBeGreaterThanOrEqual(earliest);
  expect(wallNow).toBeLessThanOrEqual(Date.now());
});

test("systemClock calls back once, unless its timer was cleared", async () => {
  const called: string[] = [];
  const cleared = systemClock.setTimer(0, () => called.push("cleared"));
  systemClock.clearTimer(cleared);
  await new Promise<void>((resolve) => {
    systemClock.setTimer(1, () => {
      called.push("kept");
      resolve();
    });
  });
  expect(called).toEqual(["kept"]);
});
