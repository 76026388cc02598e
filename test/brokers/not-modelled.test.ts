// What a client may ask of the real broker and the model does not have is refused by name: a model that
// answered, or failed with another error, would let a run pass of which nobody knows how it really ends.
import { GetShardIteratorCommand } from "@aws-sdk/client-kinesis";
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import type { ConfluentKafkaClient } from "../../sim/brokers/kafka/confluent-client.ts";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { NatsHeaders } from "../../sim/brokers/nats/headers.ts";
import { nats } from "../../sim/brokers/nats/model.ts";
import type { PgPool } from "../../sim/brokers/outbox/pg-pool.ts";
import { outbox } from "../../sim/brokers/outbox/model.ts";
import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { nodeRedis, redis } from "../../sim/brokers/redis/model.ts";
import { sqs } from "../../sim/brokers/sqs/sqs-broker.ts";
import { BrokerStage } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

/** What is refused, by the name that the refusal has; behind it, what asks for it. */
type Refused<Client> = Readonly<Record<string, (client: Client) => unknown>>;

function refuses<Client>(name: string, model: () => BrokerModel<Client>, asks: Refused<Client>) {
  describe(name, () => {
    test.each(Object.entries(asks))("refuses %s", async (what, ask) => {
      const stage = new BrokerStage(model());
      stage.publish(1);
      const outcome = await stage.play(async (client) => await outcomeOf(() => ask(client)));
      expect(outcome).toMatchObject({
        name: "NotModelled",
        message: expect.stringContaining(`Not modelled: ${what}; see `) as string,
      });
    });
  });
}

refuses("Redis, by ioredis", () => redis(), {
  "XINFO HELP": (client) => client.xinfo("HELP"),
  "XINFO STREAM FULL": (client) => client.xinfo("STREAM", "orders", "full"),
  "XGROUP HELP": (client) => client.call("xgroup", "help"),
  'Redis.call("SPOP")': (client) => client.call("SPOP", "a"),
  'pipeline.call("SPOP")': (client) => client.pipeline().call("SPOP", "a"),
  "RENAME of a stream": (client) => client.rename("orders", "renamed"),
  "Redis.multi() without a pipeline": (client) => client.multi({ pipeline: false }),
  "Redis.commandQueue": (client) => Reflect.get(client, "commandQueue") as unknown,
});

refuses("Redis, by node-redis", () => nodeRedis(), {
  "RedisClient.duplicate() with options": (client) => client.duplicate({}),
});

const committing = (offset: string) => async (client: ConfluentKafkaClient) => {
  const consumer = client.consumer({ kafkaJS: { groupId: "triggerer" } });
  await consumer.connect();
  return consumer.commitOffsets([{ topic: "orders", partition: 0, offset }]);
};

refuses("Kafka, by Confluent's library, and a large offset", () => confluentKafka(), {
  "a commit of an offset that no log has": committing("9007199254740992"),
});
refuses("Kafka, by Confluent's library, and no end", () => confluentKafka(), {
  "a commit of an offset that no log has": committing("Infinity"),
});

const asking = (place: object) => async (client: ConfluentKafkaClient) => {
  const consumer = client.consumer({ kafkaJS: { groupId: "triggerer" } });
  await consumer.connect();
  return consumer.committed([{ topic: "orders", partition: 0 }, place] as never);
};

refuses("Kafka, by Confluent's library, and no partition", () => confluentKafka(), {
  "committed() without a topic or a partition": asking({ topic: "orders" }),
});
refuses("Kafka, by Confluent's library, and no topic", () => confluentKafka(), {
  "committed() without a topic or a partition": asking({ partition: 0 }),
});

const STREAM = { StreamName: "another" };

refuses("Kinesis", () => kinesis(), {
  "reading another stream than the workload's": (client) =>
    client.client.send(
      new GetShardIteratorCommand({ ...STREAM, ShardId: "0", ShardIteratorType: "LATEST" }),
    ),
});

const URL_OF = "https://sqs.eu-central-1.amazonaws.com/000000000000/";
const ORDERS = `${URL_OF}orders`;
const DEAD = { QueueUrl: `${URL_OF}dead` };

refuses("SQS", () => sqs({ queue: "orders", deadLetterQueues: ["dead"] }), {
  "receiving from a queue of dead letters": (client) =>
    client.send(new ReceiveMessageCommand(DEAD)),
  "GetQueueAttributes of another queue": (client) =>
    client.send(new GetQueueAttributesCommand(DEAD)),
});

refuses("SQS without names", () => sqs(), {
  "GetQueueAttributes of another queue": async (client) => {
    await client.send(new ReceiveMessageCommand({ QueueUrl: ORDERS }));
    return client.send(new GetQueueAttributesCommand(DEAD));
  },
  'receiving for the first time from a queue that something was sent to, without the option "queue"':
    async (client) => {
      await client.send(new SendMessageCommand({ ...DEAD, MessageBody: '{"ref":"ref-000001"}' }));
      return client.send(new ReceiveMessageCommand(DEAD));
    },
  "middleware of a command": (client) => {
    const command = new ReceiveMessageCommand({ QueueUrl: ORDERS });
    command.middlewareStack.add((next) => (args) => next(args), { name: "own" });
    return client.send(command);
  },
});

refuses("NATS", () => nats(), {
  'streams.add() with retention "workqueue"': async (client) => {
    const { streams } = await client.jetstreamManager();
    return streams.add({ name: "own", retention: "workqueue" });
  },
  'consumers.add() with ack_policy "flow_control"': async (client) => {
    const { consumers } = await client.jetstreamManager();
    return consumers.add("ORDERS", { durable_name: "own", ack_policy: "flow_control" });
  },
  "streams.getMessage() with batch": async (client) => {
    const { streams } = await client.jetstreamManager();
    return streams.getMessage("ORDERS", { seq: 1, batch: 2 } as { seq: number });
  },
  'consumers.add() with replay_policy "original"': async (client) => {
    const { consumers } = await client.jetstreamManager();
    return consumers.add("ORDERS", { durable_name: "own", replay_policy: "original" as never });
  },
  "an ordered consumer": (client) => client.consumers.get("ORDERS"),
  "fetch() with an idle_heartbeat of over half of expires": async (client) => {
    const consumer = await client.consumers.get("ORDERS", "triggerer");
    return consumer.fetch({ expires: 2_000, idle_heartbeat: 1_500 });
  },
  "fetch() with expires that is no time": async (client) => {
    const consumer = await client.consumers.get("ORDERS", "triggerer");
    return consumer.fetch({ expires: {} as number });
  },
  "fetch() with max_messages that is no number of messages": async (client) => {
    const consumer = await client.consumers.get("ORDERS", "triggerer");
    return consumer.fetch({ max_messages: -1 });
  },
  "consume() with max_messages that is no number of messages": async (client) => {
    const consumer = await client.consumers.get("ORDERS", "triggerer");
    return consumer.consume({ max_messages: 1.5 });
  },
  "JsMsg.next()": async (client) => {
    const consumer = await client.consumers.get("ORDERS", "triggerer");
    return (await consumer.next({ expires: 1_000 }))?.next();
  },
  "publish() with the header Nats-TTL": (client) => {
    const headers = new NatsHeaders([["Nats-TTL", "1s"]]);
    return client.publish("orders.a", "x", { headers });
  },
});

refuses("RabbitMQ", () => rabbitmq(), {
  "x-queue-type stream": async (client) => {
    const channel = await (await client.connect("amqp://localhost")).createChannel();
    return channel.assertQueue("own", { arguments: { "x-queue-type": "stream" } });
  },
  "an x-message-ttl of 0": async (client) => {
    const channel = await (await client.connect("amqp://localhost")).createChannel();
    return channel.assertQueue("own", { messageTtl: 0 });
  },
  "direct replies": async (client) => {
    const channel = await (await client.connect("amqp://localhost")).createChannel();
    return channel.consume("amq.rabbitmq.reply-to", () => undefined);
  },
  "connection.updateSecret()": async (client) =>
    (await client.connect("amqp://localhost")).updateSecret(Buffer.from("x"), "y"),
});

refuses("Pub/Sub", () => pubsub(), {
  "subscription() with allowExcessMessages": (client) =>
    client.subscription("orders", { flowControl: { allowExcessMessages: true } }),
  "topic.publisher": (client) => client.topic("orders").publisher,
  "PubSub.auth": (client) => client.auth,
  "PubSub.api": (client) => client.api,
});

/** Statements that PostgreSQL takes, by what the model says that it does not have of them. */
const STATEMENTS: Readonly<Record<string, string>> = {
  "DO UPDATE ... WHERE":
    "INSERT INTO outbox (id, key) VALUES (1, 'k') ON CONFLICT (id) DO UPDATE SET key = 'k' WHERE outbox.id = 1",
  "an array as a result": "SELECT '{1,2}'::int[] AS list",
  "the system column xmax": "SELECT xmax = 0 AS fresh FROM outbox",
  "a whole row as a value": "SELECT outbox FROM outbox",
  "the table pg_class": "SELECT relname FROM pg_class",
  'the time "yesterday"': "SELECT 'yesterday'::timestamptz",
  'the time "2020-1-2"': "SELECT '2020-1-2'::timestamptz",
  'the time "20200102"': "SELECT '20200102'::timestamptz",
  'the number "NaN"': "SELECT 'NaN'::float8",
  "a decimal beyond 2^1024": "SELECT 1e400",
  "WITH RECURSIVE": "WITH RECURSIVE a AS (SELECT 1 AS n) SELECT n FROM a",
  "a join": "SELECT id FROM outbox, outbox_dead",
  "DEFAULT as a value": "INSERT INTO outbox (key) VALUES ('k' || DEFAULT)",
  "a bigint beyond 2^53": "SELECT 9007199254740993::bigint",
  "SET work_mem": "SET work_mem = 64",
};

const asked = Object.entries(STATEMENTS).map(
  ([what, sql]) => [what, (pool: PgPool) => pool.query(sql)] as const,
);
refuses("The outbox", () => outbox(), Object.fromEntries(asked));
