import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ReplayDrift } from "../choices/choices.ts";
import { type Artifact, artifactFrom, parseArtifact } from "../run/artifact.ts";
import type { RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { WrongInput } from "./output.ts";
import type { ScenarioFile } from "./scenario-files.ts";
import { movedTo } from "./subject-module.ts";

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
  async replay(files: readonly ScenarioFile[]): Promise<readonly KeptRun[]> {
    const runs: KeptRun[] = [];
    for (const path of this.#paths()) {
      const artifact = readArtifact(path);
      const file = files.find(({ scenario }) => scenario.name === artifact.scenario.name);
      if (file === undefined) continue;
      runs.push({ path, artifact, report: await replayed(artifact, file.parts) });
    }
    return runs;
  }

  /** Writes the artifact of a failing run and returns its path. */
  keepFailing(file: ScenarioFile, report: RunReport, name: string): string {
    const folder = this.#folder === undefined ? ARTIFACTS_FOLDER : join(this.#folder, "failing");
    return write(folder, file, report, name);
  }

  /** Writes the artifact of a run that reached a rare mark; returns its path, if there is a corpus. */
  keepRare(file: ScenarioFile, report: RunReport, name: string): string | undefined {
    if (this.#folder === undefined) return undefined;
    return write(join(this.#folder, "rare"), file, report, name);
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

async function replayed(
  { scenario, seed, choices }: Artifact,
  parts: WorldParts,
): Promise<RunReport | undefined> {
  try {
    return await simulate(scenario, { ...parts, seed, replay: choices });
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

function write(
  folder: string,
  { path: from, scenario }: ScenarioFile,
  report: RunReport,
  name: string,
): string {
  const path = join(folder, `${scenario.name.replaceAll("/", "-")}.${name}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, artifactFrom(movedTo(scenario, from, path), report));
  return path;
}
