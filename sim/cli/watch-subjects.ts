import { simulate } from "../run/simulate.ts";
import { assertVirtual, NotVirtual } from "../run/real-io-guard.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { watchForHang } from "./hang-watch.ts";
import { complain, EXIT } from "./output.ts";
import type { ScenarioFile } from "./scenario-files.ts";

/**
 * Watches the code under test of scenarios until disposed of: the process ends with exit code 2
 * when that code blocks the thread, or waits for real time or real hosts.
 *
 * Each scenario with such code runs once beforehand, from `seed`, to see that it is virtual.
 */
export async function watchSubjects(
  files: readonly ScenarioFile[],
  seed: number,
): Promise<Disposable> {
  const watched = files.filter(({ scenario }) => worldKindOf(scenario).subject !== undefined);
  if (watched.length === 0) return { [Symbol.dispose]: () => undefined };
  const watch = watchForHang(EXIT.wrongInput);
  try {
    for (const { scenario, parts } of watched) {
      const noun = worldKindOf(scenario).subject?.noun ?? "";
      await assertVirtual(noun, (observeCode) =>
        simulate(scenario, { ...parts, seed, trace: false, observeCode }),
      );
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
