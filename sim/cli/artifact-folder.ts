import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ShownRun } from "../report/html-page.ts";
import { artifactFrom, parseArtifact } from "../run/artifact.ts";
import type { RunReport } from "../run/run-report.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { namesToTry } from "./artifact-names.ts";
import { WrongInput } from "./output.ts";
import { pagePathOf, writePage } from "./report-page.ts";
import { movedTo, pathSeenFrom } from "./subject-module.ts";
import { CannotWrite, writeWhole } from "./write-file.ts";

/** The run of a scenario file, as an artifact records it. */
export interface RunOfFile {
  readonly scenario: Scenario;
  /** The path of the file. */
  readonly file: string;
  readonly report: RunReport;
}

/** What the name of an artifact is made of: "<stem>.<run>.json". */
export interface ArtifactName {
  /** The name of its file, where no other one has it. */
  readonly stem: string;
  /** Tells the runs of a file apart: "seed-7". */
  readonly run: string;
}

/**
 * Writes the artifact of a run and returns its path. An artifact of another file that has the same
 * name stays: `orders/x.yaml` and `jobs/x.yaml` have "x.seed-1.json" and "jobs-x.seed-1.json".
 *
 * @throws {CannotWrite} when the file system refuses
 */
export function writeArtifact(
  folder: string,
  { stem, run }: ArtifactName,
  { scenario, file, report }: RunOfFile,
): string {
  const paths = namesToTry(stem, file).map((name) => join(folder, `${name}.${run}.json`));
  const isFree = (path: string): boolean => [undefined, resolve(file)].includes(fileOf(path));
  const path = paths.find(isFree) ?? paths.at(-1) ?? "";
  const seen = pathSeenFrom(path, file);
  writeWhole(path, artifactFrom(movedTo(scenario, file, path), report, seen));
  return path;
}

/** Returns the file that an artifact is of; undefined where there is none, or it does not say. */
export function fileOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { file } = parseArtifact(readFileSync(path, "utf8"));
    return file === undefined ? undefined : resolve(dirname(path), file);
  } catch {
    return undefined;
  }
}

/** Stands for the command that would replay an artifact. */
export const NOT_WRITTEN = "(its artifact could not be written)";

/**
 * Where a verb writes what it finds. A file that cannot be written does not keep the finding from
 * being reported: the verb calls `assertWritten` after its report.
 */
export class ArtifactFolder {
  readonly #folder: string;
  #problem: WrongInput | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** As `writeArtifact`; returns undefined where the file cannot be written. */
  writeArtifact(name: ArtifactName, run: RunOfFile): string | undefined {
    return this.#try(() => writeArtifact(this.#folder, name, run));
  }

  /** Writes a file, whose text may depend on its path; returns that, or undefined on failure. */
  write(name: string, textFor: (path: string) => string): string | undefined {
    const path = join(this.#folder, name);
    return this.#try(() => {
      writeWhole(path, textFor(path));
      return path;
    });
  }

  #try(write: () => string): string | undefined {
    try {
      return write();
    } catch (error) {
      if (!(error instanceof CannotWrite)) throw error;
      this.#problem ??= error;
      return undefined;
    }
  }

  /**
   * Writes the report of a run beside its artifact, or beside the scenario that shows it, and
   * returns its path; undefined on failure, or without an artifact.
   */
  async writePage(artifact: string | undefined, run: ShownRun): Promise<string | undefined> {
    if (artifact === undefined) return undefined;
    const path = pagePathOf(artifact);
    try {
      await writePage(path, { run });
      return path;
    } catch (error) {
      if (!(error instanceof WrongInput)) throw error;
      this.#problem ??= error;
      return undefined;
    }
  }

  /** @throws {WrongInput} the first thing that could not be written */
  assertWritten(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }
}
