import { z } from "zod";
import type { BrokerModel } from "../../brokers/broker.ts";
import { eventHubs, type EventHubsOptions } from "../../brokers/event-hubs/model.ts";
import { httpFeed, type HttpFeedOptions } from "../../brokers/http-feed/model.ts";
import { confluentKafka, kafka, type KafkaOptions } from "../../brokers/kafka/kafka-model.ts";
import { kinesis, type KinesisOptions } from "../../brokers/kinesis/model.ts";
import { mqtt, type MqttServerOptions } from "../../brokers/mqtt/model.ts";
import { nats, type NatsOptions } from "../../brokers/nats/model.ts";
import { outbox, type OutboxOptions } from "../../brokers/outbox/model.ts";
import { pubsub, type PubSubOptions } from "../../brokers/pubsub/pubsub-broker.ts";
import { rabbitmq, type RabbitmqOptions } from "../../brokers/rabbitmq/model.ts";
import { nodeRedis, redis, type RedisOptions } from "../../brokers/redis/model.ts";
import {
  serviceBus,
  type ServiceBusOptions,
  serviceBusSessions,
} from "../../brokers/service-bus/service-bus-broker.ts";
import { sqs, sqsFifo, type SqsOptions } from "../../brokers/sqs/sqs-broker.ts";
import { BROKER_OPTIONS } from "./broker-options.ts";

/** A broker as scenario files name it, with the options that its model takes in code. */
export type BrokerSpec =
  | { readonly "event-hubs": EventHubsOptions }
  | { readonly "http-feed": HttpFeedOptions }
  | { readonly kafka: KafkaOptions }
  | { readonly "confluent-kafka": KafkaOptions }
  | { readonly kinesis: KinesisOptions }
  | { readonly mqtt: MqttServerOptions }
  | { readonly nats: NatsOptions }
  | { readonly outbox: OutboxOptions }
  | { readonly rabbitmq: RabbitmqOptions }
  | { readonly redis: RedisOptions }
  | { readonly "node-redis": RedisOptions }
  | { readonly pubsub: PubSubOptions }
  | { readonly "service-bus": ServiceBusOptions }
  | { readonly "service-bus-sessions": ServiceBusOptions }
  | { readonly sqs: SqsOptions }
  | { readonly "sqs-fifo": SqsOptions }
  | { readonly own: { readonly name: string; readonly leaseMs?: number } };

/** The broker of a scenario: one member, named like the model, with its options. */
export const brokerSpec: z.ZodType<BrokerSpec, unknown> = z.union([
  z.strictObject({ "event-hubs": BROKER_OPTIONS["event-hubs"] }),
  z.strictObject({ "http-feed": BROKER_OPTIONS["http-feed"] }),
  z.strictObject({ kafka: BROKER_OPTIONS.kafka }),
  z.strictObject({ "confluent-kafka": BROKER_OPTIONS["confluent-kafka"] }),
  z.strictObject({ kinesis: BROKER_OPTIONS.kinesis }),
  z.strictObject({ mqtt: BROKER_OPTIONS.mqtt }),
  z.strictObject({ nats: BROKER_OPTIONS.nats }),
  z.strictObject({ outbox: BROKER_OPTIONS.outbox }),
  z.strictObject({ rabbitmq: BROKER_OPTIONS.rabbitmq }),
  z.strictObject({ redis: BROKER_OPTIONS.redis }),
  z.strictObject({ "node-redis": BROKER_OPTIONS["node-redis"] }),
  z.strictObject({ pubsub: BROKER_OPTIONS.pubsub }),
  z.strictObject({ "service-bus": BROKER_OPTIONS["service-bus"] }),
  z.strictObject({ "service-bus-sessions": BROKER_OPTIONS["service-bus-sessions"] }),
  z.strictObject({ sqs: BROKER_OPTIONS.sqs }),
  z.strictObject({ "sqs-fifo": BROKER_OPTIONS["sqs-fifo"] }),
  z.strictObject({
    own: z
      .strictObject({
        name: z.string().describe("The name of the model."),
        leaseMs: z
          .int()
          .min(1)
          .exactOptional()
          .describe("How long a delivery is leased that has to be renewed; default: it is not."),
      })
      .describe("A model of your own: the broker that the module of the producer exports."),
  }),
]);

/**
 * How a scenario names this model; one without a name of its own there is given in code.
 *
 * @throws {TypeError} when the options that it was made with in code are none of its model
 */
export function brokerSpecOf({ name, spec, leaseMs }: BrokerModel<unknown>): BrokerSpec {
  if (spec === undefined) return { own: leaseMs === undefined ? { name } : { name, leaseMs } };
  const [[model, options] = ["", {}]] = Object.entries(spec);
  const wanted: z.ZodType | undefined = BROKER_OPTIONS[model as keyof typeof BROKER_OPTIONS];
  const issue = wanted?.safeParse(given(options)).error?.issues[0];
  if (issue !== undefined) throw new TypeError(refusalOf(model, issue));
  return brokerSpec.parse({ [model]: given(options) });
}

/** Says what is wrong with the options of a model that somebody made in code. */
function refusalOf(model: string, { path, message }: z.core.$ZodIssue): string {
  const maker = `brokers.${model.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  return `Cannot use the ${path.join(".")} given to ${maker}: ${message}`;
}

/** How long a lease of the broker lasts where its options say so, in milliseconds; otherwise 0. */
export function leaseMsOf(spec: BrokerSpec): number {
  if ("kinesis" in spec) return spec.kinesis.leaseMs ?? 0;
  if ("nats" in spec) return spec.nats.ackWaitMs ?? 0;
  if ("outbox" in spec) return spec.outbox.leaseMs ?? 0;
  if ("rabbitmq" in spec) return spec.rabbitmq.consumerTimeoutMs ?? 0;
  if ("service-bus" in spec) return 1_000 * (spec["service-bus"].lockDurationSeconds ?? 0);
  if ("service-bus-sessions" in spec) {
    return 1_000 * (spec["service-bus-sessions"].lockDurationSeconds ?? 0);
  }
  if ("sqs" in spec) return 1_000 * (spec.sqs.visibilityTimeoutSeconds ?? 0);
  if ("sqs-fifo" in spec) return 1_000 * (spec["sqs-fifo"].visibilityTimeoutSeconds ?? 0);
  if ("own" in spec) return spec.own.leaseMs ?? 0;
  return 0;
}

/** Defaults of the models, in milliseconds. */
const ACK_WAIT_MS = 5_000;
const LOCK_MS = 30_000;
const PUBSUB_LEASE_MS = 10_000;
const PUBSUB_EXACTLY_ONCE_LEASE_MS = 60_000;

/**
 * How long a delivery or a session is leased that its client has to renew, in milliseconds; 0 for a
 * broker that has no such leases.
 */
export function renewableMsOf(spec: BrokerSpec): number {
  if ("nats" in spec) return spec.nats.ackPolicy === "none" ? 0 : leaseMsOf(spec) || ACK_WAIT_MS;
  if ("pubsub" in spec) {
    return spec.pubsub.exactlyOnceDelivery === true
      ? PUBSUB_EXACTLY_ONCE_LEASE_MS
      : PUBSUB_LEASE_MS;
  }
  if ("own" in spec) return leaseMsOf(spec);
  if ("outbox" in spec) return leaseMsOf(spec) || LOCK_MS;
  const isLocked =
    "sqs" in spec || "sqs-fifo" in spec || "service-bus" in spec || "service-bus-sessions" in spec;
  return isLocked ? leaseMsOf(spec) || LOCK_MS : 0;
}

/** Whether the broker may give a record up by itself that it has delivered often in vain. */
export function limitsDeliveries(spec: BrokerSpec): boolean {
  if ("nats" in spec) return (spec.nats.maxDeliver ?? 0) > 0;
  if ("pubsub" in spec) return spec.pubsub.maxDeliveryAttempts !== undefined;
  if ("sqs" in spec) return spec.sqs.maxReceiveCount !== undefined;
  if ("sqs-fifo" in spec) return spec["sqs-fifo"].maxReceiveCount !== undefined;
  return "service-bus" in spec || "service-bus-sessions" in spec || "own" in spec;
}

/** The options without those that are undefined. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/**
 * Makes the model that a scenario names.
 *
 * @throws {TypeError} for a model that has to be given in code
 */
export function brokerFrom(spec: BrokerSpec): BrokerModel<unknown> {
  if ("event-hubs" in spec) return eventHubs(spec["event-hubs"]);
  if ("http-feed" in spec) return httpFeed(spec["http-feed"]);
  if ("kafka" in spec) return kafka(spec.kafka);
  if ("confluent-kafka" in spec) return confluentKafka(spec["confluent-kafka"]);
  if ("kinesis" in spec) return kinesis(spec.kinesis);
  if ("mqtt" in spec) return mqtt(spec.mqtt);
  if ("nats" in spec) return nats(spec.nats);
  if ("outbox" in spec) return outbox(spec.outbox);
  if ("rabbitmq" in spec) return rabbitmq(spec.rabbitmq);
  if ("redis" in spec) return redis(spec.redis);
  if ("node-redis" in spec) return nodeRedis(spec["node-redis"]);
  if ("pubsub" in spec) return pubsub(spec.pubsub);
  if ("service-bus" in spec) return serviceBus(spec["service-bus"]);
  if ("service-bus-sessions" in spec) return serviceBusSessions(spec["service-bus-sessions"]);
  if ("sqs" in spec) return sqs(spec.sqs);
  if ("sqs-fifo" in spec) return sqsFifo(spec["sqs-fifo"]);
  throw new TypeError(
    `Cannot run on the broker "${spec.own.name}": give its model in code, or export it as broker from the module of the producer`,
  );
}
