import { kafka } from "../brokers/kafka/kafka-model.ts";
import { kinesis } from "../brokers/kinesis/model.ts";
import { nats } from "../brokers/nats/model.ts";
import { rabbitmq } from "../brokers/rabbitmq/model.ts";
import { redis } from "../brokers/redis/model.ts";

/** The broker models, by the name that `--broker` takes. */
export const brokers: {
  readonly kafka: typeof kafka;
  readonly kinesis: typeof kinesis;
  readonly nats: typeof nats;
  readonly rabbitmq: typeof rabbitmq;
  readonly redis: typeof redis;
} = Object.freeze({ kafka, kinesis, nats, rabbitmq, redis });
