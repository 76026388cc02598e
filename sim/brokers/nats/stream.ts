import { bytesFrom } from "../text-bytes.ts";
import { JetStreamApiError } from "./errors.ts";
import { matchesFilter } from "./names.ts";
import type { ConsumerSettings, Start } from "./settings.ts";
import { isRead } from "./settings.ts";

export interface StoredMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly ref: string | undefined;
  readonly storedAt: number;
}

/** Names of headers by which a message tells the server what to do with it. */
export const TOLD = {
  id: "Nats-Msg-Id",
  stream: "Nats-Expected-Stream",
  lastId: "Nats-Expected-Last-Msg-Id",
  lastSequence: "Nats-Expected-Last-Sequence",
  lastOfSubject: "Nats-Expected-Last-Subject-Sequence",
  /** Of which subjects; by default of the message's. */
  ofSubject: "Nats-Expected-Last-Subject-Sequence-Subject",
  rollup: "Nats-Rollup",
} as const;

const NONE = "";
const NANOS_PER_MS = 1_000_000;

/** A stream's configuration, as far as it may be chosen. */
export interface StreamSettings {
  readonly subjects: readonly string[];
  readonly storage: "file" | "memory";
  /** Empty where it has none. */
  readonly description: string;
  /** For how long the identifier of a message is known. */
  readonly windowNanos: number;
}

/** What a stream has that nobody gives it. */
export const PRESET = { description: "", windowNanos: 120_000_000_000 } as const;

/** The messages of one stream; none is ever deleted. */
export class MessageStream {
  readonly name: string;
  readonly settings: StreamSettings;
  readonly createdAt: number;
  readonly messages: StoredMessage[] = [];
  readonly #ids = new Map<string, StoredMessage>();
  #lastId = "";

  constructor(name: string, settings: StreamSettings, createdAt: number) {
    this.name = name;
    this.settings = settings;
    this.createdAt = createdAt;
  }

  /** @throws {JetStreamApiError} where it is configured otherwise */
  assertAs(settings: StreamSettings): void {
    if (JSON.stringify(inOrder(settings)) === JSON.stringify(inOrder(this.settings))) return;
    const other = "stream name already in use with a different configuration";
    throw new JetStreamApiError(10_058, other);
  }

  /** How much of its storage the messages take. */
  get bytes(): number {
    const { storage } = this.settings;
    return this.messages.reduce((sum, message) => sum + bytesOf(message, storage), 0);
  }

  /** A subject with an empty part is none, and nobody answers to it. */
  stores(subject: string): boolean {
    if (subject.split(".").includes("")) return false;
    return this.settings.subjects.some((one) => matchesFilter(one, subject));
  }

  /** Returns the message that has had this identifier for no longer than ids are known. */
  known(messageId: string | undefined, now: number): number | undefined {
    const message = messageId === undefined ? undefined : this.#ids.get(messageId);
    if (message === undefined) return undefined;
    const knownMs = this.settings.windowNanos / NANOS_PER_MS;
    return now - message.storedAt < knownMs ? message.sequence : undefined;
  }

  store(message: StoredMessage, messageId: string | undefined): void {
    this.messages.push(message);
    if (messageId !== undefined) this.#ids.set(messageId, message);
    this.#lastId = messageId ?? "";
  }

  /**
   * Checks where the stream is, which the server does also for a message that it has already.
   *
   * @throws {JetStreamApiError} where the stream is not as the headers expect
   */
  assertSequences(subject: string, headers: ReadonlyMap<string, string>): void {
    const [name, of, ofLast, last] = [
      ...[TOLD.stream, TOLD.ofSubject, TOLD.lastOfSubject, TOLD.lastSequence],
    ].map((header) => headers.get(header) ?? NONE) as [string, string, string, string];
    if (name !== NONE && name !== this.name) {
      throw new JetStreamApiError(10_060, "expected stream does not match");
    }
    if (of !== NONE && ofLast === NONE) {
      const missing = "missing sequence for expected last sequence per subject";
      throw new JetStreamApiError(10_193, missing);
    }
    this.#assertAt(ofLast, this.lastOf(of || subject)?.sequence ?? 0);
    this.#assertAt(last, this.messages.length);
  }

  /** What is no number is none of a message. */
  #assertAt(expected: string, sequence: number): void {
    if (expected === NONE || (/^\d+$/.test(expected) && Number(expected) === sequence)) return;
    throw new JetStreamApiError(10_071, `wrong last sequence: ${sequence}`);
  }

  /** @throws {JetStreamApiError} where the last message has another identifier, and for a rollup */
  assertLast(headers: ReadonlyMap<string, string>): void {
    const lastId = headers.get(TOLD.lastId) ?? NONE;
    if (lastId !== NONE && lastId !== this.#lastId) {
      throw new JetStreamApiError(10_070, `wrong last msg ID: ${this.#lastId}`);
    }
    if (headers.has(TOLD.rollup)) throw new JetStreamApiError(10_111, "rollup not permitted", 500);
  }

  lastOf(filter: string): StoredMessage | undefined {
    return this.messages.findLast(({ subject }) => matchesFilter(filter, subject));
  }

  /** Counts the messages of each subject that the filter names. */
  countBySubject(filter: string): Readonly<Record<string, number>> {
    const counts = new Map<string, number>();
    for (const { subject } of this.messages) {
      if (matchesFilter(filter, subject)) counts.set(subject, (counts.get(subject) ?? 0) + 1);
    }
    return Object.fromEntries(counts);
  }

  /**
   * Returns the first message that a new consumer may get, and of which before a certain one it
   * gets only the last of each subject.
   */
  startOf(settings: ConsumerSettings): { readonly first: number; readonly lasts?: Lasts } {
    const start: Start = settings.start ?? { policy: "all" };
    const end = this.messages.length + 1;
    const read = this.messages.filter(({ subject }) => isRead(settings, subject));
    switch (start.policy) {
      case "all":
        return { first: 1 };
      case "new":
        return { first: end };
      case "last":
        return { first: read.at(-1)?.sequence ?? end };
      case "last_per_subject": {
        const bySubject = new Map(read.map(({ subject, sequence }) => [subject, sequence]));
        const only = new Set(bySubject.values());
        return { first: Math.min(end, ...only), lasts: { before: end, only } };
      }
      case "by_start_sequence":
        return { first: start.sequence };
      case "by_start_time":
        return {
          first: this.messages.find(({ storedAt }) => storedAt >= start.timeMs)?.sequence ?? end,
        };
      default:
        return start satisfies never;
    }
  }
}

/** Messages before a certain one, of which only some are delivered. */
export interface Lasts {
  readonly before: number;
  readonly only: ReadonlySet<number>;
}

function inOrder(settings: StreamSettings): readonly unknown[] {
  const { subjects, storage, description, windowNanos } = settings;
  return [subjects, storage, description, windowNanos];
}

/** What a message takes besides its subject, headers and payload; a file has their length, too. */
const OVERHEAD = { file: 30, memory: 16 } as const;
const HEADERS_LENGTH = { file: 4, memory: 0 } as const;

/** Returns how much of its storage a message takes. Source: nats-server 2.15, fileStoreMsgSize */
function bytesOf(
  { subject, headers, data }: StoredMessage,
  storage: keyof typeof OVERHEAD,
): number {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const sent = lines === "" ? 0 : bytesFrom(`NATS/1.0\r\n${lines}\r\n`).length;
  const own = OVERHEAD[storage] + bytesFrom(subject).length + data.length;
  return sent === 0 ? own : own + HEADERS_LENGTH[storage] + sent;
}
