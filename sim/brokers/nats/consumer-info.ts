import { assertModelled, NotModelled } from "../not-modelled.ts";
import type { ConsumerSettings, NatsServer, Reached } from "./server.ts";
import { storedDate } from "../stored-date.ts";

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
  /** Any other is refused, as is another way to replay. */
  readonly deliver_policy?: "all" | undefined;
  readonly replay_policy?: "instant" | undefined;
}

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
const MODELLED = [
  ...["durable_name", "name", "description", "metadata", "ack_policy", "ack_wait"],
  ...["max_deliver", "max_ack_pending", "deliver_policy", "replay_policy"],
];

/**
 * Completes a configuration with the server's defaults.
 *
 * @throws {NotModelled} for a setting that the model would have to ignore
 */
export function settingsFrom(call: string, config: NatsConsumerConfig): ConsumerSettings {
  assertModelled(call, config, MODELLED, "brokers.nats");
  const { ack_policy: policy = "none", deliver_policy = "all", replay_policy = "instant" } = config;
  const name = config.durable_name ?? config.name ?? "";
  const refused = [
    ...(name === "" ? ["without a name"] : []),
    ...(policy === "flow_control" ? [`with ack_policy "${policy}"`] : []),
    ...(deliver_policy === "all" ? [] : [`with deliver_policy "${String(deliver_policy)}"`]),
    ...(replay_policy === "instant" ? [] : [`with replay_policy "${String(replay_policy)}"`]),
  ];
  if (refused[0] !== undefined) throw new NotModelled(`${call} ${refused[0]}`, "brokers.nats");
  return {
    name,
    ackPolicy: policy === "all" || policy === "explicit" ? policy : "none",
    ackWaitMs: config.ack_wait === undefined ? ACK_WAIT_MS : config.ack_wait / NANOS_PER_MS,
    maxDeliver: config.max_deliver ?? -1,
    maxAckPending: config.max_ack_pending ?? MAX_ACK_PENDING,
    description: config.description,
    metadata: config.metadata,
  };
}

export function infoFrom(server: NatsServer, stream: string, name: string): NatsConsumerInfo {
  const facts = server.infoOf(stream, name);
  const { ackPolicy, ackWaitMs, maxDeliver, maxAckPending } = facts.settings;
  const { description, metadata } = facts.settings;
  const { delivered, ackFloor } = facts;
  const waits =
    ackPolicy === "none"
      ? {}
      : { ack_wait: ackWaitMs * NANOS_PER_MS, max_ack_pending: maxAckPending };
  return {
    stream_name: stream,
    name,
    created: storedDate(server.epochMs + facts.createdAt).toISOString(),
    delivered: sequencesFrom(delivered, server.epochMs),
    ack_floor: sequencesFrom(ackFloor, server.epochMs),
    num_ack_pending: facts.ackPending,
    num_redelivered: facts.redelivered,
    num_waiting: 0,
    num_pending: facts.unread,
    config: {
      durable_name: name,
      ack_policy: ackPolicy,
      deliver_policy: "all",
      replay_policy: "instant",
      max_deliver: maxDeliver,
      ...waits,
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  };
}

function sequencesFrom({ consumer, stream, activeAt }: Reached, epochMs: number): NatsSequences {
  const sequences = { consumer_seq: consumer, stream_seq: stream };
  if (activeAt === undefined) return sequences;
  return { ...sequences, last_active: storedDate(epochMs + activeAt).toISOString() };
}
