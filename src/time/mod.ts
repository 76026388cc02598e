/**
 * The ports for time and logging, and durations.
 *
 * @module
 */
export { consoleLogger } from "./console-logger.ts";
export { type Clock, sleep, type TimerHandle } from "./clock.ts";
export { type DurationLike, millisecondsFrom } from "./duration.ts";
export { type Logger, type LogMethod, silentLogger } from "./logger.ts";
