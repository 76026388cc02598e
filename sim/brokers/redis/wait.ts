import type { ServerParts } from "./call-server.ts";
import { MaxRetriesPerRequestError } from "./reply-error.ts";
import type { StreamServer } from "./stream-server.ts";

/** Which server entries are waited for at. */
export interface WaitingParts extends ServerParts {
  readonly server: StreamServer;
  /** Called when the server crashes, unless its clients do not learn of it. */
  readonly crashes: Set<() => void>;
}

/**
 * Waits for an entry, for so long at most, or until `signal` aborts.
 *
 * @throws {MaxRetriesPerRequestError} when the server crashes meanwhile, in a library that sends
 * no command twice; the other one sends the read anew, which waits on
 */
export async function arrival(
  { server, port, crashes, isOffline }: WaitingParts,
  ms: number,
  signal: AbortSignal,
  version: number,
): Promise<void> {
  if (isOffline === undefined) return await server.arrivals.wait(port, ms, signal, version);
  const ending = new AbortController();
  const end = (): void => ending.abort();
  let isCrashed = false;
  const crashed = (): void => {
    // A step of the client: what comes of it is its own work, and none if it has crashed.
    port.after(1, () => {
      isCrashed = true;
      end();
    });
  };
  crashes.add(crashed);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  await server.arrivals.wait(port, ms, ending.signal, version);
  signal.removeEventListener("abort", end);
  crashes.delete(crashed);
  if (isCrashed) throw new MaxRetriesPerRequestError(0, undefined);
}
