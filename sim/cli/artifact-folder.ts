import { join } from "node:path";
import { CannotWrite, writeWhole } from "./write-file.ts";

/** Stands for the command that would replay an artifact. */
export const NOT_WRITTEN = "(its artifact could not be written)";

/**
 * Where a verb writes what it finds. A file that cannot be written does not keep the finding from
 * being reported: the verb calls `assertWritten` after its report.
 */
export class ArtifactFolder {
  readonly #folder: string;
  #problem: CannotWrite | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a file, whose text may depend on its path; returns that, or undefined on failure. */
  write(name: string, textFor: (path: string) => string): string | undefined {
    const path = join(this.#folder, name);
    try {
      writeWhole(path, textFor(path));
      return path;
    } catch (error) {
      if (!(error instanceof CannotWrite)) throw error;
      this.#problem ??= error;
      return undefined;
    }
  }

  /** @throws {CannotWrite} the first file that could not be written */
  assertWritten(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }
}
