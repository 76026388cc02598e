import type { SiteName } from "../faults/site.ts";
import type { ClientPort } from "./broker.ts";

/** How often a client library tries a request, and its pause before the second attempt. */
export interface LibraryRetries {
  /** How often it sends the request at most, the first time included. */
  readonly attemptsMax: number;
  /** In virtual milliseconds; doubles with each further attempt. */
  readonly firstDelayMs: number;
}

/** A client library's request to its broker. */
export interface LibraryRequest<T> {
  /** The site at which faults strike it: `broker.fetch`, `broker.settle` and so on. */
  readonly site: SiteName;
  /** The host that is called. */
  readonly to: string;
  /**
   * What the broker does; it runs at one instant and must not start promise work. It is told
   * whether a fault makes the broker answer about another's.
   */
  readonly effect: (lies: boolean) => T;
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
 * Holds: a request that the network duplicates has its effect once, as on one TCP connection; only
 * a copy that arrives late, which a broker on one connection never gets, has it again.
 *
 * @throws what the effect throws, or the network's failure after the last attempt
 *
 * @example A client's method in a model
 * ```ts
 * import { callAsLibrary, type ClientPort, type LeasedQueue } from "faultlane/brokers";
 *
 * function takeTen(port: ClientPort, queue: LeasedQueue, host: string) {
 *   const effect = () => queue.take(port.name, 10, 30_000);
 *   const request = { site: "broker.fetch", to: host, effect, isRepeatable: false } as const;
 *   return callAsLibrary(port, request, { attemptsMax: 3, firstDelayMs: 100 });
 * }
 * console.log(takeTen.length); // => 3
 * ```
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
  "TooManyRequests",
  "CorruptReply",
]);

/**
 * Whether the network or the host has failed, as opposed to the request.
 *
 * @example
 * ```ts
 * import { isTransportError } from "faultlane/brokers";
 *
 * console.log(isTransportError(new Error("No such queue"))); // => false
 * ```
 */
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

/**
 * Returns a function that runs `effect` at its first call and repeats its result or error. A copy of
 * the request that arrives late, after others, runs it again.
 */
export function once<T>(effect: (lies: boolean) => T): (lies?: boolean, isLateCopy?: boolean) => T {
  let result: (() => T) | undefined;
  return (lies = false, isLateCopy = false) => {
    if (isLateCopy) return effect(false);
    if (result === undefined) {
      try {
        const value = effect(lies);
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
