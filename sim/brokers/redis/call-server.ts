import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, isTransportError, type LibraryRequest } from "../library-call.ts";
import { connectionClosed, MaxRetriesPerRequestError } from "./reply-error.ts";

/** Where a client runs, and which server it calls. */
export interface ServerParts {
  readonly port: ClientPort;
  readonly host: string;
  /**
   * Given for a library that sends no command twice, but keeps it as long as there is no server;
   * called when there is none.
   */
  readonly isOffline?: () => void;
  /** How commands are tried again, where the program says it. */
  readonly reconnecting?: Reconnecting;
}

/** What `maxRetriesPerRequest` and `retryStrategy` say. */
export interface Reconnecting {
  /** Null: without end. */
  readonly retriesMax: number | null;
  /** Returns how long to wait, for the first time, the second and so on; else it is the end. */
  readonly delayMs: (times: number) => unknown;
}

/** A command without a reply is sent again after the library has reconnected. */
const RETRIES = { attemptsMax: 4, firstDelayMs: 100 };
const ONCE = { attemptsMax: 1, firstDelayMs: 0 };
/** How long a library rests that tries until it is connected. */
const RECONNECT_MS = 200;

/** What the library waits unless it is told otherwise. Source: ioredis 6, DEFAULT_REDIS_OPTIONS */
export function delayByDefault(times: number): number {
  return Math.min(times * 50, 2_000);
}

/**
 * Sends a command to the server.
 *
 * @param ended - called when the program's strategy ends the connection
 * @throws {MaxRetriesPerRequestError} when no reply came
 * @throws {Error} `Connection is closed.`, when `signal` aborts while there is no server, and where
 * the program's strategy ends the connection
 */
export async function callServer<T>(
  { port, host: to, isOffline, reconnecting }: ServerParts,
  site: SiteName,
  effect: () => T,
  signal: AbortSignal,
  ended: () => void = () => undefined,
): Promise<T> {
  const request = { site, to, effect, isRepeatable: false, signal };
  if (reconnecting !== undefined) return await tried(port, request, reconnecting, ended);
  const retries = isOffline === undefined ? RETRIES : ONCE;
  for (;;) {
    try {
      return await callAsLibrary(port, request, retries);
    } catch (error) {
      if (!isTransportError(error)) throw error;
      if (isOffline === undefined || error.name !== "ConnectionRefused" || signal.aborted) {
        throw new MaxRetriesPerRequestError(retries.attemptsMax - 1, error);
      }
      isOffline();
      await new Promise<void>((resolve) => void port.after(RECONNECT_MS, resolve));
      if (signal.aborted) throw connectionClosed();
    }
  }
}

/** Sends a command as often as the program says, and waits as long. */
async function tried<T>(
  port: ClientPort,
  request: LibraryRequest<T>,
  { retriesMax, delayMs }: Reconnecting,
  ended: () => void,
): Promise<T> {
  for (let times = 1; ; times += 1) {
    try {
      return await callAsLibrary(port, request, ONCE);
    } catch (error) {
      if (!isTransportError(error)) throw error;
      const ms = delayMs(times);
      if (typeof ms !== "number") {
        ended();
        throw connectionClosed();
      }
      const isLast = retriesMax !== null && times > retriesMax;
      if (isLast) throw new MaxRetriesPerRequestError(retriesMax, error);
      await new Promise<void>((resolve) => void port.clock.setTimer(ms, resolve));
      if (request.signal?.aborted === true) throw connectionClosed();
    }
  }
}
