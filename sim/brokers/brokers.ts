import { kafka } from "./kafka/kafka-model.ts";
import { kinesis } from "./kinesis/model.ts";
import { nats } from "./nats/model.ts";
import { rabbitmq } from "./rabbitmq/model.ts";
import { pubsub } from "./pubsub/pubsub-broker.ts";
import { redis } from "./redis/model.ts";
import { serviceBus, serviceBusSessions } from "./service-bus/service-bus-broker.ts";
import { sqs, sqsFifo } from "./sqs/sqs-broker.ts";

/** The broker models, by the name that `--broker` takes. */
export const brokers: {
  readonly kafka: typeof kafka;
  readonly kinesis: typeof kinesis;
  readonly nats: typeof nats;
  readonly rabbitmq: typeof rabbitmq;
  readonly pubsub: typeof pubsub;
  readonly redis: typeof redis;
  readonly serviceBus: typeof serviceBus;
  readonly serviceBusSessions: typeof serviceBusSessions;
  readonly sqs: typeof sqs;
  readonly sqsFifo: typeof sqsFifo;
} = Object.freeze({
  kafka,
  kinesis,
  nats,
  rabbitmq,
  redis,
  pubsub,
  serviceBus,
  serviceBusSessions,
  sqs,
  sqsFifo,
});
