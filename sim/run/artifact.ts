import { z } from "zod";
import type { Choice } from "../choices/choices.ts";
import type { RunReport } from "./run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { WORLD_NAMES } from "../scenario/world-kinds.ts";

/** What is needed to repeat a run on any runtime: the scenario and every choice. */
export interface Artifact {
  /** The scenario that was run. */
  readonly scenario: Scenario;
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
  seed: z.int().min(0),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
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
export function artifactFrom(scenario: Scenario, report: RunReport): string {
  const head = JSON.stringify({
    format: FORMAT,
    scenario,
    seed: report.seed,
    digest: report.digest,
    broken: [...new Set(report.violations.map(({ checker }) => checker))],
  });
  const lines = report.choices.map(({ kind, part, n, label, value }) =>
    JSON.stringify([kind, part, n, label, value]),
  );
  return `${head.slice(0, -1)},"choices":[\n${lines.join(",\n")}\n]}\n`;
}

/**
 * Parses an artifact that {@linkcode artifactFrom} wrote.
 *
 * @throws {TypeError} when `text` is not such an artifact
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
  const parsed = artifactSchema.safeParse(data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join(".") ?? "";
    throw new TypeError(`Cannot read the artifact at "${where}": ${issue?.message ?? "no match"}`);
  }
  const { scenario, seed, digest, broken, choices } = parsed.data;
  return {
    scenario: scenario as unknown as Scenario,
    seed,
    digest,
    broken,
    choices: choices.map(([kind, part, n, label, value]) => ({ kind, part, n, label, value })),
  };
}
