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

/** A stream's configuration, as far as it may be chosen. */
export interface StreamSettings {
  readonly subjects: readonly string[];
  readonly storage: "file" | "memory";
}

/** The messages of one stream; none is ever deleted. */
export class MessageStream {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly storage: StreamSettings["storage"];
  readonly createdAt: number;
  readonly messages: StoredMessage[] = [];
  readonly #ids = new Map<string, number>();
  #lastId = "";

  constructor(name: string, { subjects, storage }: StreamSettings, createdAt: number) {
    this.name = name;
    this.subjects = subjects;
    this.storage = storage;
    this.createdAt = createdAt;
  }

  /** @throws {JetStreamApiError} where it is configured otherwise */
  assertAs({ subjects, storage }: StreamSettings): void {
    const isSame = this.subjects.join(" ") === subjects.join(" ") && this.storage === storage;
    if (isSame) return;
    const other = "stream name already in use with a different configuration";
    throw new JetStreamApiError(10_058, other);
  }

  /** A subject with an empty part is none, and nobody answers to it. */
  stores(subject: string): boolean {
    if (subject.split(".").includes("")) return false;
    return this.subjects.some((one) => matchesFilter(one, subject));
  }

  /** Returns the message that had this identifier first. */
  known(messageId: string | undefined): number | undefined {
    return messageId === undefined ? undefined : this.#ids.get(messageId);
  }

  store(message: StoredMessage, messageId: string | undefined): void {
    this.messages.push(message);
    if (messageId !== undefined) this.#ids.set(messageId, message.sequence);
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
