import { assertRepeats, assertSameAgain, type RepeatableRun } from "./repeat.ts";
import type { RunReport } from "./run-report.ts";

/**
 * The runs that show whether code under test is deterministic: made twice before anything is
 * judged, and once more before a verdict, because any run between may leave something behind.
 */
export class ControlRuns {
  readonly #runs: readonly RepeatableRun[];
  readonly #firstEver: RunReport | undefined;
  readonly #reports: RunReport[] = [];

  /** `firstEver` is a report with its trace of the first of `runs`, made before all others. */
  constructor(runs: readonly RepeatableRun[], firstEver?: RunReport) {
    this.#runs = runs;
    this.#firstEver = firstEver;
  }

  /** @throws {NotDeterministic} when two runs of one plan differ */
  async begin(): Promise<void> {
    for (const [at, run] of this.#runs.entries()) {
      const first = at === 0 ? this.#firstEver : undefined;
      const report =
        first === undefined
          ? await assertRepeats(run)
          : await assertSameAgain(run, first, { isFirstEver: true });
      this.#reports.push(report);
    }
  }

  /** @throws {NotDeterministic} when a run differs from those at the beginning */
  async assertUnchanged(): Promise<void> {
    for (const [at, run] of this.#runs.entries()) {
      const report = this.#reports[at];
      if (report !== undefined) await assertSameAgain(run, report, { isFirstEver: true });
    }
  }
}
