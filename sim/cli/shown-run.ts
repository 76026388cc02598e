import { ReplayDrift } from "../choices/choices.ts";
import type { ShownRun } from "../report/html-page.ts";
import { assertSameAgain } from "../run/repeat.ts";
import type { RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { readFailingRun } from "./failing-run.ts";
import { complain, WrongInput } from "./output.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { rerunLine } from "./rerun-line.ts";
import { watchSubjects } from "./watch-subjects.ts";

/**
 * Makes the run of an artifact or a scenario again, with its trace, to show it.
 *
 * @throws {WrongInput} when there is no such run, or the code has changed since it was recorded
 * @throws {NotDeterministic} when two runs of code under test differ
 */
export async function shownRun(path: string, seedAsked?: number): Promise<ShownRun> {
  const asked = seedAsked === undefined ? {} : { seed: seedAsked };
  const file = await readFailingRun(path, asked, "report");
  const { scenario, parts, replay, digest } = file;
  const seed = scenario.seed ?? file.seed;
  await watchSubjects([file], seed);
  const make = (of: WorldParts): Promise<RunReport> =>
    simulate(scenario, { ...of, seed, ...(replay !== undefined && { replay }) });
  try {
    const report = await make(parts);
    const run = repeatableFrom(file, seed, make);
    if (run !== undefined) await assertSameAgain(run, report, { isFirstEver: true });
    if (digest !== undefined && digest !== report.digest) {
      complain(`"${path}": the code has changed since; the page shows what it does now`);
    }
    return { report, rerun: rerunLine(path, seed) };
  } catch (error) {
    if (!(error instanceof ReplayDrift)) throw error;
    throw new WrongInput(
      `Cannot report "${path}": the code has changed since the recording, or the file was cut short (${error.message})`,
      { cause: error },
    );
  }
}
