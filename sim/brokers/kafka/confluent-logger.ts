import type { KafkaLogger } from "./kafka-events.ts";

/** The library's `logLevel.INFO`. */
const INFO = 4;

/** A client's logger. In the model it discards everything. */
export class ConfluentLogger implements KafkaLogger {
  logLevel: number = INFO;

  setLogLevel(level: number): void {
    this.logLevel = level;
  }

  info(): void {}

  error(): void {}

  warn(): void {}

  debug(): void {}

  namespace(): this {
    return this;
  }
}
