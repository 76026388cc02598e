import { type Logger, silentLogger } from "./logger.ts";

/**
 * Writes warnings and errors to the console, and drops the rest: what is used where no logger is
 * given, so that a failure that was handled is not lost.
 *
 * @example
 * ```ts
 * import { consoleLogger, SharedStreamManager, silentLogger } from "faultlane";
 *
 * new SharedStreamManager(); // as with { logger: consoleLogger }
 * new SharedStreamManager({ logger: { ...consoleLogger, info: console.info } });
 * new SharedStreamManager({ logger: silentLogger });
 * ```
 */
export const consoleLogger: Logger = Object.freeze({
  debug: silentLogger.debug,
  info: silentLogger.info,
  warn: (message: string, fields?: Record<string, unknown>) => {
    console.warn(...lineOf(message, fields));
  },
  error: (message: string, fields?: Record<string, unknown>) => {
    console.error(...lineOf(message, fields));
  },
});

/** The fields stay objects, so that the console prints errors with their causes. */
function lineOf(message: string, fields: Record<string, unknown> | undefined): readonly unknown[] {
  return fields === undefined ? [message] : [message, fields];
}
