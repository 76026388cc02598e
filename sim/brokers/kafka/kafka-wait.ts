import type { ClientPort } from "../broker.ts";
import type { KafkaLog } from "./kafka-log.ts";

/** A wait for records, which may be ended early. */
export interface AppendWait {
  readonly over: Promise<void>;
  /** Ends it; once it is over, this does nothing, whatever waits by then. */
  readonly end: () => void;
}

/**
 * Waits for the first append after those that are `known`, or for so many milliseconds.
 *
 * Why so: the server itself waits for records, so that none is appended between its look and its
 * wait.
 */
export function untilAppended(
  { port, log }: { readonly port: ClientPort; readonly log: KafkaLog },
  known: number,
  maxWaitMs: number,
): AppendWait {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    port.clock.clearTimer(timer);
    news[Symbol.dispose]();
    resolve();
  };
  const timer = port.clock.setTimer(maxWaitMs, end);
  const news = log.onAppend(() => void port.after(1, end));
  if (log.appended > known) port.after(1, end);
  return { over, end };
}
