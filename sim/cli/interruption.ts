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

/** Whom a signal interrupts. */
const listeners = new Set<(name: InterruptingSignal) => void>();

/**
 * Lets a command end by itself, with its report, on SIGINT and SIGTERM. The next such signal ends
 * the process at once. One that comes when the command is done, while its report is still being
 * written, changes nothing.
 */
export function listenForInterruption(): Interruption {
  const ending = new AbortController();
  let by: InterruptingSignal | undefined;
  const interrupt = (name: InterruptingSignal): void => {
    by = name;
    listeners.delete(interrupt);
    const line = `${name}: ending with a report of what was done; once more to end at once`;
    // A terminal shows ^C in the line of the progress bar.
    complain(process.stderr.isTTY ? `\n${line}` : line);
    ending.abort();
  };
  listeners.add(interrupt);
  for (const name of Object.keys(SIGNALS)) {
    if (!process.listeners(name as NodeJS.Signals).includes(onSignal)) process.on(name, onSignal);
  }
  return {
    signal: ending.signal,
    get by() {
      return by;
    },
    exitCode: (code) => (by === undefined ? code : SIGNALS[by]),
    [Symbol.dispose]: () => listeners.delete(interrupt),
  };
}

// A signal may come amid a run, and is none of its code's.
function onSignal(name: NodeJS.Signals): void {
  runOutside(() => {
    for (const interrupt of listeners) interrupt(name as InterruptingSignal);
    setTimeout(stopListening, SAME_MS).unref();
  });
}

function stopListening(): void {
  for (const name of Object.keys(SIGNALS)) process.off(name, onSignal);
}
