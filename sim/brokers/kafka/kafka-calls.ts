import { InjectedFault } from "../../faults/injector.ts";
import type { SiteName } from "../../faults/site.ts";
import { CallTimedOut, ConnectionLost, ConnectionRefused } from "../../hosts/call.ts";
import type { ClientPort } from "../broker.ts";
import {
  isNamed,
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSRequestTimeoutError,
  messageOf,
  type Thrown,
} from "./kafka-errors.ts";

/** How the library retries; what is left out has the defaults below. */
export interface RetryOptions {
  readonly retries?: number;
  readonly initialRetryTime?: number;
  readonly maxRetryTime?: number;
  readonly multiplier?: number;
  restartOnFailure?(error: Error): Promise<boolean>;
}

export const RETRY_DEFAULT: Required<Omit<RetryOptions, "restartOnFailure">> = Object.freeze({
  retries: 5,
  initialRetryTime: 300,
  maxRetryTime: 30_000,
  multiplier: 2,
});

/** Sends one request, and turns a network failure into the library's error. */
export async function request<T>(
  port: ClientPort,
  site: SiteName,
  broker: string,
  effect: () => T,
): Promise<T> {
  try {
    return await port.call(site, broker, effect);
  } catch (error) {
    throw fromNetwork(error);
  }
}

/** The library's error for a failure of the network; what the broker has thrown stays. */
export function fromNetwork(cause: unknown): unknown {
  if (cause instanceof CallTimedOut) {
    return new KafkaJSRequestTimeoutError("Request timed out", { cause });
  }
  const isBroken = cause instanceof ConnectionRefused || cause instanceof ConnectionLost;
  if (cause instanceof InjectedFault || isBroken) {
    return new KafkaJSConnectionError("Connection error", { cause });
  }
  return cause;
}

const PROGRAMMING_ERRORS = new Set(["RangeError", "ReferenceError", "SyntaxError", "TypeError"]);

/** What is thrown need not be an error: a text is retried, too. */
export function isRetriable(error: unknown): boolean {
  if (error === undefined || error === null) return false;
  const { name = "", retriable } = error as Thrown;
  return retriable !== false && !PROGRAMMING_ERRORS.has(name);
}

/**
 * Retries as the library does, until the attempt succeeds or the library would give up. An error
 * for which `isFinal` returns true is thrown as it is.
 */
export async function retried<T>(
  port: ClientPort,
  options: RetryOptions,
  attempt: () => Promise<T>,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  const { retries, initialRetryTime, maxRetryTime, multiplier } = { ...RETRY_DEFAULT, ...options };
  let retryTime = initialRetryTime;
  for (let retryCount = 0; ; retryCount += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (isFinal(error)) throw error;
      if (!isRetriable(error)) {
        if (isNamed(error, "KafkaJSNonRetriableError")) throw error;
        const { cause } = error as Thrown;
        throw new KafkaJSNonRetriableError(messageOf(error as Thrown), { cause: cause || error });
      }
      if (retryCount >= retries) {
        throw new KafkaJSNumberOfRetriesExceeded(error as Thrown, { retryCount, retryTime });
      }
    }
    await pause(port, retryTime);
    retryTime = Math.min(retryTime * multiplier, maxRetryTime);
  }
}

export function pause(port: ClientPort, ms: number): Promise<void> {
  return new Promise((resolve) => void port.clock.setTimer(ms, resolve));
}
