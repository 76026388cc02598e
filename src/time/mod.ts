/**
 * Time as a port: clocks, durations, waiting, and the log beside them.
 *
 * @module
 */
export { type Clock, sleep, type TimerHandle } from "./clock.ts";
export { type DurationLike, millisecondsFrom } from "./duration.ts";
export { type Logger, silentLogger } from "./logger.ts";
