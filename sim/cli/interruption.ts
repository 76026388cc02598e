import { runOutside } from "../realm/realm.ts";
import { complain } from "./output.ts";

/** The signals that end a command early, and the exit codes that shells give them. */
const SIGNALS: Readonly<Record<InterruptingSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

export type InterruptingSignal = "SIGINT" | "SIGTERM";

/**
 * A signal within this time after the first is the same one: npx passes on what the terminal has
 * sent to the whole group already.
 */
const SAME_MS = 300;

/** Whether somebody has asked this command to end; dispose of it when the command is done. */
export interface Interruption extends Disposable {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The signal that came; undefined as long as none did. */
  readonly by: InterruptingSignal | undefined;
  /** Returns the exit code of a command that found nothing: `code`, or that of the signal. */
  exitCode(code: number): number;
}

/**
 * Lets a command end by itself, with its report, on SIGINT and SIGTERM. The next such signal ends
 * the process at once.
 */
export function listenForInterruption(): Interruption {
  const ending = new AbortController();
  let by: InterruptingSignal | undefined;
  // A signal may come amid a run, and is none of its code's.
  const onSignal = (name: NodeJS.Signals): void => runOutside(() => interrupt(name));
  const interrupt = (name: NodeJS.Signals): void => {
    if (by !== undefined) return;
    by = name as InterruptingSignal;
    const line = `${name}: ending with a report of what was done; once more to end at once`;
    // A terminal shows ^C in the line of the progress bar.
    complain(process.stderr.isTTY ? `\n${line}` : line);
    ending.abort();
    setTimeout(stopListening, SAME_MS).unref();
  };
  const stopListening = (): void => {
    for (const name of Object.keys(SIGNALS)) process.off(name, onSignal);
  };
  for (const name of Object.keys(SIGNALS)) process.on(name, onSignal);
  return {
    signal: ending.signal,
    get by() {
      return by;
    },
    exitCode: (code) => (by === undefined ? code : SIGNALS[by]),
    [Symbol.dispose]: stopListening,
  };
}
