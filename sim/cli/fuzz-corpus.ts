import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ReplayDrift } from "../choices/choices.ts";
import { type Artifact, artifactFrom, parseArtifact } from "../run/artifact.ts";
import type { RunReport } from "../run/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { simulate } from "../run/simulate.ts";
import { WrongInput } from "./output.ts";

/** Where artifacts of failures are written without a corpus. */
const ARTIFACTS_FOLDER = ".faultlane";

/** The repeated run of an artifact from the corpus. */
export interface KeptRun {
  readonly path: string;
  readonly artifact: Artifact;
  /** Undefined: the code has changed and no longer matches the recorded choices. */
  readonly report: RunReport | undefined;
}

/**
 * A folder of artifacts: runs that fail under `failing`, runs that reached a rare mark under `rare`.
 */
export class FuzzCorpus {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Repeats all kept runs of these scenarios, failing ones first. */
  async replay(names: ReadonlySet<string>): Promise<readonly KeptRun[]> {
    const runs: KeptRun[] = [];
    for (const path of this.#paths()) {
      const artifact = readArtifact(path);
      if (!names.has(artifact.scenario.name)) continue;
      runs.push({ path, artifact, report: await replayed(artifact) });
    }
    return runs;
  }

  /** Writes the artifact of a failing run and returns its path. */
  keepFailing(scenario: Scenario, report: RunReport, name: string): string {
    const folder = this.#folder === undefined ? ARTIFACTS_FOLDER : join(this.#folder, "failing");
    return write(folder, scenario, report, name);
  }

  /** Writes the artifact of a run that reached a rare mark; returns its path, if there is a corpus. */
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
