import { describe, expect, test } from "vitest";
import type { RunReport } from "../../sim/run/run-report.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

/**
 * The broker cannot be reached for a minute, and 150 records wait. Eight triggers turn them into
 * 1,200 trigger events at once, and the supervisor stores 47 of them a second: the last one waits
 * for 25 seconds.
 */
function backlog(ackTimeout: string, { profile = "faultlane", inFlightMax = 10_000 } = {}): string {
  return `
story: A backlog.
world: triggerer
profile: ${profile}
manager: { ackTimeout: ${ackTimeout} }
streams:
  - { name: orders, partitions: 3, triggers: 8, publishEvery: 400ms, inFlightMax: ${inFlightMax} }
faults:
  - { at: 2s, cut: [runner-1, broker], for: 58s }
phases: { safety: 60s, liveness: 2m }
`;
}

async function run(text: string, seed: number): Promise<RunReport> {
  return simulate(parseScenario(text, "backlog"), { seed, trace: false });
}

const LOOP =
  /^\d+ records are owed, and in \d+ s none was settled, while \d+ of them were read \d+ times: a trigger event waits \d+ s to be stored, but after the ack timeout of 10 s its record is given up, read again and fired again/;

describe("a backlog that takes longer to be stored than the ack timeout", () => {
  // Airflow's algorithm ends in the same loop: the confirmation comes after the timeout there, too.
  test.each([
    ["faultlane", 1],
    ["airflow-3.3", 2],
  ])("keeps itself going, profile %s, seed %i", async (profile, seed) => {
    const { violations, digest } = await run(backlog("10s", { profile }), seed);
    expect(violations[0]).toMatchObject({ checker: "goodput", symptom: "metastable" });
    expect(violations[0]?.detail).toMatch(LOOP);
    expect(new Set(violations.map(({ checker }) => checker))).toEqual(
      new Set(["goodput", "settled"]),
    );
    expect((await run(backlog("10s", { profile }), seed)).digest).toBe(digest);
  });

  test.each([1, 2])("is settled under an ack timeout that is longer, seed %i", async (seed) => {
    expect((await run(backlog("60s"), seed)).violations).toEqual([]);
  });

  test.each([1, 2])("is settled where few records are in flight, seed %i", async (seed) => {
    expect((await run(backlog("10s", { inFlightMax: 20 }), seed)).violations).toEqual([]);
  });
});
