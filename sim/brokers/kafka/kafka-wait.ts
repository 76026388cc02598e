import type { ClientPort } from "../broker.ts";
import type { MemberLink } from "./kafka-link.ts";
import type { KafkaLog } from "./kafka-log.ts";

/** A wait for records, which may be ended early. */
export interface AppendWait {
  readonly over: Promise<void>;
  /** Ends it; once it is over, this does nothing, whatever waits by then. */
  readonly end: () => void;
}

interface WaitParts {
  readonly port: ClientPort;
  /** The connection on which the wait is asked for, where it may be closed meanwhile. */
  readonly link?: MemberLink;
  readonly log: KafkaLog;
}

/**
 * Waits for the first append after those that are `known`, or for so many milliseconds. It rejects
 * when the connection is closed.
 *
 * Why so: the server itself waits for records, so that none is appended between its look and its
 * wait.
 */
export function untilAppended(
  { port, link, log }: WaitParts,
  known: number,
  maxWaitMs: number,
): AppendWait {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const end = (): void => {
    port.clock.clearTimer(timer);
    news[Symbol.dispose]();
    closing?.[Symbol.dispose]();
    resolve();
  };
  const timer = port.clock.setTimer(maxWaitMs, end);
  const news = log.onAppend(() => void port.after(1, end));
  const closing = link?.onClosed((error) => {
    reject(error);
    end();
  });
  if (log.appended > known) port.after(1, end);
  return { over, end };
}
