import { describe, expect, test } from "vitest";
import {
  assertAdminConfig,
  assertCommonConfig,
  type ConfluentConfig,
  consumerSettings,
  mergedConfig,
  producerSettings,
} from "../../sim/brokers/kafka/confluent-settings.ts";
import { outcomeOf } from "./observed/observation.ts";

type Block = Readonly<Record<string, unknown>>;

/** A configuration with a block as of kafkajs, and properties of librdkafka beside it. */
function config(block?: Block, properties: Block = {}): ConfluentConfig {
  return { ...(block === undefined ? {} : { kafkaJS: block }), ...properties };
}

const GROUP = { groupId: "g" };
const RANGES = { "partition.assignment.strategy": "roundrobin" };

const AS_KAFKAJS = {
  ...{ groupId: "g", sessionMs: 30_000, heartbeatMs: 3_000, maxPollMs: 600_000 },
  ...{ resetTo: "end", isAutoCommit: true, autoCommitMs: 5_000, batchMax: 32, cacheMs: 1_500 },
};

describe("a consumer's configuration comes to", () => {
  test("the defaults of kafkajs with its block, and those of librdkafka without", () => {
    expect(consumerSettings(config(GROUP))).toEqual(AS_KAFKAJS);
    const plain = consumerSettings(config(undefined, { ...RANGES, "group.id": "g" }));
    expect(plain).toEqual({ ...AS_KAFKAJS, sessionMs: 45_000 });
    expect(consumerSettings(config({}, { ...RANGES, "group.id": "g" }))).toEqual(plain);
  });

  test("what it says, of which the property takes precedence over the block", () => {
    const block = {
      ...{ groupId: "g", sessionTimeout: 20_000, heartbeatInterval: 2_000, autoCommit: false },
      ...{ rebalanceTimeout: 50_000, autoCommitInterval: 700, fromBeginning: true },
      ...{ partitionAssigners: ["roundrobin"], brokers: ["localhost:9092"], minBytes: 5 },
    };
    const ofBlock = {
      ...{ groupId: "g", sessionMs: 20_000, heartbeatMs: 2_000, maxPollMs: 100_000 },
      ...{ resetTo: "beginning", isAutoCommit: false, autoCommitMs: 700 },
      ...{ batchMax: 32, cacheMs: 1_500 },
    };
    expect(consumerSettings(config(block))).toEqual(ofBlock);
    const rebalance_cb = (): void => undefined;
    const properties = {
      ...{ "group.id": "h", "session.timeout.ms": 1, "heartbeat.interval.ms": 2 },
      ...{ "max.poll.interval.ms": 3, "auto.offset.reset": "latest", "enable.auto.commit": true },
      ...{ "auto.commit.interval.ms": 4, "js.consumer.max.batch.size": -1 },
      ...{ "js.consumer.max.cache.size.per.worker.ms": "5", rebalance_cb },
    };
    expect(consumerSettings(config(block, properties))).toEqual({
      ...{ groupId: "h", sessionMs: 1, heartbeatMs: 2, maxPollMs: 6, resetTo: "end" },
      ...{ isAutoCommit: true, autoCommitMs: 4, batchMax: -1, cacheMs: 5 },
      rebalanceCb: rebalance_cb,
    });
  });

  test.each([
    ["earliest", "beginning"],
    ["beginning", "beginning"],
    ["smallest", "beginning"],
    ["latest", "end"],
    ["end", "end"],
    ["largest", "end"],
  ])("auto.offset.reset %s", (reset, resetTo) => {
    const given = config({ ...GROUP, fromBeginning: true }, { "auto.offset.reset": reset });
    expect(consumerSettings(given).resetTo).toBe(resetTo);
  });
});

const AS_LIBRDKAFKA = {
  ...{ isIdempotent: false, retries: 2_147_483_647, firstRetryMs: 100, retryMaxMs: 1_000 },
  ...{ timeoutMs: 300_000, isMurmur: false },
};

describe("a producer's configuration comes to", () => {
  test("the defaults of kafkajs with its block, and those of librdkafka without", () => {
    expect(producerSettings(config())).toEqual(AS_LIBRDKAFKA);
    const block = { retries: 5, firstRetryMs: 300, retryMaxMs: 30_000, isMurmur: true };
    expect(producerSettings(config({ acks: -1 }))).toEqual({ ...AS_LIBRDKAFKA, ...block });
  });

  test("what it says", () => {
    const retry = { retries: 2, initialRetryTime: 10, maxRetryTime: 40 };
    expect(producerSettings(config({ retry, idempotent: true }))).toEqual({
      ...{ isIdempotent: true, retries: 2, firstRetryMs: 10, retryMaxMs: 40 },
      ...{ timeoutMs: 300_000, isMurmur: true },
    });
    const properties = {
      ...{ acks: "all", "enable.idempotence": true, retries: 3, "message.timeout.ms": "900" },
      partitioner: "murmur2_random",
    };
    expect(producerSettings(config(undefined, properties))).toEqual({
      ...AS_LIBRDKAFKA,
      ...{ isIdempotent: true, retries: 3, timeoutMs: 900, isMurmur: true },
    });
    const others = { "message.send.max.retries": 4, partitioner: "consistent_random" };
    const other = producerSettings(config({ acks: -1 }, others));
    expect([other.retries, other.isMurmur]).toEqual([4, false]);
  });
});

const ofGroup = (block: Block, properties?: Block): (() => unknown) => {
  return () => consumerSettings(config({ ...GROUP, ...block }, properties));
};
type Refused = readonly [call: () => unknown, type: string, message: string];
const REFUSED: readonly Refused[] = [
  [
    ofGroup({ autoCommitThreshold: 5 }),
    ...([
      "ERR__NOT_IMPLEMENTED",
      "The property 'autoCommitThreshold' is not supported by run.",
    ] as const),
  ],
  [
    ofGroup({}, { "enable.auto.offset.store": false }),
    ...(["ERR__INVALID_ARG", "Changing 'enable.auto.offset.store' is unsupported."] as const),
  ],
  [
    ofGroup({ partitionAssigners: "roundrobin" }),
    ...(["ERR__INVALID_ARG", "partitionAssignors must be a list of strings."] as const),
  ],
  ...[0, -2, 1.5, "many"].map(
    (max) =>
      [
        ofGroup({}, { "js.consumer.max.batch.size": max }),
        "ERR__INVALID_ARG",
        "'js.consumer.max.batch.size' must be a positive integer or -1 for unlimited batch size.",
      ] as const,
  ),
  ...[0, -1, 0.5].map(
    (ms) =>
      [
        ofGroup({}, { "js.consumer.max.cache.size.per.worker.ms": ms }),
        "ERR__INVALID_ARG",
        "'js.consumer.max.cache.size.per.worker.ms' must be a positive integer.",
      ] as const,
  ),
  [ofGroup({ nothing: 1 }), "ERR__INVALID_ARG", "The 'nothing' property is not supported."],
  [
    () => producerSettings(config({ createPartitioner: () => 0 })),
    ...([
      "ERR__NOT_IMPLEMENTED",
      "The 'createPartitioner' property is not supported yet.",
    ] as const),
  ],
  [
    () => producerSettings(config(GROUP)),
    ...(["ERR__INVALID_ARG", "The 'groupId' property is not supported."] as const),
  ],
  [
    () => assertAdminConfig(config({ acks: -1 })),
    ...(["ERR__INVALID_ARG", "The 'acks' property is not supported."] as const),
  ],
  [
    () => assertCommonConfig({ brokers: ["localhost:9092"] } as ConfluentConfig),
    "ERR_UNKNOWN",
    "The 'brokers' property seems to be a KafkaJS property in the main config block." +
      "It must be moved to the kafkaJS block.",
  ],
  [
    () => mergedConfig({}, { ...GROUP } as ConfluentConfig, "consumer"),
    "ERR_UNKNOWN",
    "The 'groupId' property seems to be a KafkaJS property in the main config block. " +
      "It must be moved to the kafkaJS block.",
  ],
];

test.each(REFUSED)("the library refuses a configuration: %#", async (call, type, message) => {
  expect(await outcomeOf(call)).toMatchObject({ type, message });
});

const NOT_MODELLED: readonly (readonly [call: () => unknown, what: string])[] = [
  [() => consumerSettings(config({ groupId: true })), "a group whose name is no text"],
  [ofGroup({}, { "group.protocol": "consumer" }), "the group protocol consumer"],
  [ofGroup({}, { "auto.offset.reset": "error" }), "auto.offset.reset error"],
  [ofGroup({}, { "fetch.error.backoff.ms": 1 }), "the property fetch.error.backoff.ms"],
  [
    () => consumerSettings(config(undefined, { "group.id": "g" })),
    "partitions assigned by range,roundrobin and not by roundrobin",
  ],
  [
    ofGroup({ partitionAssignors: ["range", "roundrobin"] }),
    "partitions assigned by range,roundrobin and not by roundrobin",
  ],
  [() => producerSettings(config({ transactionalId: "t" })), "transactions of a producer"],
  [() => producerSettings(config({ acks: 1 })), "a producer with acks other than all"],
  [
    () => producerSettings(config(undefined, { "request.required.acks": 0 })),
    "a producer with acks other than all",
  ],
  [() => producerSettings(config({}, { partitioner: "random" })), "the partitioner random"],
  [() => producerSettings(config({}, { "group.id": "g" })), "the property group.id"],
  [() => assertAdminConfig(config({}, { "group.id": "g" })), "the property group.id"],
];

test.each(NOT_MODELLED)("the model refuses a configuration by name: %#", async (call, what) => {
  const message = `Not modelled: ${what}; see brokers.confluentKafka`;
  expect(await outcomeOf(call)).toMatchObject({ name: "NotModelled", message });
});

test("a client's configuration is that of Kafka with its own, which takes precedence", () => {
  const common = { kafkaJS: { clientId: "c", logLevel: 1 }, debug: "all" } as ConfluentConfig;
  const own = { kafkaJS: { logLevel: 2 }, acks: "all", "linger.ms": 5 } as ConfluentConfig;
  const merged = {
    ...{ kafkaJS: { clientId: "c", logLevel: 2 }, debug: "all" },
    ...{ acks: "all", "linger.ms": 5 },
  };
  for (const kind of ["producer", "consumer", "admin"] as const) {
    expect(mergedConfig(common, own, kind)).toEqual(merged);
  }
  expect(() => assertCommonConfig(common)).not.toThrow();
  expect(() => assertAdminConfig({ ...common, "linger.ms": 5 } as ConfluentConfig)).not.toThrow();
});
