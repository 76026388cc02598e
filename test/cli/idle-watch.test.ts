import { expect, test } from "vitest";
import { IdleCount } from "../../sim/cli/idle-watch.ts";

/** Returns at which of the looks the process counts as idle for good. */
function idleAt(cpuMsOf: (look: number) => number): number {
  const count = new IdleCount();
  return Array.from({ length: 200 }, (_, at) => count.look(cpuMsOf(at))).indexOf(true);
}

test("a process that does nothing but look is idle after 50 looks", () => {
  expect(idleAt((look) => look * 2)).toBe(50);
});

test("a process that works, or worked until a while ago, is not", () => {
  expect(idleAt((look) => look * 25)).toBe(-1);
  expect(idleAt((look) => Math.min(look, 30) * 25)).toBe(80);
  expect(idleAt((look) => Math.floor(look / 40) * 100)).toBe(-1);
});
