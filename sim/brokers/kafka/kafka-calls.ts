import { InjectedFault } from "../../faults/injector.ts";
import type { SiteName } from "../../faults/site.ts";
import { CallTimedOut, ConnectionRefused } from "../../hosts/host.ts";
import type { Wire } from "../broker.ts";
import {
  KafkaJSConnectionError,
  KafkaJSError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSRequestTimeoutError,
} from "./kafka-errors.ts";

/** How the library tries again, with its defaults. */
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

/** Sends one request; what the network does to it becomes the library's errors. */
export async function request<T>(
  wire: Wire,
  site: SiteName,
  broker: string,
  effect: () => T,
): Promise<T> {
  try {
    return await wire.call(site, broker, effect);
  } catch (error) {
    throw fromNetwork(error);
  }
}

function fromNetwork(cause: unknown): unknown {
  if (cause instanceof CallTimedOut) {
    return new KafkaJSRequestTimeoutError("Request timed out", { cause });
  }
  if (cause instanceof InjectedFault || cause instanceof ConnectionRefused) {
    return new KafkaJSConnectionError("Connection error", { cause });
  }
  return cause;
}

const PROGRAMMING_ERRORS = new Set(["RangeError", "ReferenceError", "SyntaxError", "TypeError"]);

export function isRetriable(error: unknown): boolean {
  if (!(error instanceof Error) || PROGRAMMING_ERRORS.has(error.name)) return false;
  return !(error instanceof KafkaJSError) || error.retriable;
}

/** Tries until it works, or until the library would give up. */
export async function retried<T>(
  wire: Wire,
  options: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const { retries, initialRetryTime, maxRetryTime, multiplier } = { ...RETRY_DEFAULT, ...options };
  let retryTime = initialRetryTime;
  for (let retryCount = 0; ; retryCount += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetriable(error)) {
        if (error instanceof KafkaJSNonRetriableError) throw error;
        const message = error instanceof Error ? error.message : String(error);
        throw new KafkaJSNonRetriableError(message, { cause: error });
      }
      if (retryCount >= retries) {
        throw new KafkaJSNumberOfRetriesExceeded(error as Error, { retryCount, retryTime });
      }
    }
    await pause(wire, retryTime);
    retryTime = Math.min(retryTime * multiplier, maxRetryTime);
  }
}

export function pause(wire: Wire, ms: number): Promise<void> {
  return new Promise((resolve) => void wire.clock.setTimer(ms, resolve));
}
