// An option that a model would have to ignore is refused by its name.
import * as kinesisSdk from "@aws-sdk/client-kinesis";
import * as sqsSdk from "@aws-sdk/client-sqs";
import { httpFeed } from "../../sim/brokers/http-feed/model.ts";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { mqtt } from "../../sim/brokers/mqtt/model.ts";
import { nats } from "../../sim/brokers/nats/model.ts";
import { outbox } from "../../sim/brokers/outbox/model.ts";
import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { nodeRedis, redis } from "../../sim/brokers/redis/model.ts";
import { sqs } from "../../sim/brokers/sqs/sqs-broker.ts";
import { testUnknownOptions } from "./unknown-options.ts";

const X = { nothing: 1 };
const URL = "mqtt://localhost";
const bytes = Buffer.from("x");

testUnknownOptions([
  [
    "nodeRedis",
    nodeRedis(),
    [
      ["a count with nothing", (c) => c.xRange("orders", "-", "+", X)],
      ["xReadGroup() with nothing", (c) => c.xReadGroup("g", "a", { key: "orders", id: ">" }, X)],
      ["xClaim() with nothing", (c) => c.xClaim("orders", "triggerer", "a", 0, "1-1", X)],
      ["xPendingRange() with nothing", (c) => c.xPendingRange("orders", "g", "-", "+", 5, X)],
      ["xTrim() with nothing", (c) => c.xTrim("orders", "MAXLEN", 5, X)],
      ["xAdd() with nothing", (c) => c.xAdd("orders", "*", { a: "b" }, X)],
      ["xAdd() with TRIM with nothing", (c) => c.xAdd("orders", "*", { a: "b" }, { TRIM: X })],
      ["RedisClient.duplicate() with options", (c) => c.duplicate({})],
    ],
  ],
  [
    "redis",
    redis(),
    [
      ["Redis.options", (c) => c.options],
      ["XGROUP HELP", (c) => c.xgroup("HELP")],
    ],
  ],
  [
    "mqtt",
    mqtt(),
    [
      ["connect() with nothing", (c) => c.connect(URL, X)],
      ["connect() with properties with nothing", (c) => c.connect(URL, { properties: X })],
      ["protocol version 3", (c) => c.connect(URL, { protocolVersion: 3 })],
      ["publish() with nothing", (c) => c.connect(URL).publish("a", "b", X)],
      [
        "publish() with properties with nothing",
        (c) => c.connect(URL).publish("a", "b", { properties: X }),
      ],
      ["publish() to a topic without a name", (c) => c.connect(URL).publish("", "b")],
      [
        "publish() with a list as contentType",
        (c) => c.connect(URL).publish("a", "b", { properties: { contentType: ["x"] } }),
      ],
      [
        "publish() to a topic above 65,535 bytes",
        (c) => c.connect(URL).publish("x".repeat(65_536), "b"),
      ],
      [
        "publish() with a qos that is no number",
        (c) => c.connect(URL).publish("a", "b", { qos: "1" }),
      ],
      ["subscribe() with nothing", (c) => c.connect(URL).subscribe("a", { qos: 1, nothing: 1 })],
      [
        "subscribe() with properties with nothing",
        (c) => c.connect(URL).subscribe("a", { qos: 1, properties: X }),
      ],
      ["unsubscribe() with nothing", (c) => c.connect(URL).unsubscribe("a", X)],
      ["reconnect() with stores", (c) => c.connect(URL).reconnect({})],
    ],
  ],
  [
    "sqs",
    sqs(),
    [
      [
        "ReceiveMessage with nothing",
        (c) => c.send(new sqsSdk.ReceiveMessageCommand({ QueueUrl: "orders", ...X })),
      ],
      [
        "SendMessage with nothing",
        (c) => c.send(new sqsSdk.SendMessageCommand({ QueueUrl: "o", MessageBody: "x", ...X })),
      ],
      [
        "send() with nothing",
        (c) => c.send(new sqsSdk.ReceiveMessageCommand({ QueueUrl: "orders" }), X),
      ],
    ],
  ],
  [
    "kinesis",
    kinesis(),
    [
      [
        "ListShards with nothing",
        (c) => c.client.send(new kinesisSdk.ListShardsCommand({ StreamName: "orders", ...X })),
      ],
      [
        "PutRecords with nothing",
        (c) => {
          const Records = [{ PartitionKey: "1", Data: bytes, nothing: "1" }];
          return c.client.send(new kinesisSdk.PutRecordsCommand({ StreamName: "dead", Records }));
        },
      ],
      [
        "reading another stream than the workload's",
        (c) => c.client.send(new kinesisSdk.ListShardsCommand({ StreamName: "another" })),
      ],
      [
        "ListShards with the filter FROM_TIMESTAMP",
        (c) => {
          const ShardFilter = { Type: "FROM_TIMESTAMP" } as const;
          const input = { StreamName: "orders", ShardFilter };
          return c.client.send(new kinesisSdk.ListShardsCommand(input));
        },
      ],
    ],
  ],
  [
    "pubsub",
    pubsub(),
    [
      ["PubSub.topic() with nothing", (c) => c.topic("dead", X)],
      ["PubSub.auth", (c) => c.auth],
      ["PubSub.api", (c) => c.api],
      ["topic.publisher", (c) => c.topic("dead").publisher],
      [
        "publishMessage() with nothing",
        (c) => c.topic("dead").publishMessage({ data: bytes, ...X }),
      ],
      ["subscription() with nothing", (c) => c.subscription("orders", X)],
      [
        "subscription() with flowControl with nothing",
        (c) => c.subscription("orders", { flowControl: X }),
      ],
      [
        "subscription() with closeOptions with nothing",
        (c) => c.subscription("orders", { closeOptions: X }),
      ],
    ],
  ],
  [
    "nats",
    nats(),
    [
      ["publish() with nothing", (c) => c.publish("dead.orders", "x", X)],
      [
        "publish() with expectations with nothing",
        (c) => c.publish("dead.orders", "x", { expect: X }),
      ],
      ["an ordered consumer", (c) => c.consumers.get("ORDERS")],
      [
        "streams.info() with nothing",
        async (c) => (await c.jetstreamManager()).streams.info("ORDERS", X),
      ],
      [
        "streams.add() with nothing",
        async (c) => (await c.jetstreamManager()).streams.add({ name: "A", ...X }),
      ],
      [
        "consumers.add() with options with nothing",
        async (c) => (await c.jetstreamManager()).consumers.add("ORDERS", { durable_name: "a" }, X),
      ],
      [
        "consumers.add() with nothing",
        async (c) =>
          (await c.jetstreamManager()).consumers.add("ORDERS", { durable_name: "a", ...X }),
      ],
      [
        "consume() with nothing",
        async (c) => (await c.consumers.get("ORDERS", "triggerer")).consume(X),
      ],
      [
        "fetch() with nothing",
        async (c) => (await c.consumers.get("ORDERS", "triggerer")).fetch(X),
      ],
      ["next() with nothing", async (c) => (await c.consumers.get("ORDERS", "triggerer")).next(X)],
      [
        "fetch() with an idle_heartbeat of over half of expires",
        async (c) => {
          const consumer = await c.consumers.get("ORDERS", "triggerer");
          return consumer.fetch({ expires: 4_000, idle_heartbeat: 2_001 });
        },
      ],
    ],
  ],
  [
    "httpFeed",
    httpFeed(),
    [
      ["fetch() with nothing", (c) => c.fetch("https://feed.example/events", X)],
      [
        "a Request with a body",
        (c) =>
          c.fetch(new Request("https://feed.example/dead-letters", { method: "POST", body: "{}" })),
      ],
      [
        "a body that is neither text nor bytes",
        (c) =>
          c.fetch("https://feed.example/dead-letters", { method: "POST", body: new FormData() }),
      ],
    ],
  ],
  [
    "rabbitmq",
    rabbitmq(),
    [
      [
        "connection.updateSecret()",
        async (c) => (await c.connect("amqp://x")).updateSecret(bytes, ""),
      ],
      [
        "consume() with x-more",
        async (c) => {
          const channel = await (await c.connect("amqp://x")).createChannel();
          return channel.consume("orders", () => undefined, { arguments: { "x-more": 1 } });
        },
      ],
      [
        "consume() with a priority that is no integer",
        async (c) => {
          const channel = await (await c.connect("amqp://x")).createChannel();
          return channel.consume("orders", () => undefined, { priority: 1.5 });
        },
      ],
      [
        "direct replies",
        async (c) => {
          const channel = await (await c.connect("amqp://x")).createChannel();
          return channel.consume("amq.rabbitmq.reply-to", () => undefined, { noAck: true });
        },
      ],
      [
        "x-queue-type stream",
        async (c) => {
          const channel = await (await c.connect("amqp://x")).createChannel();
          return channel.assertQueue("s", { arguments: { "x-queue-type": "stream" } });
        },
      ],
      [
        "an x-message-ttl of 0",
        async (c) => {
          const channel = await (await c.connect("amqp://x")).createChannel();
          return channel.assertQueue("s", { messageTtl: 0 });
        },
      ],
    ],
  ],
  [
    "outbox",
    outbox(),
    [
      ["query() with nothing", (c) => c.query({ text: "SELECT 1", ...X })],
      ['Pool.on("drain")', (c) => c.on("drain", () => undefined)],
    ],
  ],
]);
