import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ReplayDrift } from "../choices/choices.ts";
import { type Artifact, parseArtifact } from "../run/artifact.ts";
import type { RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import { Coverage } from "../search/coverage.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { fileOf, writeArtifact } from "./artifact-folder.ts";
import { artifactNames } from "./artifact-names.ts";
import { FuzzPositions } from "./fuzz-positions.ts";
import type { ScenarioFile } from "./scenario-files.ts";

const STATE_FILE = "state.json";

/** The repeated run of an artifact from the corpus. */
export interface KeptRun {
  readonly path: string;
  /** The place of its scenario among those of the campaign. */
  readonly subject: number;
  readonly artifact: Artifact;
  /** Undefined: the code has changed and no longer matches the recorded choices. */
  readonly report: RunReport | undefined;
  readonly features: ReadonlySet<number>;
}

/** Where a campaign keeps what it finds. */
export interface FuzzFolders {
  /** A corpus to go on with; undefined without one. */
  readonly corpus: string | undefined;
  /** Where artifacts of failing runs are written, also beside a corpus; undefined: only there. */
  readonly artifacts: string | undefined;
}

/**
 * A folder of artifacts: runs that fail under `failing`, runs that reached a rare mark under `rare`;
 * and how far its campaigns have come. Every file is written whole, when what it holds is known.
 */
export class FuzzCorpus {
  /** Sentences about files of the corpus that cannot be used. */
  readonly ignored: string[] = [];
  readonly positions: FuzzPositions | undefined;
  readonly #folders: FuzzFolders;
  readonly #files: readonly ScenarioFile[];
  readonly #names: readonly string[];

  constructor(folders: FuzzFolders, files: readonly ScenarioFile[]) {
    this.#folders = folders;
    this.#files = files;
    this.#names = artifactNames(files);
    const { corpus } = folders;
    if (corpus === undefined) return;
    this.positions = new FuzzPositions(join(corpus, STATE_FILE), (why) => this.ignored.push(why));
  }

  /** Repeats all kept runs of these scenarios, failing ones first, until `signal` is aborted. */
  async *replay(signal: AbortSignal): AsyncGenerator<KeptRun, void, void> {
    for (const path of this.#paths()) {
      if (signal.aborted) return;
      const artifact = this.#read(path);
      const subject = artifact === undefined ? -1 : this.#subjectOf(path, artifact);
      const file = this.#files[subject];
      if (artifact === undefined || file === undefined) continue;
      yield { path, subject, artifact, ...(await replayed(artifact, file)) };
    }
  }

  /** Writes the artifact of a failing run and returns its path. */
  keepFailing(subject: number, scenario: Scenario, report: RunReport, name: string): string {
    const { corpus, artifacts } = this.#folders;
    const folders = [artifacts, corpus && join(corpus, "failing")];
    const paths = folders.flatMap((folder) =>
      folder === undefined ? [] : [this.#write(folder, subject, scenario, report, name)],
    );
    return paths[0] ?? "";
  }

  /** Whether there is a folder for runs that reached rare marks. */
  get isKept(): boolean {
    return this.#folders.corpus !== undefined;
  }

  /** Writes the artifact of a run that reached a rare mark, and returns its path. */
  keepRare(subject: number, scenario: Scenario, report: RunReport, name: string): string {
    return this.#write(join(this.#folders.corpus ?? "", "rare"), subject, scenario, report, name);
  }

  #write(
    folder: string,
    subject: number,
    scenario: Scenario,
    report: RunReport,
    name: string,
  ): string {
    const file = this.#files[subject]?.path ?? "";
    const stem = this.#names[subject] ?? "";
    return writeArtifact(folder, { stem, run: name }, { scenario, file, report });
  }

  /** Several scenarios may have one name: then the file of the artifact tells them apart. */
  #subjectOf(path: string, { scenario: { name } }: Artifact): number {
    const file = fileOf(path);
    const at = this.#files.findIndex((one) => resolve(one.path) === file);
    if (at !== -1) return at;
    // It is another scenario's, unless the folders were moved.
    if (file !== undefined && existsSync(file)) return -1;
    const named = [...this.#files.keys()].filter((at) => this.#files[at]?.scenario.name === name);
    const own = named.find((at) => basename(path).startsWith(`${this.#names[at]}.`));
    return own ?? named[0] ?? -1;
  }

  #read(path: string): Artifact | undefined {
    try {
      return parseArtifact(readFileSync(path, "utf8"));
    } catch (error) {
      this.ignored.push(`"${path}" is ignored: ${(error as Error).message}`);
      return undefined;
    }
  }

  #paths(): readonly string[] {
    return ["failing", "rare"].flatMap((kind) => {
      const folder = join(this.#folders.corpus ?? "", kind);
      if (this.#folders.corpus === undefined || !existsSync(folder)) return [];
      const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
      return names.toSorted().map((name) => join(folder, name));
    });
  }
}

async function replayed(
  { scenario, seed, choices }: Artifact,
  { parts }: ScenarioFile,
): Promise<Pick<KeptRun, "report" | "features">> {
  const coverage = new Coverage();
  try {
    const listen = coverage.observe;
    const report = await simulate(scenario, { ...parts, seed, replay: choices, listen });
    for (const [mark, times] of report.stats.marks) if (times > 0) coverage.mark(mark);
    return { report, features: coverage.features };
  } catch (error) {
    if (error instanceof ReplayDrift) return { report: undefined, features: new Set() };
    throw error;
  }
}
