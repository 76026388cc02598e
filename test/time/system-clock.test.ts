import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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

const DAY_MS = 24 * 3_600_000;

test("systemClock takes no timer of a month for one that is due", async () => {
  const fired: string[] = [];
  const long = systemClock.setTimer(30 * DAY_MS, () => fired.push("long"));
  const endless = systemClock.setTimer(Infinity, () => fired.push("endless"));
  await new Promise<void>((resolve) => void systemClock.setTimer(5, resolve));
  systemClock.clearTimer(long);
  systemClock.clearTimer(endless);
  expect(fired).toEqual([]);
});

describe("of a day that passes in no time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.for([1, 24, 25, 50, 90])("systemClock fires after %i days", (days) => {
    const begun = systemClock.now();
    const firedAt: number[] = [];
    systemClock.setTimer(days * DAY_MS, () => firedAt.push(systemClock.now() - begun));
    vi.advanceTimersByTime(100 * DAY_MS);
    expect(firedAt).toEqual([days * DAY_MS]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.for([1, 40, 80])("systemClock clears a timer of 90 days after %i", (days) => {
    const timer = systemClock.setTimer(90 * DAY_MS, () => expect.unreachable());
    vi.advanceTimersByTime(days * DAY_MS);
    systemClock.clearTimer(timer);
    expect(vi.getTimerCount()).toBe(0);
  });
});
