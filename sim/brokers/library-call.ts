import type { SiteName } from "../faults/site.ts";
import type { Wire } from "./broker.ts";

/** How often a client library tries by itself, and how long it waits before the second try. */
export interface LibraryRetries {
  readonly attemptsMax: number;
  readonly firstDelayMs: number;
}

/** One request of a client library to its broker. */
export interface LibraryRequest<T> {
  readonly site: SiteName;
  readonly to: string;
  readonly effect: () => T;
  /** Whether the broker knows a repeated request again and answers as it did the first time. */
  readonly isRepeatable: boolean;
  /** Aborted: the library tries no more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls the broker as a client library does: what the network did is tried again a few times, what
 * the broker answered is not.
 *
 * Holds: one request that arrives twice over one connection has its effect once.
 */
export async function callAsLibrary<T>(
  wire: Wire,
  { site, to, effect, isRepeatable, signal }: LibraryRequest<T>,
  { attemptsMax, firstDelayMs }: LibraryRetries,
): Promise<T> {
  let once = rememberedOnce(effect);
  let delayMs = firstDelayMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await wire.call(site, to, once);
    } catch (error) {
      if (!isTransportError(error) || attempt >= attemptsMax) throw error;
      await new Promise<void>((resolve) => void wire.clock.setTimer(delayMs, resolve));
      if (signal?.aborted === true) throw error;
    }
    delayMs *= 2;
    if (!isRepeatable) once = rememberedOnce(effect);
  }
}

/** Whether the network or the host failed, and not what was asked for. */
export function isTransportError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return ["InjectedFault", "CallTimedOut", "ConnectionRefused"].includes(error.name);
}

/** The answer, or what `errorFrom` makes once `signal` aborts: the caller waits no longer. */
export async function untilAborted<T>(
  answer: Promise<T>,
  signal: AbortSignal | undefined,
  errorFrom: () => Error,
): Promise<T> {
  if (signal === undefined) return answer;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(errorFrom());
  });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function rememberedOnce<T>(effect: () => T): () => T {
  let answer: (() => T) | undefined;
  return () => {
    if (answer === undefined) {
      try {
        const value = effect();
        answer = () => value;
      } catch (error) {
        answer = () => {
          throw error;
        };
      }
    }
    return answer();
  };
}
