import { htmlPageFrom, type ShownRun } from "../report/html-page.ts";
import { type IndexedRun, runIndexFrom } from "../report/run-index.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import { pageCode } from "./page-code.ts";
import { versionOfKit } from "./version.ts";

/** The name of the index in its folder. */
const INDEX = "index.html";

/** A folder with a page for each run, and an index of them. */
export class RunPages {
  readonly #folder: ArtifactFolder;
  readonly #runs: IndexedRun[] = [];

  constructor(folder: string) {
    this.#folder = new ArtifactFolder(folder);
  }

  /**
   * Writes the page of a run and returns its path; undefined where it cannot be written.
   *
   * @param stem - the name of the run's scenario, unique in the folder
   */
  async add(stem: string, run: ShownRun): Promise<string | undefined> {
    const page = `${stem}.seed-${run.report.seed}.html`;
    const code = await pageCode();
    const kitVersion = versionOfKit();
    const path = this.#folder.write(page, () => htmlPageFrom(code, { run, kitVersion }));
    if (path === undefined) return undefined;
    const { scenario, seed, verdict, violations, stats } = run.report;
    this.#runs.push({ page, report: { scenario, seed, verdict, violations, stats } });
    return path;
  }

  /** Writes the index of the runs so far and returns its path. */
  writeIndex(): string | undefined {
    return this.#folder.write(INDEX, () => runIndexFrom(this.#runs));
  }

  /** @throws {CannotWrite} the first thing that could not be written */
  assertWritten(): void {
    this.#folder.assertWritten();
  }
}
