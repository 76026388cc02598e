import type { ClientPort } from "../broker.ts";
import { assertModelled, NotModelled } from "../not-modelled.ts";
import { bytesFrom } from "../text-bytes.ts";
import { InvalidArgumentError, JetStreamNotEnabled, RequestError } from "./errors.ts";
import { subjectFrom } from "./names.ts";
import { NatsHeaders } from "./headers.ts";
import { type StoredMessage, TOLD } from "./stream.ts";

/** What a publisher expects of the stream before its message. */
interface Expectations {
  readonly streamName?: string | undefined;
  readonly lastMsgID?: string | undefined;
  readonly lastSequence?: number | undefined;
  readonly lastSubjectSequence?: number | undefined;
  /** Of which subjects that is the last one; by default of the message's. */
  readonly lastSubjectSequenceSubject?: string | undefined;
}

export interface PublishOptions {
  readonly msgID?: string | undefined;
  /** Get what the other options say, too. */
  readonly headers?:
    | { keys(): string[]; values(name: string): string[]; set(name: string, value: string): void }
    | undefined;
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
const TOLD_BY_HEADERS = /^Nats-(?:TTL|Schedule.*|Incr|Batch-.*)$/;

/** Checks a message as the library and the server do. */
export function outgoingFrom(
  given: string,
  payload: string | Uint8Array | undefined,
  { timeout }: PublishOptions,
): Outgoing {
  const subject = subjectFrom(given);
  if (timeout && timeout < 1) throw new InvalidArgumentError("'timeout' must be greater than 0");
  // Nothing is no payload; null is none that the library takes.
  const content = payload === undefined ? new Uint8Array() : payload;
  const data = typeof content === "string" ? bytesFrom(content) : content;
  if (!(data instanceof Uint8Array)) {
    throw new TypeError("payload types can be strings or Uint8Array");
  }
  if (data.length > PAYLOAD_MAX) {
    throw new InvalidArgumentError("'payload' max_payload size exceeded");
  }
  return { subject, data };
}

/**
 * Returns the headers of a message, to which the library adds what the options say: those that
 * were given have it then, too.
 *
 * @throws {NotModelled} for an option that the model would have to ignore
 */
export function headersFrom(options: PublishOptions): StoredMessage["headers"] {
  assertModelled("publish()", options, OPTIONS, SEE);
  const { msgID, expect, headers = new NatsHeaders([]) } = options;
  const expected = expect ?? {};
  assertModelled("publish() with expectations", expected, EXPECTATIONS, SEE);
  const { lastMsgID, streamName, lastSubjectSequenceSubject: subject } = expected;
  if (msgID) headers.set(TOLD.id, msgID);
  if (lastMsgID) headers.set(TOLD.lastId, lastMsgID);
  if (streamName) headers.set(TOLD.stream, streamName);
  for (const [name, sequence] of [
    [TOLD.lastSequence, expected.lastSequence],
    [TOLD.lastOfSubject, expected.lastSubjectSequence],
  ] as const) {
    if (typeof sequence === "number") headers.set(name, String(sequence));
  }
  if (subject) headers.set(TOLD.ofSubject, subject);
  const all = headers
    .keys()
    .flatMap((name) => headers.values(name).map((value) => [name, value] as const));
  const told = all.find(([name]) => TOLD_BY_HEADERS.test(name));
  if (told !== undefined) throw new NotModelled(`publish() with the header ${told[0]}`, SEE);
  return all;
}

/** Sends until somebody answers, as often as `retries` says. */
export async function publishing<T>(
  { clock }: ClientPort,
  { retries: given }: PublishOptions,
  send: () => Promise<T>,
): Promise<T> {
  const retries = given || 1;
  // What is no number of tries is none at all: there is no reply that could be read.
  if (!(retries > 0)) throw new TypeError("Cannot read properties of null (reading 'data')");
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const isNobody = (error as Error).name === "NoResponders";
      const mayPass = isNobody || (error as Error).name === "TimeoutError";
      if (!mayPass || !(tries < retries)) {
        throw isNobody ? notEnabled(error as Error) : error;
      }
    }
    const waitMs = BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] as number;
    await new Promise<void>((resolve) => void clock.setTimer(waitMs, resolve));
  }
}

/** What the library makes of a request that nobody takes. */
export function notEnabled(error: Error): JetStreamNotEnabled {
  return new JetStreamNotEnabled("jetstream is not enabled", { cause: new RequestError(error) });
}
