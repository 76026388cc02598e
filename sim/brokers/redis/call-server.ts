import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, isTransportError } from "../library-call.ts";
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
}

/** A command without a reply is sent again after the library has reconnected. */
const RETRIES = { attemptsMax: 4, firstDelayMs: 100 };
const ONCE = { attemptsMax: 1, firstDelayMs: 0 };
/** How long a library rests that tries until it is connected. */
const RECONNECT_MS = 200;

/**
 * Sends a command to the server.
 *
 * @throws {MaxRetriesPerRequestError} when no reply came
 * @throws {Error} `Connection is closed.`, when `signal` aborts while there is no server
 */
export async function callServer<T>(
  { port, host: to, isOffline }: ServerParts,
  site: SiteName,
  effect: () => T,
  signal: AbortSignal,
): Promise<T> {
  const request = { site, to, effect, isRepeatable: false, signal };
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
