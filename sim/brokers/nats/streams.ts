import { storedDate } from "../stored-date.ts";
import { assertModelled, NotModelled, type Refusing, refusingAll } from "../not-modelled.ts";
import { JetStreamApiError, StreamNotFoundError } from "./errors.ts";
import { NatsHeaders } from "./headers.ts";
import { type Lister, listerOf } from "./lister.ts";
import { decoded, type SentFields } from "./decoding.ts";
import { assertName, assertSubject, matchesFilter, overlap } from "./names.ts";
import {
  apiSubject,
  CREATE_STREAM,
  GET_MESSAGE,
  LIST_NAMES,
  LIST_STREAMS,
  type MessageRequest,
  wordsOf,
} from "./requests.ts";
import type { NatsServer } from "./server.ts";
import { type MessageStream, PRESET, type StoredMessage, type StreamSettings } from "./stream.ts";
import { DESCRIPTION_MAX } from "./settings.ts";
import { textOf } from "../ref-in.ts";
import { bytesFrom } from "../text-bytes.ts";

const SEE = "brokers.nats";

/** What the administration of streams needs of its client. */
export interface StreamAdministrator<Client> {
  readonly client: Client;
  readonly server: NatsServer;
  readonly request: <T>(effect: () => T) => Promise<T>;
}

/** Of a stream's configuration what may be asked for; the rest has the server's defaults. */
export interface NatsStreamConfig {
  readonly name: string;
  readonly subjects?: readonly string[] | undefined;
  readonly storage?: "file" | "memory" | undefined;
  readonly retention?: "limits" | "interest" | "workqueue" | undefined;
  readonly num_replicas?: number | undefined;
  readonly description?: string | undefined;
  /** For how long the server knows a message by its id, in nanoseconds; default 2 minutes. */
  readonly duplicate_window?: number | undefined;
}

export interface NatsStreamInfo {
  readonly config: typeof DEFAULTS & {
    readonly name: string;
    readonly subjects: string[];
    readonly description?: string;
  };
  /** As ISO dates, the second one of the answer. */
  readonly created: string;
  readonly ts: string;
  /** Of what has just been added, also of what was there already. */
  readonly did_create?: boolean;
  readonly state: {
    readonly messages: number;
    readonly bytes: number;
    readonly first_seq: number;
    readonly first_ts: string;
    readonly last_seq: number;
    readonly last_ts: string;
    /** Left out where there is none. */
    readonly num_subjects?: number;
    /** Left out where none is deleted, as here. */
    readonly num_deleted?: number;
    readonly consumer_count: number;
    readonly subjects?: Readonly<Record<string, number>>;
  };
}

/** A message as it is stored, with the interface of `StoredMsg`. */
export interface NatsStoredMessage {
  readonly subject: string;
  readonly seq: number;
  readonly header: NatsHeaders;
  readonly data: Uint8Array;
  readonly time: Date;
  readonly timestamp: string;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as StoredMsg has it
  json<T>(): T;
  string(): string;
}

/** Which message of a stream is asked for. */
export type NatsMessageQuery =
  | { readonly seq: number; readonly next_by_subj?: string }
  | { readonly last_by_subj: string };

type RefusedCall = "update" | "purge" | "delete" | "deleteMessage";
const REFUSED: readonly RefusedCall[] = ["update", "purge", "delete", "deleteMessage"];

/** The `streams` of a `JetStreamManager`. */
export interface NatsStreamAdmin extends Readonly<Record<RefusedCall, Refusing>> {
  add(config: NatsStreamConfig): Promise<NatsStreamInfo>;
  info(stream: string, options?: { readonly subjects_filter?: string }): Promise<NatsStreamInfo>;
  get(stream: string): Promise<NatsStream>;
  /** Resolves with null where there is no such message. */
  getMessage(stream: string, query: NatsMessageQuery): Promise<NatsStoredMessage | null>;
  /** Resolves with the stream that stores a subject. */
  find(subject: string): Promise<string>;
  names(subject?: string): Lister<string>;
  list(subject?: string): Lister<NatsStreamInfo>;
}

/** A stream that exists, with the interface of `Stream`. */
export interface NatsStream extends Readonly<Record<RefusedStreamCall, Refusing>> {
  readonly name: string;
  /** `cached`: what was read last, without a request. */
  info(cached?: boolean): Promise<NatsStreamInfo>;
  getMessage(query: NatsMessageQuery): Promise<NatsStoredMessage | null>;
  getConsumer: NatsConsumerGetter;
}
type NatsConsumerGetter = (name?: string | object) => Promise<unknown>;

type RefusedStreamCall =
  | ("alternates" | "best" | "getPushConsumer")
  | ("deleteMessage" | "resetConsumer");
const REFUSED_OF_ONE: readonly RefusedStreamCall[] = [
  ...(["alternates", "best", "getPushConsumer", "deleteMessage", "resetConsumer"] as const),
];
const REPLICAS_MAX = 5;
/** What a server reads in a query for messages, and the model does not. */
const NOT_MODELLED: readonly string[] = [
  "batch",
  "max_bytes",
  "start_time",
  "multi_last",
  "up_to_seq",
  "up_to_time",
  "no_hdr",
];
const SETTINGS = [
  ...["name", "subjects", "storage", "retention", "num_replicas"],
  ...["description", "duplicate_window"],
];
const WINDOW_MIN_NANOS = 100_000_000;

type Getting = {
  readonly consumers: { get(stream: string, name?: string | object): Promise<unknown> };
};

export function streamsOf<Client extends Getting>(
  administrator: StreamAdministrator<Client>,
): NatsStreamAdmin {
  const { server, request } = administrator;
  const of = (subject = ""): readonly MessageStream[] =>
    server
      .streams()
      .filter(
        (one) => subject === "" || one.settings.subjects.some((its) => overlap(its, subject)),
      );
  /** What has no length asks for all. */
  const asked = (subject: string | undefined): object => (subject?.length ? { subject } : {});
  const listed = (body: object, type: SentFields): readonly MessageStream[] =>
    of((decoded(body, type) as { readonly subject?: string }).subject);
  return {
    async add(config) {
      assertModelled("streams.add()", config, SETTINGS, SEE);
      assertName("stream", config.name);
      const subject = apiSubject("STREAM.CREATE", config.name);
      return await request(() => {
        const { name, ...settings } = settingsFrom(wordsOf(subject)[2], config);
        server.addStream(name, settings);
        return { ...infoFrom(server, name), did_create: true };
      });
    },
    info: (stream, options) => infoOf(administrator, stream, options),
    get: (stream) => streamOf(administrator, stream),
    getMessage: (stream, query) => messageOf(administrator, stream, query),
    find: (subject) =>
      request(() => {
        const [found, ...others] = listed({ subject }, LIST_NAMES);
        if (found !== undefined && others.length === 0) return found.name;
        throw new StreamNotFoundError("no stream matches subject");
      }),
    names: (subject) =>
      listerOf(() => request(() => listed(asked(subject), LIST_NAMES).map(({ name }) => name))),
    list: (subject) =>
      listerOf(() =>
        request(() =>
          listed(asked(subject), LIST_STREAMS).map(({ name }) => infoFrom(server, name)),
        ),
      ),
    ...refusingAll("JetStreamManager.streams", REFUSED, SEE),
  };
}

/** Returns a stream by its name. */
export async function streamOf<Client extends Getting>(
  administrator: StreamAdministrator<Client>,
  name: string,
): Promise<NatsStream> {
  let known = await infoOf(administrator, name);
  return {
    name,
    info: async (cached = false) => (cached ? known : (known = await infoOf(administrator, name))),
    getMessage: (query) => messageOf(administrator, name, query),
    getConsumer: (consumer) => administrator.client.consumers.get(name, consumer),
    ...refusingAll("Stream", REFUSED_OF_ONE, SEE),
  };
}

/**
 * Reads a configuration as the server does, and completes it.
 *
 * @throws {JetStreamApiError}
 * @throws {NotModelled} for a setting with which the server would do something else
 */
function settingsFrom(
  of: string | undefined,
  config: NatsStreamConfig,
): StreamSettings & { readonly name: string } {
  const read = decoded(config, CREATE_STREAM) as Partial<NatsStreamConfig>;
  const { name, retention = "limits", storage = "file", num_replicas: replicas = 1 } = read;
  if (name === undefined || name !== of)
    throw new JetStreamApiError(10_056, "stream name in subject does not match request");
  const subjects = (read.subjects?.length ?? 0) === 0 ? [name] : (read.subjects ?? []);
  if (replicas > REPLICAS_MAX)
    throw new JetStreamApiError(10_052, `maximum replicas is ${REPLICAS_MAX}`, 500);
  if (replicas < 0) throw new JetStreamApiError(10_133, "replicas count cannot be negative");
  const { description = "", duplicate_window: windowNanos = 0 } = read;
  if (bytesFrom(description).length > DESCRIPTION_MAX) {
    const why = `stream description is too long, maximum allowed is ${DESCRIPTION_MAX}`;
    throw new JetStreamApiError(10_052, why, 500);
  }
  assertWindow(windowNanos);
  assertSubjects(subjects);
  if (replicas > 1) {
    throw new JetStreamApiError(10_074, "replicas > 1 not supported in non-clustered mode", 500);
  }
  if (retention !== "limits")
    throw new NotModelled(`streams.add() with retention "${retention}"`, SEE);
  return { name, subjects, storage, description, windowNanos: windowNanos || PRESET.windowNanos };
}

/** @throws {JetStreamApiError} */
function assertWindow(nanos: number): void {
  if (nanos < 0) throw new JetStreamApiError(10_052, "duplicates window can not be negative", 500);
  if (nanos > 0 && nanos < WINDOW_MIN_NANOS)
    throw new JetStreamApiError(10_052, "duplicates window needs to be >= 100ms", 500);
}

/** What is the server's own, by the name that it has for it. */
const OWN_SUBJECTS = { jetstream: ["$JS.>", "$JSC.>", "$NRG.>"], system: ["$SYS.>"] } as const;
/** These others may store. */
const OF_ACCOUNTS = "$SYS.ACCOUNT.>";

/**
 * Source: nats-server 2.15, stream.go, checkStreamCfg
 *
 * @throws {JetStreamApiError} for what is no subject, for the server's own, and for two that overlap
 */
function assertSubjects(subjects: readonly string[]): void {
  for (const [at, one] of subjects.entries()) {
    assertSubject(one);
    const other = subjects.slice(0, at).find((before) => overlap(before, one));
    if (other !== undefined)
      throw new JetStreamApiError(10_052, `subject "${other}" overlaps with "${one}"`, 500);
    assertNotOwn(one);
  }
}

function assertNotOwn(subject: string): void {
  const noAck = "to be true";
  if (subject === ">")
    throw new JetStreamApiError(10_052, `capturing all subjects requires no-ack ${noAck}`, 500);
  for (const [whose, own] of Object.entries(OWN_SUBJECTS)) {
    if (matchesFilter(OF_ACCOUNTS, subject) || !own.some((one) => overlap(one, subject))) continue;
    const why = `subjects that overlap with ${whose} api require no-ack ${noAck}`;
    throw new JetStreamApiError(10_052, why, 500);
  }
}

async function infoOf(
  { server, request }: Pick<StreamAdministrator<unknown>, "server" | "request">,
  name: string,
  options: { readonly subjects_filter?: string } = {},
): Promise<NatsStreamInfo> {
  assertName("stream", name);
  assertModelled("streams.info()", options, ["subjects_filter", "deleted_details"], SEE);
  const subject = apiSubject("STREAM.INFO", name);
  return await request(() => infoFrom(server, wordsOf(subject)[2], options.subjects_filter));
}

async function messageOf(
  { server, request }: Pick<StreamAdministrator<unknown>, "server" | "request">,
  name: string,
  query: NatsMessageQuery,
): Promise<NatsStoredMessage | null> {
  assertName("stream", name);
  assertModelled("streams.getMessage()", batchOf(query), [], SEE);
  const subject = apiSubject("STREAM.MSG.GET", name);
  return await request(() => {
    const of = wordsOf(subject)[3] ?? "";
    // A query that is null, 0 or empty is sent without a body.
    const read = decoded(query || undefined, GET_MESSAGE) as MessageRequest;
    const { seq = 0, last_by_subj: last = "", next_by_subj: next = "" } = read;
    // The server checks the query before it looks for the stream.
    if ((seq === 0 && last === "" && next === "") || (seq > 0 && last !== "")) {
      throw new JetStreamApiError(10_003, "bad request");
    }
    const stored = server.streamNamed(of);
    const message = last === "" ? from(stored, seq, next) : stored.lastOf(last);
    return message === undefined ? null : asStored(message, server.epochMs);
  });
}

/** Returns the parts of a query that ask for several messages, or for those of a time. */
function batchOf(query: object): object {
  const asked = Object.entries(Object(query) as object);
  return Object.fromEntries(asked.filter(([name]) => NOT_MODELLED.includes(name)));
}

function from({ messages }: MessageStream, seq: number, filter: string): StoredMessage | undefined {
  if (filter === "") return messages[seq - 1];
  return messages.find(
    ({ sequence, subject }) => sequence >= seq && matchesFilter(filter, subject),
  );
}

function asStored(message: StoredMessage, epochMs: number): NatsStoredMessage {
  const { subject, sequence: seq, data, headers, storedAt } = message;
  const time = storedDate(epochMs + storedAt);
  return {
    ...{ subject, seq, header: new NatsHeaders(headers), data: new Uint8Array(data) },
    ...{ time, timestamp: time.toISOString() },
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as StoredMsg has it
    json: <T>() => JSON.parse(textOf(data)) as T,
    string: () => textOf(data),
  };
}

/** What the server makes of settings that nobody has given. Source: nats-server 2.15, stream.go */
const DEFAULTS: {
  readonly retention: "limits";
  readonly storage: "file" | "memory";
  readonly discard: "old";
  readonly compression: "none";
  readonly num_replicas: 1;
  readonly duplicate_window: number;
  readonly consumer_limits: object;
} & Readonly<Record<StreamLimit, number> & Record<StreamSwitch, boolean>> = {
  ...({ retention: "limits", storage: "file", discard: "old", compression: "none" } as const),
  ...({ num_replicas: 1, duplicate_window: PRESET.windowNanos, consumer_limits: {} } as const),
  ...{ max_consumers: -1, max_msgs: -1, max_bytes: -1, max_age: 0 },
  ...{ max_msgs_per_subject: -1, max_msg_size: -1 },
  ...{ allow_direct: false, mirror_direct: false, sealed: false, deny_delete: false },
  ...{ deny_purge: false, allow_rollup_hdrs: false, allow_msg_ttl: false },
};

type StreamLimit =
  | ("max_consumers" | "max_msgs" | "max_bytes" | "max_age")
  | ("max_msgs_per_subject" | "max_msg_size");
type StreamSwitch =
  | ("allow_direct" | "mirror_direct" | "sealed" | "deny_delete")
  | ("deny_purge" | "allow_rollup_hdrs" | "allow_msg_ttl");

function infoFrom(
  server: NatsServer,
  name: string | undefined,
  subjectsFilter?: string,
): NatsStreamInfo {
  const stored = server.streamNamed(name ?? "");
  const { messages, createdAt } = stored;
  const { subjects, storage, description, windowNanos } = stored.settings;
  const at = (ms: number | undefined): string =>
    ms === undefined ? "0001-01-01T00:00:00Z" : storedDate(server.epochMs + ms).toISOString();
  const count = new Set(messages.map(({ subject }) => subject)).size;
  const found = subjectsFilter === undefined ? {} : stored.countBySubject(subjectsFilter);
  return {
    config: {
      ...{ name: stored.name, subjects: [...subjects], ...DEFAULTS, storage },
      ...(description === "" ? {} : { description }),
      duplicate_window: windowNanos,
    },
    created: at(createdAt),
    ts: at(server.now),
    state: {
      messages: messages.length,
      bytes: stored.bytes,
      first_seq: messages.length === 0 ? 0 : 1,
      first_ts: at(messages[0]?.storedAt),
      last_seq: messages.length,
      last_ts: at(messages.at(-1)?.storedAt),
      consumer_count: server.consumersOf(stored.name).length,
      ...(count === 0 ? {} : { num_subjects: count }),
      ...(Object.keys(found).length === 0 ? {} : { subjects: found }),
    },
  };
}
