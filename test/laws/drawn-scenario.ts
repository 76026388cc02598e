import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunReport } from "../../sim/run/run-report.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { writeScenario } from "../../sim/scenario/write.ts";
import type { WorldParts } from "../../sim/worlds/world-parts.ts";

/** A scenario as fast-check draws it, and the seed to run it with. */
export interface DrawnScenario {
  readonly seed: number;
  /** What a scenario file says, as JSON. */
  readonly members: object;
}

/** Runs it in its world, with the virtual clock and the fault injector. */
export function play(drawn: DrawnScenario, parts: WorldParts = {}): Promise<RunReport> {
  return simulate(scenarioOf(drawn), { ...parts, seed: drawn.seed });
}

/** Returns the text of a scenario file, which `faultlane run` takes. */
export function fileOf(drawn: DrawnScenario): string {
  return `# --seed ${drawn.seed}\n${writeScenario(scenarioOf(drawn))}`;
}

/**
 * Writes it into a folder, in the place of what broke the law of this name before, and returns the
 * command that runs the file. Whoever shrinks tries ever smaller scenarios: what is left is the
 * smallest one that breaks.
 */
export function keep(drawn: DrawnScenario, law: string, folder = ".faultlane"): string {
  const file = join(folder, `${law.replaceAll(" ", "-")}.yaml`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, fileOf(drawn));
  return `npx faultlane run ${file} --seed ${drawn.seed}`;
}

/** It is read as the text of any scenario file is. */
function scenarioOf({ members }: DrawnScenario): Scenario {
  return parseScenario(JSON.stringify(members), "drawn");
}
