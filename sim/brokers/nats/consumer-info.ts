import { assertModelled, NotModelled } from "../not-modelled.ts";
import type { Reached } from "./consumer-state.ts";
import { JetStreamApiError } from "./errors.ts";
import type { NatsServer } from "./server.ts";
import type { ConsumerSettings, Start } from "./settings.ts";
import { readTime, writtenTime } from "./rfc3339.ts";
import { storedDate } from "../stored-date.ts";

/** The part of a consumer's configuration that the model supports. */
export interface NatsConsumerConfig {
  readonly durable_name?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly ack_policy?: "none" | "all" | "explicit" | "flow_control" | undefined;
  readonly ack_wait?: number | undefined;
  readonly max_deliver?: number | undefined;
  /** Of one with a durable name, too: it is deleted when nobody asks for messages for so long. */
  readonly inactive_threshold?: number | undefined;
  readonly max_ack_pending?: number | undefined;
  readonly filter_subject?: string | undefined;
  readonly filter_subjects?: readonly string[] | undefined;
  readonly backoff?: readonly number[] | undefined;
  readonly deliver_policy?: DeliverPolicy | undefined;
  readonly opt_start_seq?: number | undefined;
  readonly opt_start_time?: string | undefined;
  /** Any other is refused. */
  readonly replay_policy?: "instant" | undefined;
  /** What the server says of a consumer; it may not be set. */
  readonly max_waiting?: number | undefined;
  /** 1, or 0 for as many as its stream has; a server alone has no more. */
  readonly num_replicas?: number | undefined;
}

type DeliverPolicy =
  | ("all" | "new" | "last" | "last_per_subject")
  | ("by_start_sequence" | "by_start_time");

export interface NatsConsumerInfo {
  readonly stream_name: string;
  readonly name: string;
  readonly config: NatsConsumerConfig;
  /** When the consumer was added, as an ISO date. */
  readonly created: string;
  readonly delivered: NatsSequences;
  readonly ack_floor: NatsSequences;
  readonly num_ack_pending: number;
  readonly num_redelivered: number;
  /** How many requests for messages wait at the server. */
  readonly num_waiting: number;
  readonly num_pending: number;
  /** When the server answered, as an ISO date. */
  readonly ts: string;
}

/** How far a consumer has come: in its own deliveries, and in the stream. */
interface NatsSequences {
  readonly consumer_seq: number;
  readonly stream_seq: number;
  /** In the form of ISO 8601; left out where nothing has happened yet. */
  readonly last_active?: string;
}

const SEE = "brokers.nats";
const NANOS_PER_MS = 1_000_000;
/** A consumer's defaults. Source: nats-server, server/consumer.go */
const ACK_WAIT_MS = 30_000;
/** Of one without a durable name. */
const INACTIVE_MS = 5_000;
const MAX_ACK_PENDING = 1_000;
const MAX_WAITING = 512;
const MODELLED = [
  ...["durable_name", "name", "description", "metadata", "ack_policy", "ack_wait"],
  ...["max_deliver", "max_ack_pending", "deliver_policy", "replay_policy"],
  "inactive_threshold",
  ...["filter_subject", "filter_subjects", "backoff", "opt_start_seq", "opt_start_time"],
  "num_replicas",
];

/**
 * Checks, before it is sent, that a configuration has no setting that the model would ignore.
 *
 * @throws {NotModelled}
 */
export function assertConsumerModelled(call: string, config: NatsConsumerConfig): void {
  assertModelled(call, config, MODELLED, SEE);
  const { ack_policy: policy, replay_policy: replay } = config;
  const refused = [
    ...(policy === "flow_control" ? [`with ack_policy "${policy}"`] : []),
    ...((replay as unknown) === "original" ? [`with replay_policy "original"`] : []),
  ];
  if (refused[0] !== undefined) throw new NotModelled(`${call} ${refused[0]}`, SEE);
}

/** Completes a configuration as the server has read it with its defaults. */
export function settingsFrom(
  name: string,
  config: NatsConsumerConfig,
  epochMs: number,
): ConsumerSettings {
  const { ack_policy: policy = "none", ack_wait: wait = 0, max_ack_pending: most = 0 } = config;
  const acks = policy === "all" || policy === "explicit" ? policy : "none";
  const isAcked = acks !== "none";
  const isDurable = (config.durable_name ?? "") !== "";
  const inactive = (config.inactive_threshold ?? 0) / NANOS_PER_MS;
  return {
    name,
    isDurable,
    inactiveMs: inactive <= 0 && !isDurable ? INACTIVE_MS : Math.max(0, inactive),
    ackPolicy: acks,
    // The server takes 0 for what is not given.
    ackWaitMs: wait === 0 && isAcked ? ACK_WAIT_MS : wait / NANOS_PER_MS,
    // None, and what is below, is without a limit.
    maxDeliver: Math.max(config.max_deliver ?? 0, 0) || -1,
    maxAckPending: most === 0 && isAcked ? MAX_ACK_PENDING : Math.max(most, -1),
    description: config.description || undefined,
    metadata: config.metadata,
    filterSubject: config.filter_subject || undefined,
    filterSubjects: config.filter_subjects,
    backoffMs: config.backoff?.map((nanos) => nanos / NANOS_PER_MS),
    replicas: config.num_replicas || undefined,
    start: startFrom(config, epochMs),
  };
}

/** @throws {JetStreamApiError} where policy and place do not go together */
function startFrom(config: NatsConsumerConfig, epochMs: number): Start | undefined {
  const { deliver_policy: policy = "all", opt_start_time: time } = config;
  const sequence = config.opt_start_seq || undefined;
  const wrong = (what: string): JetStreamApiError =>
    new JetStreamApiError(10_094, `consumer delivery policy is deliver ${what}`);
  const words = policy.replaceAll("_", " ");
  if (policy === "by_start_sequence") {
    if (sequence === undefined) throw wrong(`${words}, but optional start sequence is not set`);
    return { policy, sequence };
  }
  if (policy === "by_start_time") {
    if (time === undefined) throw wrong(`${words}, but optional start time is not set`);
    // What is none was refused when it was read.
    return { policy, timeMs: (readTime(time) as number) - epochMs };
  }
  if (sequence !== undefined) throw wrong(`${words}, but optional start sequence is also set`);
  if (time !== undefined) throw wrong(`${words}, but optional start time is also set`);
  return policy === "all" ? undefined : { policy };
}

export function infoFrom(server: NatsServer, stream: string, name: string): NatsConsumerInfo {
  const facts = server.infoOf(stream, name);
  const { delivered, ackFloor } = facts;
  return {
    stream_name: stream,
    name,
    created: storedDate(server.epochMs + facts.createdAt).toISOString(),
    ts: storedDate(server.epochMs + server.now).toISOString(),
    delivered: sequencesFrom(delivered, server.epochMs),
    ack_floor: sequencesFrom(ackFloor, server.epochMs),
    num_ack_pending: facts.ackPending,
    num_redelivered: facts.redelivered,
    num_waiting: facts.waiting,
    num_pending: facts.unread,
    config: configFrom(facts.settings, server.epochMs),
  };
}

/** What the server says of a consumer's configuration. */
function configFrom(settings: ConsumerSettings, epochMs: number): NatsConsumerConfig {
  const { name, ackPolicy, ackWaitMs, maxDeliver, maxAckPending, start, backoffMs } = settings;
  const { description, metadata, filterSubject, filterSubjects, inactiveMs } = settings;
  const waits = {
    ...(ackWaitMs === 0 ? {} : { ack_wait: ackWaitMs * NANOS_PER_MS }),
    ...(maxAckPending === 0 ? {} : { max_ack_pending: maxAckPending }),
  };
  const place =
    start?.policy === "by_start_sequence"
      ? { opt_start_seq: start.sequence }
      : start?.policy === "by_start_time"
        ? { opt_start_time: writtenTime(epochMs + start.timeMs) }
        : {};
  // An empty one is another setting than none, but is not shown.
  const backoff = backoffMs?.length === 0 ? undefined : backoffMs;
  const given = {
    ...{ description, metadata, filter_subject: filterSubject, filter_subjects: filterSubjects },
    backoff: backoff?.map((ms) => ms * NANOS_PER_MS),
  };
  return {
    ...(settings.isDurable ? { durable_name: name } : {}),
    ...(settings.isNameGiven === true ? {} : { name }),
    ack_policy: ackPolicy,
    deliver_policy: start?.policy ?? "all",
    replay_policy: "instant",
    max_deliver: maxDeliver,
    max_waiting: MAX_WAITING,
    num_replicas: settings.replicas ?? 0,
    ...(inactiveMs === 0 ? {} : { inactive_threshold: inactiveMs * NANOS_PER_MS }),
    ...waits,
    ...place,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

function sequencesFrom({ consumer, stream, activeAt }: Reached, epochMs: number): NatsSequences {
  const sequences = { consumer_seq: consumer, stream_seq: stream };
  if (activeAt === undefined) return sequences;
  return { ...sequences, last_active: storedDate(epochMs + activeAt).toISOString() };
}
