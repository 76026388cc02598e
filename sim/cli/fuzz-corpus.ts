import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ReplayDrift } from "../choices.ts";
import { type Artifact, artifactFrom, parseArtifact } from "../scenario/artifact.ts";
import type { RunReport } from "../scenario/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { simulate } from "../scenario/simulate.ts";
import { WrongInput } from "./output.ts";

/** Where a run without a corpus leaves the artifacts of what failed. */
const ARTIFACTS_FOLDER = ".faultlane";

/** What came of a kept choice string that was taken again. */
export interface KeptRun {
  readonly path: string;
  readonly artifact: Artifact;
  /** Undefined: the code has changed, and the string no longer fits. */
  readonly report: RunReport | undefined;
}

/**
 * A folder of choice strings: those that fail under `failing`, those that reached what is rarely
 * reached under `rare`.
 */
export class FuzzCorpus {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Takes all that is kept of these scenarios again, failing ones first. */
  async replay(names: ReadonlySet<string>): Promise<readonly KeptRun[]> {
    const runs: KeptRun[] = [];
    for (const path of this.#paths()) {
      const artifact = readArtifact(path);
      if (!names.has(artifact.scenario.name)) continue;
      runs.push({ path, artifact, report: await replayed(artifact) });
    }
    return runs;
  }

  /** Keeps a failing run; answers where. */
  keepFailing(scenario: Scenario, report: RunReport, name: string): string {
    const folder = this.#folder === undefined ? ARTIFACTS_FOLDER : join(this.#folder, "failing");
    return write(folder, scenario, report, name);
  }

  /** Keeps a run that reached what is rarely reached; answers where, if there is a corpus. */
  keepRare(scenario: Scenario, report: RunReport, name: string): string | undefined {
    if (this.#folder === undefined) return undefined;
    return write(join(this.#folder, "rare"), scenario, report, name);
  }

  #paths(): readonly string[] {
    return ["failing", "rare"].flatMap((kind) => {
      const folder = join(this.#folder ?? "", kind);
      if (this.#folder === undefined || !existsSync(folder)) return [];
      const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
      return names.toSorted().map((name) => join(folder, name));
    });
  }
}

async function replayed({ scenario, seed, choices }: Artifact): Promise<RunReport | undefined> {
  try {
    return await simulate(scenario, { seed, replay: choices });
  } catch (error) {
    if (error instanceof ReplayDrift) return undefined;
    throw error;
  }
}

function readArtifact(path: string): Artifact {
  try {
    return parseArtifact(readFileSync(path, "utf8"));
  } catch (error) {
    throw new WrongInput(`${(error as Error).message} ("${path}")`);
  }
}

function write(folder: string, scenario: Scenario, report: RunReport, name: string): string {
  const path = join(folder, `${scenario.name.replaceAll("/", "-")}.${name}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, artifactFrom(scenario, report));
  return path;
}
