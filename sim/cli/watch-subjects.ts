import { simulate, type SimulateOptions } from "../run/simulate.ts";
import { assertSameAgain } from "../run/repeat.ts";
import type { RunReport } from "../run/run-report.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { watchForHang } from "./hang-watch.ts";
import { EXIT } from "./output.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import type { ScenarioFile } from "./scenario-files.ts";
import { moduleOf } from "./subject-module.ts";

/**
 * Makes the process end with exit code 2 when code under test of a scenario blocks the thread.
 *
 * Each scenario with such code runs twice beforehand, from `seed`, to see that it is virtual and
 * deterministic.
 *
 * @throws {NotVirtual} when a run uses something real
 * @throws {NotDeterministic} when the two runs differ
 */
export async function watchSubjects(files: readonly ScenarioFile[], seed: number): Promise<void> {
  for (const file of files) {
    const { scenario, parts } = file;
    if (worldKindOf(scenario).subject === undefined) continue;
    watchForHang(EXIT.wrongInput, moduleOf(scenario, file.path) ?? scenario.name);
    const make = (options: SimulateOptions): Promise<RunReport> =>
      simulate(scenario, { seed, ...options });
    const run = repeatableFrom(file, seed, make);
    if (run !== undefined) await assertSameAgain(run, await make(parts), { isFirstEver: true });
  }
}
