import { InvalidSubjectError, NoRespondersError } from "./errors.ts";
import { notEnabled } from "./publishing.ts";
import type { SentFields } from "./decoding.ts";
import type { NatsConsumerConfig } from "./consumer-info.ts";

const PREFIX = "$JS.API";

/**
 * Returns the subject of a request. A caller without types may give any value as a name, whose text
 * is then a part of the subject.
 *
 * @throws {InvalidSubjectError}
 */
export function apiSubject(...words: readonly unknown[]): string {
  const subject = [PREFIX, ...words.map(String)].join(".");
  if (/\s/.test(subject)) throw new InvalidSubjectError(subject);
  return subject;
}

/**
 * Returns what follows the prefix in a subject.
 *
 * @throws {JetStreamNotEnabled} for one with an empty part, to which nobody answers
 */
export function wordsOf(subject: string): readonly string[] {
  const words = subject.split(".");
  if (words.includes("")) throw notEnabled(new NoRespondersError(subject));
  return words.slice(PREFIX.split(".").length);
}

/** Returns the stream and the consumer that a subject names. */
export function namesIn(subject: string): readonly [stream: string, consumer: string] {
  return wordsOf(subject).slice(2) as [string, string];
}

export interface CreateConsumerRequest {
  readonly stream_name?: string;
  readonly config?: NatsConsumerConfig;
  readonly action: "create" | "update";
}

const DELIVER_POLICIES = [
  "all",
  "new",
  "last",
  "last_per_subject",
  "by_start_sequence",
  "by_start_time",
];

/** What of a consumer's configuration is modelled. */
const CONSUMER_CONFIG: SentFields = {
  name: "ConsumerConfig",
  fields: {
    durable_name: "string",
    name: "string",
    description: "string",
    deliver_policy: { words: DELIVER_POLICIES },
    opt_start_seq: "uint64",
    opt_start_time: "time.Time",
    ack_policy: { words: ["none", "all", "explicit", "flow_control"] },
    ack_wait: "time.Duration",
    inactive_threshold: "time.Duration",
    max_deliver: "int",
    max_ack_pending: "int",
    backoff: { list: "time.Duration" },
    filter_subject: "string",
    filter_subjects: { list: "string" },
    metadata: "map[string]string",
    replay_policy: { words: ["instant", "original"] },
    num_replicas: "int",
  },
};

export const CREATE_CONSUMER: SentFields = {
  name: "CreateConsumerRequest",
  fields: {
    stream_name: "string",
    config: CONSUMER_CONFIG,
    action: { words: ["create", "update"], kind: "consumer action" },
  },
};

export const CREATE_STREAM: SentFields = {
  name: "StreamConfigRequest",
  fields: {
    name: "string",
    description: "string",
    subjects: { list: "string" },
    duplicate_window: "time.Duration",
    num_replicas: "int",
    retention: { words: ["limits", "interest", "workqueue"] },
    storage: { words: ["file", "memory"] },
  },
};

export interface MessageRequest {
  readonly seq?: number;
  readonly last_by_subj?: string;
  readonly next_by_subj?: string;
}

export const GET_MESSAGE: SentFields = {
  name: "JSApiMsgGetRequest",
  fields: { seq: "uint64", last_by_subj: "string", next_by_subj: "string" },
};

const STREAM_NAMES = { subject: "string", offset: "int" } as const;
export const LIST_NAMES: SentFields = { name: "JSApiStreamNamesRequest", fields: STREAM_NAMES };
export const LIST_STREAMS: SentFields = { name: "JSApiStreamListRequest", fields: STREAM_NAMES };
