import { z } from "zod";
import type { Choice } from "../choices/choices.ts";
import type { RunReport } from "./run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { WORLD_NAMES } from "../scenario/world-kinds.ts";

/** What is needed to take a run again, on any runtime: the scenario and every choice. */
export interface Artifact {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly digest: string;
  readonly broken: readonly string[];
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

/** The artifact of a run as text; a choice a line, so that two can be compared by eye. */
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
 * Reads an artifact back.
 *
 * @throws {TypeError} when `text` is no artifact of this kit
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
