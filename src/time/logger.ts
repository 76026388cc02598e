/** Writes one log line: a message and its structured fields. */
export type LogMethod = (message: string, fields?: Record<string, unknown>) => void;

/**
 * The port through which the package logs. Messages and fields are worded for people and may change
 * in any version; no program reads them back.
 */
export interface Logger {
  /** Logs a detail that is of use only when a problem is being searched for. */
  readonly debug: LogMethod;
  /** Logs something that is expected to happen. */
  readonly info: LogMethod;
  /** Logs something that the package handled and somebody should look at. */
  readonly warn: LogMethod;
  /** Logs a failure. */
  readonly error: LogMethod;
}

function drop(): void {
  // Nobody asked for it.
}

/** Drops everything. */
export const silentLogger: Logger = Object.freeze({
  debug: drop,
  info: drop,
  warn: drop,
  error: drop,
});
