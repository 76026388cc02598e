import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import type { WorldParts } from "../../sim/worlds/world-parts.ts";
import { MUTANTS } from "../mutants/bug-list.ts";
import { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { faultlaneIn } from "../cli/faultlane.ts";
import { managerOf } from "../search/planted-bugs.ts";
import { type DrawnScenario, fileOf, keep, play } from "./drawn-scenario.ts";
import { crashWindowOf, LANE_ORDERING, type Law, SNAPSHOT_AT_FAN_OUT } from "./laws.ts";

const sandbox = new MutantSandbox();
afterAll(() => sandbox[Symbol.dispose]());

/** The manager with a planted bug of the table of codes. */
async function managerWith(bug: string): Promise<WorldParts> {
  const mutant = MUTANTS.find((each) => each.bug === bug);
  if (mutant === undefined) throw new Error(`No bug ${bug}`);
  return { createManager: await managerOf(sandbox, mutant) };
}

/** Draws scenarios until one breaks the law, and shrinks it. */
async function smallestBreak(law: Law, parts: WorldParts): Promise<DrawnScenario> {
  const property = fc.asyncProperty(law.scenarios, async (drawn) => {
    return law.broken(await play(drawn, parts)).length === 0;
  });
  const { counterexample } = await fc.check(property, { seed: 33, numRuns: 100 });
  if (counterexample === null) throw new Error(`${law.name} holds`);
  return counterexample[0];
}

/** Reads the file of what was drawn, as `faultlane run` does, and expects the law broken by it. */
async function expectFileToBreak(
  law: Law,
  drawn: DrawnScenario,
  parts: WorldParts,
): Promise<Scenario> {
  const scenario = parseScenario(fileOf(drawn), "drawn");
  const report = await simulate(scenario, { ...parts, seed: drawn.seed });
  expect(law.broken(report)).not.toEqual([]);
  return scenario;
}

describe("a broken law is shrunk to a scenario file", () => {
  test.each([
    ["a subscriber that joins later must resolve what is outstanding", "B-20", SNAPSHOT_AT_FAN_OUT],
    ["the outcome is computed from the size of the snapshot", "B-21", SNAPSHOT_AT_FAN_OUT],
    ["one order for all lanes", "B-76", LANE_ORDERING],
    ["a batch crosses lanes", "B-85", LANE_ORDERING],
  ] as const)("%s, %s", async (_, bug, law) => {
    const parts = await managerWith(bug);
    const drawn = await smallestBreak(law, parts);
    expect(await expectFileToBreak(law, drawn, parts)).toMatchObject({ faults: [] });
  });

  test("an operator that stores no id costs a job in a crash outside the window, too", async () => {
    const law = crashWindowOf("plain");
    const scenario = await expectFileToBreak(law, await smallestBreak(law, {}), {});
    expect(scenario).toMatchObject({ world: "tasks", faults: [{ nth: 1, times: 1 }] });
  });

  test("the command that is shown runs the file, which breaks a promise", async () => {
    const folder = mkdtempSync(join(tmpdir(), "faultlane-laws-"));
    try {
      const law = crashWindowOf("plain");
      const command = keep(await smallestBreak(law, {}), law.name, folder);
      const args = command.replace("npx faultlane ", "").split(" ");
      const { code, out } = await faultlaneIn(folder, ...args);
      expect([code, out]).toEqual([1, expect.stringContaining("promise R-I1: a task's job")]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
