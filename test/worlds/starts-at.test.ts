import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

const TASKS = `story: x
world: tasks
workers: 1
tasks: [{ name: pages, operator: pages, pages: 2 }]
phases: { safety: 20s }
`;
const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;

async function firstExpiry(text: string): Promise<number> {
  const { verdict, trace } = await simulate(parseScenario(text, "mine"), { seed: 1 });
  expect(verdict).toBe("held");
  const set = trace.find((event) => event.kind === "state-set");
  if (set?.kind !== "state-set") throw new Error("nothing was stored");
  return Number(set.expiresAt) - MONTH_MS - set.at;
}

describe("startsAt", () => {
  test("all clocks begin at it; without it at the beginning of 2026", async () => {
    const usual = await firstExpiry(TASKS);
    const later = await firstExpiry(`${TASKS}startsAt: 2026-10-25T00:58:00Z\n`);
    expect(later - usual).toBe(1_792_889_880_000 - 1_767_225_600_000);
  });

  test("no instant in UTC: an error at its place", () => {
    for (const wrong of [
      "2026-13-01T00:00:00Z",
      "2026-10-25",
      "2026-10-25T00:58:00+02:00",
      "soon",
    ]) {
      expect(() => parseScenario(`${TASKS}startsAt: "${wrong}"\n`, "mine")).toThrow(/startsAt/);
    }
  });

  test("a clock that steps by more than a day is refused with the cure", () => {
    const step = (by: string): string =>
      `${TASKS}faults: [{ at: 1s, clockStep: worker-1, by: ${by} }]\n`;
    expect(() => parseScenario(step("24h"), "mine")).not.toThrow();
    expect(() => parseScenario(step("-25h"), "mine")).toThrow(/24h at most.*say startsAt/);
  });
});
