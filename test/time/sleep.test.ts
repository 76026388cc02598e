import { expect, test } from "vitest";
import { type Clock, sleep } from "../../src/time/clock.ts";

test("a sleep that is aborted leaves no timer", async () => {
  const timers = new Map<number, () => void>();
  const clock: Clock = {
    now: () => 0,
    wallNow: () => 0,
    setTimer(_ms, callback) {
      timers.set(timers.size, callback);
      return timers.size - 1;
    },
    clearTimer: (handle) => void timers.delete(Number(handle)),
  };
  const abort = new AbortController();
  const slept = sleep(clock, 1_000, abort.signal);
  expect(timers.size).toBe(1);
  abort.abort(new Error("enough"));
  await expect(slept).rejects.toThrow("enough");
  expect(timers.size).toBe(0);
});
