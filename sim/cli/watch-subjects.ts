import { simulate, type SimulateOptions } from "../run/simulate.ts";
import { assertVirtual, NotVirtual } from "../run/real-io-guard.ts";
import { assertSameAgain } from "../run/repeat.ts";
import type { RunReport } from "../run/run-report.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { watchForHang } from "./hang-watch.ts";
import { complain, EXIT } from "./output.ts";
import { repeatableFrom } from "./repeat-subject.ts";
import type { ScenarioFile } from "./scenario-files.ts";

/**
 * Watches the code under test of scenarios until disposed of: the process ends with exit code 2
 * when that code blocks the thread, or waits for real time or real hosts.
 *
 * Each scenario with such code runs twice beforehand, from `seed`, to see that it is virtual and
 * deterministic.
 *
 * @throws {NotDeterministic} when the two runs differ
 */
export async function watchSubjects(
  files: readonly ScenarioFile[],
  seed: number,
): Promise<Disposable> {
  const watched = files.filter(({ scenario }) => worldKindOf(scenario).subject !== undefined);
  if (watched.length === 0) return { [Symbol.dispose]: () => undefined };
  const watch = watchForHang(EXIT.wrongInput);
  try {
    for (const file of watched) {
      const { scenario } = file;
      const noun = worldKindOf(scenario).subject?.noun ?? "";
      const make = (options: SimulateOptions): Promise<RunReport> =>
        simulate(scenario, { seed, ...options });
      let first: RunReport | undefined;
      await assertVirtual(noun, async (observeCode) => {
        const report = await make({ ...file.parts, observeCode });
        first ??= report;
      });
      const run = repeatableFrom(file, seed, make);
      if (first !== undefined && run !== undefined) {
        await assertSameAgain(run, first, { isFirstEver: true });
      }
    }
    return watch;
  } catch (error) {
    watch[Symbol.dispose]();
    if (error instanceof NotVirtual) exitAtOnce(error.message);
    throw error;
  }
}

/** Ends the process at once, because timers and sockets of the module may keep it alive. */
export function exitAtOnce(message: string): never {
  complain(message);
  process.exit(EXIT.wrongInput);
}
