import type { NotVirtual } from "../realm/not-virtual.ts";
import type { NotDeterministic } from "../run/not-deterministic.ts";
import type { RepeatableRun } from "../run/repeat.ts";
import { codeUnderTestIn } from "../run/repeatable.ts";
import type { RunReport } from "../run/run-report.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { complain, EXIT, printJson } from "./output.ts";
import type { ScenarioFile } from "./scenario-files.ts";
import { subjectPartsOf } from "./subject-module.ts";

/**
 * The run of a scenario with code under test, to be made again; undefined where all code is the
 * kit's own, so that a difference would be a defect of the kit.
 *
 * @param make - makes the run with these parts, and keeps its trace
 */
export function repeatableFrom(
  { scenario, parts, path }: ScenarioFile,
  seed: number,
  make: (parts: WorldParts) => Promise<RunReport>,
): RepeatableRun | undefined {
  const code = codeUnderTestIn(parts);
  if (code === undefined) return undefined;
  return {
    ...code,
    scenario: scenario.name,
    seed,
    again: () => make(parts),
    afresh: async () => make(await subjectPartsOf(scenario, path, { anew: true })),
  };
}

/** Reports code that cannot be judged because its runs differ, and returns the exit code. */
export function reportNotDeterministic(error: NotDeterministic, json: boolean): number {
  const { subject, scenario, seed, atMs: at, first, second, likely, isCertain, state } = error;
  const { message } = error;
  if (json) {
    const verdict = "not-deterministic";
    const source = { likely, isCertain, state };
    printJson({ verdict, subject, scenario, seed, at, first, second, ...source, message });
  } else {
    complain(message);
  }
  return EXIT.wrongInput;
}

/** Reports code that cannot be judged because it uses something real, and returns the exit code. */
export function reportNotVirtual({ use, where, message }: NotVirtual, json: boolean): number {
  if (json) printJson({ verdict: "refused", use, where, message });
  else complain(message);
  return EXIT.wrongInput;
}
