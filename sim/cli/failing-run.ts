import type { Choice } from "../choices/choices.ts";
import { assertRepeats } from "../run/repeat.ts";
import { simulate } from "../run/simulate.ts";
import { WrongInput } from "./output.ts";
import { readArtifact } from "./read-artifact.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import { readScenarios, type ScenarioFile } from "./scenario-files.ts";
import { subjectPartsOf } from "./subject-module.ts";

/** A run that a verb starts from: that of an artifact, or of a scenario and a seed. */
export interface FailingRun extends ScenarioFile {
  readonly seed: number;
  /** Every choice of the run, where it was recorded. */
  readonly replay?: readonly Choice[];
  /** The digest of the run, where it was recorded. */
  readonly digest?: string;
}

/**
 * Reads the run that a path stands for: an artifact, or a scenario, whose seed is 1 by default.
 *
 * @param verb - completes "Cannot ... a folder"
 * @throws {WrongInput} when there is no such file, or an artifact is to have another seed
 */
export async function readFailingRun(
  path: string,
  { seed }: { readonly seed?: number },
  verb: string,
): Promise<FailingRun> {
  if (!path.endsWith(".json")) {
    const [file, another] = await readScenarios([path]);
    if (file === undefined || another !== undefined) {
      throw new WrongInput(`Cannot ${verb} "${path}": it is a folder`);
    }
    return { ...file, seed: seed ?? 1 };
  }
  if (seed !== undefined) throw new WrongInput("Cannot use --seed: an artifact has its own");
  const { scenario, seed: recorded, choices, digest } = readArtifact(path);
  const parts = await subjectPartsOf(scenario, path);
  return { path, scenario, parts, seed: recorded, replay: choices, digest };
}

/** @throws {NotDeterministic} when the runs differ because of the code under test */
export async function assertFailingRunRepeats(file: FailingRun): Promise<void> {
  const { scenario, seed, replay } = file;
  const run = repeatableFrom(file, seed, (parts) =>
    simulate(scenario, { ...parts, seed, ...(replay !== undefined && { replay }) }),
  );
  if (run !== undefined) await assertRepeats(run);
}
