import { describe, expect, test } from "vitest";
import type { EventHubsOptions } from "../../sim/brokers/event-hubs/model.ts";
import type { HttpFeedOptions } from "../../sim/brokers/http-feed/model.ts";
import type { KafkaOptions } from "../../sim/brokers/kafka/kafka-model.ts";
import type { KinesisOptions } from "../../sim/brokers/kinesis/model.ts";
import type { MqttServerOptions } from "../../sim/brokers/mqtt/model.ts";
import type { NatsOptions } from "../../sim/brokers/nats/model.ts";
import type { OutboxOptions } from "../../sim/brokers/outbox/model.ts";
import type { PubSubOptions } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import type { RabbitmqOptions } from "../../sim/brokers/rabbitmq/model.ts";
import type { RedisOptions } from "../../sim/brokers/redis/model.ts";
import type { ServiceBusOptions } from "../../sim/brokers/service-bus/service-bus-broker.ts";
import type { SqsOptions } from "../../sim/brokers/sqs/sqs-broker.ts";
import { brokerFlagsText, brokerModelFrom, brokerOptionsHelp } from "../../sim/cli/broker-flags.ts";
import { parseScenario } from "../../sim/mod.ts";
import { brokerFrom, brokerSpecOf } from "../../sim/worlds/producer/broker-spec.ts";
import type { BROKER_OPTIONS } from "../../sim/worlds/producer/broker-options.ts";

type Samples<Options> = { readonly [Name in keyof Required<Options>]: Required<Options>[Name] };

/** A value for every option; an option that a model gets and that is missing here does not compile. */
const EVENT_HUBS: Samples<EventHubsOptions> = {
  eventHub: "mine",
  consumerGroup: "mine",
  partitions: 5,
};
const HTTP_FEED: Samples<HttpFeedOptions> = {
  waitSecondsMax: 90,
  gatewayTimeoutSeconds: 45,
  pageMax: 7,
};
const KAFKA: Samples<KafkaOptions> = { partitions: 7 };
const KINESIS: Samples<KinesisOptions> = {
  stream: "mine",
  shards: 5,
  leaseMs: 7_000,
  deadLetterStreams: ["dead-orders"],
};
const MQTT: Samples<MqttServerOptions> = {
  topic: "mine",
  deadLetterTopic: "mine/dead",
  qos: 1,
  maxInflightMessages: 5,
};
const NATS: Samples<NatsOptions> = {
  stream: "MINE",
  consumer: "mine",
  ackPolicy: "all",
  ackWaitMs: 7_000,
  maxDeliver: 4,
  maxAckPending: 9,
};
const OUTBOX: Samples<OutboxOptions> = {
  table: "mine",
  deadLetterTable: "mine_dead",
  leaseMs: 45_000,
};
const PUBSUB: Samples<PubSubOptions> = {
  orderingKeys: true,
  exactlyOnceDelivery: true,
  maxDeliveryAttempts: 6,
  topic: "mine",
  subscription: "my-own",
  deadLetterTopics: ["dead-orders"],
};
const RABBITMQ: Samples<RabbitmqOptions> = {
  queue: "mine",
  deadLetterQueue: "mine.dead",
  hasDeadLetterPolicy: true,
  consumerTimeoutMs: 60_000,
};
const REDIS: Samples<RedisOptions> = { stream: "mine", group: "mine", majorVersion: 6 };
const SERVICE_BUS: Samples<ServiceBusOptions> = { lockDurationSeconds: 45, maxDeliveryCount: 3 };
const SQS: Samples<SqsOptions> = {
  visibilityTimeoutSeconds: 45,
  maxReceiveCount: 3,
  inFlightSecondsMax: 900,
  queue: "mine",
  deadLetterQueues: ["mine-dead"],
};
const SAMPLES: { readonly [Kind in keyof typeof BROKER_OPTIONS]: object } = {
  "event-hubs": EVENT_HUBS,
  "http-feed": HTTP_FEED,
  kafka: KAFKA,
  "confluent-kafka": KAFKA,
  kinesis: KINESIS,
  mqtt: MQTT,
  nats: NATS,
  outbox: OUTBOX,
  rabbitmq: RABBITMQ,
  redis: REDIS,
  "node-redis": REDIS,
  pubsub: PUBSUB,
  "service-bus": SERVICE_BUS,
  "service-bus-sessions": SERVICE_BUS,
  sqs: SQS,
  "sqs-fifo": SQS,
};

const ROWS = Object.entries(SAMPLES).flatMap(([kind, options]) =>
  Object.entries(options).map(([name, value]) => ({ kind, name, value: value as unknown })),
);

/** Returns the scenario of a producer on a broker that the text sets up. */
function specInFile(broker: string): unknown {
  const text = `{ story: Mine, world: producer, broker: ${broker}, subscribers: [{ subscriber: 1 }] }`;
  const scenario = parseScenario(text, "mine");
  return scenario.world === "producer" ? brokerSpecOf(brokerFrom(scenario.broker)) : undefined;
}

describe("each option of each model", () => {
  test.each(ROWS)("$kind $name arrives from the command line and from a file", (row) => {
    const { kind, name, value } = row;
    const expected = { [kind]: { [name]: value } };
    const text = Array.isArray(value) ? JSON.stringify(value) : String(value);
    const model = brokerModelFrom({ broker: kind, brokerOption: [`${name}=${text}`] });
    expect(model === undefined ? undefined : brokerSpecOf(model)).toEqual(expected);
    expect(specInFile(JSON.stringify(expected))).toEqual(expected);
  });

  test.each(ROWS)("$kind $name is refused with a value of another type", ({ kind, name }) => {
    const flags = { broker: kind, brokerOption: [`${name}=[1, 2]`] };
    const said = new RegExp(
      `^Cannot set up the broker "${kind}" at ${name}(\\[0\\])?: expected .*, found `,
    );
    expect(() => brokerModelFrom(flags)).toThrow(said);
    expect(() => specInFile(`{ ${kind}: { ${name}: [1, 2] } }`)).toThrow(`broker.${kind}.${name}`);
  });

  test.each(ROWS)("$kind $name is in the help", ({ kind, name }) => {
    const row = brokerOptionsHelp()
      .split("\n")
      .find((line) => line.trim().split(/\s+/)[0] === kind);
    expect(row?.split(/[\s,]+/)).toContain(name);
  });
});

describe("brokerModelFrom()", () => {
  test("takes several options, and the name that code uses", () => {
    const brokerOption = ["lockDurationSeconds=60", "maxDeliveryCount=4"];
    const { name, spec } = brokerModelFrom({ broker: "serviceBusSessions", brokerOption }) ?? {};
    expect([name, spec]).toEqual([
      "service-bus-sessions",
      { "service-bus-sessions": { lockDurationSeconds: 60, maxDeliveryCount: 4 } },
    ]);
  });

  test.each([
    ["an unknown option", ["partition=6"], 'there is no option "partition"; there are partitions'],
    ["an option without a value", ["partitions"], "expected name=value, such as partitions=6"],
    ["an option twice", ["partitions=6", "partitions=7"], '"partitions" comes twice'],
    ["a number that is too small", ["partitions=0"], "at partitions: expected"],
    ["a value that is no YAML", ["partitions=[1"], 'Cannot use "partitions=[1" as'],
  ])("refuses %s", (_what, brokerOption, words) => {
    expect(() => brokerModelFrom({ broker: "kafka", brokerOption })).toThrow(words);
  });

  test("refuses options without a broker", () => {
    const flags = { brokerOption: ["partitions=6"] };
    expect(() => brokerModelFrom(flags)).toThrow("Cannot use --broker-option without --broker");
    expect(brokerModelFrom({})).toBeUndefined();
  });

  test("refuses a lock that the model does not take", () => {
    const flags = { broker: "service-bus", brokerOption: ["lockDurationSeconds=301"] };
    expect(() => brokerModelFrom(flags)).toThrow(
      /at lockDurationSeconds: expected .*300.*, found 301/,
    );
  });
});

test("brokerFlagsText() quotes what a shell would take apart", () => {
  const brokerOption = ["partitions=6", "queue=it's mine"];
  expect(brokerFlagsText({ broker: "kafka", brokerOption })).toBe(
    String.raw` --broker kafka --broker-option partitions=6 --broker-option 'queue=it'\''s mine'`,
  );
});
