import type { SiteName } from "../faults/site.ts";
import type { ClientPort } from "./broker.ts";

/** How often a client library tries a request, and its pause before the second attempt. */
export interface LibraryRetries {
  readonly attemptsMax: number;
  /** Doubles with each further attempt. */
  readonly firstDelayMs: number;
}

/** A client library's request to its broker. */
export interface LibraryRequest<T> {
  readonly site: SiteName;
  readonly to: string;
  readonly effect: () => T;
  /** Whether the broker recognises a retry, so that it has no second effect. */
  readonly isRepeatable: boolean;
  /** Once aborted, the library does not try again. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each attempt, with the pauses that were made so far. */
  readonly onAttempt?: ((attempt: number, pausedMs: number) => void) | undefined;
}

/**
 * Calls the broker as a client library does: it retries after a network failure, but not after an
 * error of the broker.
 *
 * Holds: a request that the network duplicates has its effect once, as on one TCP connection.
 */
export async function callAsLibrary<T>(
  port: ClientPort,
  { site, to, effect, isRepeatable, signal, onAttempt }: LibraryRequest<T>,
  { attemptsMax, firstDelayMs }: LibraryRetries,
): Promise<T> {
  let run = once(effect);
  let delayMs = firstDelayMs;
  let pausedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    onAttempt?.(attempt, pausedMs);
    try {
      return await port.call(site, to, run);
    } catch (error) {
      if (!isTransportError(error) || attempt >= attemptsMax) throw error;
      await new Promise<void>((resolve) => void port.clock.setTimer(delayMs, resolve));
      if (signal?.aborted === true) throw error;
    }
    pausedMs += delayMs;
    delayMs *= 2;
    if (!isRepeatable) run = once(effect);
  }
}

const TRANSPORT_ERRORS: ReadonlySet<string> = new Set([
  "InjectedFault",
  "CallTimedOut",
  "ConnectionRefused",
  "ConnectionLost",
]);

/** Whether the network or the host has failed, as opposed to the request. */
export function isTransportError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return TRANSPORT_ERRORS.has(error.name);
}

/** Settles as `reply`, or rejects with `errorFrom()` once `signal` aborts. */
export async function untilAborted<T>(
  reply: Promise<T>,
  signal: AbortSignal | undefined,
  errorFrom: () => Error,
): Promise<T> {
  if (signal === undefined) return reply;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(errorFrom());
  });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([reply, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Returns a function that runs `effect` at its first call and repeats its result or error. */
export function once<T>(effect: () => T): () => T {
  let result: (() => T) | undefined;
  return () => {
    if (result === undefined) {
      try {
        const value = effect();
        result = () => value;
      } catch (error) {
        result = () => {
          throw error;
        };
      }
    }
    return result();
  };
}
