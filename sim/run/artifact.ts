import { z } from "zod";
import type { Choice } from "../choices/choices.ts";
import type { RunReport } from "./run-report.ts";
import { deepestIssue, issueWords, pathText, problemWords } from "../scenario/issue-words.ts";
import { problemOfParsed } from "../scenario/problem-of-parsed.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { WORLD_NAMES } from "../scenario/world-kinds.ts";

/** What is needed to repeat a run on any runtime: the scenario and every choice. */
export interface Artifact {
  /** The scenario that was run. */
  readonly scenario: Scenario;
  /** The file of the scenario, relative to the artifact's folder; undefined where not recorded. */
  readonly file?: string;
  /** The seed of the run. */
  readonly seed: number;
  /** The digest of the run's trace, which a replay has to reach again. */
  readonly digest: string;
  /** The ids of the promises that broke. */
  readonly broken: readonly string[];
  /** Every choice of the run; {@linkcode ReplayedChoices} makes them again. */
  readonly choices: readonly Choice[];
}

const FORMAT = "faultlane-replay-1";

const artifactSchema = z.strictObject({
  format: z.literal(FORMAT),
  scenario: z.looseObject({ name: z.string(), world: z.enum(WORLD_NAMES) }),
  file: z.string().optional(),
  seed: z.int().min(0),
  digest: z.string().regex(/^[0-9a-f]{64}$/, "expected 64 hexadecimal digits"),
  broken: z.array(z.string()),
  choices: z.array(
    z.tuple([
      z.enum(["sched", "fault", "time", "data", "workload"]),
      z.string(),
      z.int().min(2),
      z.string(),
      z.int().min(0),
    ]),
  ),
});

/**
 * Returns the artifact of a run as JSON text, with one choice on each line for text diffs.
 *
 * @param file - the scenario's file, relative to the folder in which the artifact is written
 *
 * @example
 * ```ts
 * import { artifactFrom, parseArtifact, parseScenario, simulate } from "faultlane/sim";
 *
 * const scenario = parseScenario("{ story: Mine, world: manager }", "mine");
 * const report = await simulate(scenario, { seed: 7 });
 * const { choices } = parseArtifact(artifactFrom(scenario, report));
 * const again = await simulate(scenario, { replay: choices });
 * console.log(again.digest === report.digest); // => true
 * ```
 */
export function artifactFrom(scenario: Scenario, report: RunReport, file?: string): string {
  const head = JSON.stringify({
    format: FORMAT,
    scenario,
    file,
    seed: report.seed,
    digest: report.digest,
    broken: [...new Set(report.violations.map(({ checker }) => checker))],
  });
  const lines = report.choices.map(({ kind, part, n, label, value }) =>
    JSON.stringify([kind, part, n, label, value]),
  );
  return `${head.slice(0, -1)},"choices":[\n${lines.join(",\n")}\n]}\n`;
}

/** Whether a text begins as an artifact does. */
export function isArtifact(text: string): boolean {
  return text.startsWith(`{"format":"${FORMAT}"`);
}

/**
 * Parses an artifact that {@linkcode artifactFrom} wrote.
 *
 * @throws {TypeError} when `text` is not such an artifact, or a part of its scenario cannot be or
 *   can never come about; the message says where, what was expected there and what was found
 *
 * @example
 * ```ts
 * import { parseArtifact } from "faultlane/sim";
 *
 * try {
 *   parseArtifact("seed 7");
 * } catch (error) {
 *   console.log((error as Error).message); // => Cannot read the artifact: it is not JSON
 * }
 * ```
 */
export function parseArtifact(text: string): Artifact {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new TypeError("Cannot read the artifact: it is not JSON", { cause });
  }
  const parsed = artifactSchema.safeParse(data, { error: issueWords });
  if (!parsed.success) {
    const issue = deepestIssue(parsed.error.issues);
    throw cannotRead(issue.path, problemWords(issue, data));
  }
  const { file, seed, digest, broken, choices } = parsed.data;
  const scenario = parsed.data.scenario as unknown as Scenario;
  const problem = problemOfParsed(scenario);
  if (problem !== undefined) throw cannotRead(["scenario", ...problem.path], problem.words);
  return {
    scenario,
    ...(file !== undefined && { file }),
    seed,
    digest,
    broken,
    choices: choices.map(([kind, part, n, label, value]) => ({ kind, part, n, label, value })),
  };
}

function cannotRead(path: readonly PropertyKey[], words: string): TypeError {
  const where = path.length === 0 ? "" : ` at ${pathText(path)}`;
  return new TypeError(`Cannot read the artifact${where}: ${words}`);
}
