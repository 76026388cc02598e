import type { ClientPort } from "../broker.ts";
import { assertModelled, NotModelled } from "../not-modelled.ts";
import { bytesFrom } from "../text-bytes.ts";
import {
  InvalidArgumentError,
  JetStreamApiError,
  JetStreamNotEnabled,
  RequestError,
} from "./errors.ts";
import { assertSubject } from "./names.ts";
import type { Expectations, StoredMessage } from "./stream.ts";

export interface PublishOptions {
  readonly msgID?: string | undefined;
  readonly headers?: { keys(): string[]; values(name: string): string[] } | undefined;
  /** How long the reply may take, in virtual milliseconds. */
  readonly timeout?: number | undefined;
  /** How often it is sent at most while nobody answers; default: once. */
  readonly retries?: number | undefined;
  readonly expect?: Expectations | undefined;
}

/** A message that is to be stored, once the library has taken it. */
export interface Outgoing {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: StoredMessage["headers"];
  readonly expected: Expectations;
}

const SEE = "brokers.nats";
const OPTIONS = ["msgID", "headers", "timeout", "retries", "expect"];
const EXPECTATIONS = [
  ...["streamName", "lastMsgID", "lastSequence"],
  ...["lastSubjectSequence", "lastSubjectSequenceSubject"],
];
/** What the server takes at most: its default. */
const PAYLOAD_MAX = 1_048_576;
/** Source: @nats-io/nats-core, backoff; without its jitter */
const BACKOFF_MS = [0, 250, 250, 500, 500, 3_000, 5_000];
/** What the server does with a message that has these headers is not modelled. */
const TOLD_BY_HEADERS = /^Nats-(?:TTL|Schedule.*|Incr|Batch-.*|Expected-.*)$/;

/**
 * Checks a message as the library and the server do.
 *
 * @throws {NotModelled} for an option that the model would have to ignore
 */
export function outgoingFrom(
  subject: string,
  payload: string | Uint8Array | undefined,
  options: PublishOptions,
): Outgoing {
  assertModelled("publish()", options, OPTIONS, SEE);
  const { expect = {}, headers: given } = options;
  assertModelled("publish() with expectations", expect, EXPECTATIONS, SEE);
  assertSubject(subject);
  // Nothing is no payload; null is none that the library takes.
  const content = payload === undefined ? new Uint8Array() : payload;
  const data = typeof content === "string" ? bytesFrom(content) : content;
  if (!(data instanceof Uint8Array)) {
    throw new TypeError("payload types can be strings or Uint8Array");
  }
  if (data.length > PAYLOAD_MAX) {
    throw new InvalidArgumentError("'payload' max_payload size exceeded");
  }
  const names = given?.keys() ?? [];
  const told = names.find((name) => TOLD_BY_HEADERS.test(name));
  if (told !== undefined) throw new NotModelled(`publish() with the header ${told}`, SEE);
  if (names.includes("Nats-Rollup")) {
    throw new JetStreamApiError(10_111, "rollup not permitted", 500);
  }
  const headers = names.flatMap(
    (name) => given?.values(name).map((value) => [name, value] as const) ?? [],
  );
  return { subject, data, headers, expected: expect };
}

/** Sends until somebody answers, as often as `retries` says. */
export async function publishing<T>(
  { clock }: ClientPort,
  { retries = 1 }: PublishOptions,
  send: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const isNobody = (error as Error).name === "NoResponders";
      const mayPass = isNobody || (error as Error).name === "TimeoutError";
      if (!mayPass || tries >= Math.max(1, retries)) {
        throw isNobody ? notEnabled(error as Error) : error;
      }
    }
    const waitMs = BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] as number;
    await new Promise<void>((resolve) => void clock.setTimer(waitMs, resolve));
  }
}

/** What the library makes of a request that nobody takes. */
export function notEnabled(error: Error): JetStreamNotEnabled {
  const cause = new RequestError(error.message, { cause: error });
  return new JetStreamNotEnabled("jetstream is not enabled", { cause });
}
