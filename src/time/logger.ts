type LogMethod = (message: string, fields?: Record<string, unknown>) => void;

/** The port through which `src` tells what it did; structured, and never read back. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

function drop(): void {
  // Silence is the default: a library does not print.
}

/** A logger that tells nobody. */
export const silentLogger: Logger = Object.freeze({
  debug: drop,
  info: drop,
  warn: drop,
  error: drop,
});
