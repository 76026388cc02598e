import { assertModelled, NotModelled } from "../not-modelled.ts";
import type { Reached } from "./consumer-state.ts";
import { JetStreamApiError } from "./errors.ts";
import { assertName } from "./names.ts";
import type { NatsServer } from "./server.ts";
import type { ConsumerSettings, Start } from "./settings.ts";
import { epochMsIn, storedDate } from "../stored-date.ts";

/** The part of a consumer's configuration that the model supports. */
export interface NatsConsumerConfig {
  readonly durable_name?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly ack_policy?: "none" | "all" | "explicit" | "not_set" | "flow_control" | undefined;
  readonly ack_wait?: number | undefined;
  readonly max_deliver?: number | undefined;
  readonly max_ack_pending?: number | undefined;
  readonly filter_subject?: string | undefined;
  readonly filter_subjects?: readonly string[] | undefined;
  readonly backoff?: readonly number[] | undefined;
  readonly deliver_policy?: DeliverPolicy | undefined;
  readonly opt_start_seq?: number | undefined;
  readonly opt_start_time?: string | undefined;
  /** Any other is refused. */
  readonly replay_policy?: "instant" | undefined;
  /** What the server says of a consumer; none of them may be set. */
  readonly max_waiting?: number | undefined;
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
  /** Always 0: the server of the model keeps no waiting pulls. */
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

const NANOS_PER_MS = 1_000_000;
/** A consumer's defaults. Source: nats-server, server/consumer.go */
const ACK_WAIT_MS = 30_000;
const MAX_ACK_PENDING = 1_000;
const MAX_WAITING = 512;
const MODELLED = [
  ...["durable_name", "name", "description", "metadata", "ack_policy", "ack_wait"],
  ...["max_deliver", "max_ack_pending", "deliver_policy", "replay_policy"],
  ...["filter_subject", "filter_subjects", "backoff", "opt_start_seq", "opt_start_time"],
];
const ACK_POLICIES: readonly string[] = ["none", "all", "explicit", "not_set", "flow_control"];

/**
 * Completes a configuration with the server's defaults.
 *
 * @throws {NotModelled} for a setting that the model would have to ignore
 */
export function settingsFrom(
  call: string,
  config: NatsConsumerConfig,
  epochMs: number,
): ConsumerSettings {
  assertModelled(call, config, MODELLED, "brokers.nats");
  const { ack_policy: policy = "none", durable_name: name = "", backoff } = config;
  // The server takes 0 for what is not given.
  const { replay_policy: replay = "instant", ack_wait: wait = 0 } = config;
  if (!ACK_POLICIES.includes(policy)) {
    const words = `invalid JSON: can not unmarshal "\\"${policy}\\""`;
    throw new JetStreamApiError(10_025, words);
  }
  const refused = [
    ...(name === "" ? ["without a durable_name"] : []),
    ...(policy === "flow_control" ? [`with ack_policy "${policy}"`] : []),
    ...(replay === "instant" ? [] : [`with replay_policy "${String(replay)}"`]),
  ];
  if (refused[0] !== undefined) throw new NotModelled(`${call} ${refused[0]}`, "brokers.nats");
  assertName("durable", name);
  if (config.name !== undefined && config.name !== name) {
    const other = "consumer name in subject does not match durable name in request";
    throw new JetStreamApiError(10_017, other);
  }
  return {
    name,
    ackPolicy: policy === "all" || policy === "explicit" ? policy : "none",
    ackWaitMs: wait === 0 ? ACK_WAIT_MS : wait / NANOS_PER_MS,
    // None, and what is below, is without a limit.
    maxDeliver: Math.max(config.max_deliver ?? 0, 0) || -1,
    maxAckPending: config.max_ack_pending || MAX_ACK_PENDING,
    description: config.description,
    metadata: config.metadata,
    filterSubject: config.filter_subject,
    filterSubjects: config.filter_subjects,
    backoffMs: backoff?.map((nanos) => nanos / NANOS_PER_MS),
    start: startFrom(config, epochMs),
  };
}

/** The code of an error that tells of a policy and a place that do not go together. */
export const UNFIT_START: number = 10_094;

/** @throws {JetStreamApiError} where policy and place do not go together */
function startFrom(config: NatsConsumerConfig, epochMs: number): Start | undefined {
  const { deliver_policy: policy = "all", opt_start_seq: sequence, opt_start_time: time } = config;
  const wrong = (what: string): JetStreamApiError =>
    new JetStreamApiError(UNFIT_START, `consumer delivery policy is deliver ${what}`);
  const words = policy.replaceAll("_", " ");
  if (policy === "by_start_sequence") {
    if (sequence === undefined) throw wrong(`${words}, but optional start sequence is not set`);
    return { policy, sequence };
  }
  if (policy === "by_start_time") {
    if (time === undefined) throw wrong(`${words}, but optional start time is not set`);
    const at = epochMsIn(time);
    if (at === undefined) throw new JetStreamApiError(10_025, "invalid JSON");
    return { policy, timeMs: at - epochMs };
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
    num_waiting: 0,
    num_pending: facts.unread,
    config: configFrom(facts.settings, server.epochMs),
  };
}

/** What the server says of a consumer's configuration. */
function configFrom(settings: ConsumerSettings, epochMs: number): NatsConsumerConfig {
  const { name, ackPolicy, ackWaitMs, maxDeliver, maxAckPending, start, backoffMs } = settings;
  const { description, metadata, filterSubject, filterSubjects } = settings;
  const waits =
    ackPolicy === "none"
      ? {}
      : { ack_wait: ackWaitMs * NANOS_PER_MS, max_ack_pending: maxAckPending };
  const place =
    start?.policy === "by_start_sequence"
      ? { opt_start_seq: start.sequence }
      : start?.policy === "by_start_time"
        ? { opt_start_time: storedDate(epochMs + start.timeMs).toISOString() }
        : {};
  const given = {
    ...{ description, metadata, filter_subject: filterSubject, filter_subjects: filterSubjects },
    backoff: backoffMs?.map((ms) => ms * NANOS_PER_MS),
  };
  return {
    durable_name: name,
    name,
    ack_policy: ackPolicy,
    deliver_policy: start?.policy ?? "all",
    replay_policy: "instant",
    max_deliver: maxDeliver,
    max_waiting: MAX_WAITING,
    num_replicas: 0,
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
