import { describe, expect, test } from "vitest";
import type { Pool, PoolClient } from "pg";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { confluentErrorFrom } from "../../sim/brokers/kafka/confluent-errors.ts";
import {
  KafkaJSConnectionError,
  KafkaJSProtocolError,
  KafkaJSRequestTimeoutError,
} from "../../sim/brokers/kafka/kafka-errors.ts";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { aggregatedFrom } from "../../sim/brokers/kinesis/aggregated-record.ts";
import { NatsHeaders } from "../../sim/brokers/nats/headers.ts";
import { outbox } from "../../sim/brokers/outbox/model.ts";
import { nodeRedis, redis } from "../../sim/brokers/redis/model.ts";
import { RedisStream } from "../../sim/brokers/redis/stream.ts";
import { assertWithin } from "../../sim/brokers/sqs/sqs-refusals.ts";
import { sendRefusal } from "../../sim/brokers/sqs/sqs-send.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

type Listener = (...args: never[]) => void;
type Registers = "on" | "once" | "off" | "addListener" | "removeListener" | "prependListener";
interface Emitting extends Record<Registers, (event: string, listener: Listener) => unknown> {
  emit(event: string, ...facts: unknown[]): boolean;
  listenerCount(event: string): number;
}

const EMITTING: readonly (readonly [string, () => BrokerModel<unknown>])[] = [
  ["ioredis", () => redis()],
  ["node-redis", () => nodeRedis()],
];

describe.each(EMITTING)("a client of %s, as an emitter", (_, createModel) => {
  test("returns itself, calls who listens, and no one any more who was taken out", async () => {
    const seen = await new BrokerStage(createModel()).play((given) => {
      const client = given as Emitting;
      const told: unknown[] = [];
      const say = (what: string) => (): void => void told.push(what);
      const [on, once, prepended] = [say("on"), say("once"), say("prepended")];
      const chained = [
        client.on("mine", on),
        client.once("mine", once),
        client.addListener("mine", on),
        client.prependListener("mine", prepended),
      ];
      told.push(client.listenerCount("mine"), client.emit("mine"), client.emit("mine"));
      chained.push(client.off("mine", on), client.removeListener("mine", on));
      told.push(client.emit("mine"), client.off("mine", prepended) === client);
      told.push(client.emit("mine"), client.listenerCount("mine"));
      return Promise.resolve({ isChained: chained.every((one) => one === client), told });
    });
    const first = ["prepended", "on", "once", "on"];
    const told = [...first, "prepended", "on", "on", 4, true, true];
    expect(seen).toEqual({
      isChained: true,
      told: [...told, "prepended", true, true, false, 0],
    });
  });
});

describe("Confluent's client", () => {
  test("refuses what is missing or of another kind, and works on", async () => {
    const seen = await new BrokerStage(confluentKafka()).play(async (client) => {
      const producer = client.producer();
      const unconnected = producer.dependentAdmin();
      const told: unknown[] = [await messageOf(() => unconnected.connect())];
      await producer.connect();
      for (const call of [
        () => producer.connect(),
        () => producer.send(null as never),
        () => producer.sendBatch({ topicMessages: "none" } as never),
        () => producer.sendBatch(undefined as never),
        () => producer.flush({}),
        () => producer.flush(),
      ]) {
        told.push(await messageOf(call));
      }
      told.push(await producer.sendBatch({ topicMessages: null } as never));
      const admin = producer.dependentAdmin();
      await admin.connect();
      const offsets = { groupId: "triggerer", topics: ["orders"], resolveOffsets: true };
      told.push(await messageOf(() => admin.fetchOffsets(offsets)));
      await producer.disconnect();
      told.push(await messageOf(() => producer.send({ topic: "orders", messages: [] })));
      return told;
    });
    expect(seen).toEqual([
      "Underlying client is not connected.",
      "Connect has already been called elsewhere.",
      "The argument passed to send must be an object.",
      "The argument passed to sendbatch must contain 'topicMessages'.",
      "The argument passed to sendBatch must be an object.",
      "timeout must be set for flushing",
      "no error",
      [],
      "resolveOffsets is not yet implemented.",
      "Cannot send without awaiting connect()",
    ]);
  });

  test("a consumer names what it cannot do, and lends its connection to an admin client", async () => {
    const seen = await new BrokerStage(confluentKafka()).play(async (client) => {
      const consumer = client.consumer({ kafkaJS: { groupId: "triggerer" } });
      await consumer.connect();
      await consumer.subscribe({ topics: ["orders"] });
      const admin = consumer.dependentAdmin();
      await admin.connect();
      const at = { topic: 7, partition: 0, offset: "0" };
      const told = [
        await messageOf(() => consumer.subscribe({ topics: [7] } as never)),
        await messageOf(() => consumer.seek(at as never)),
        await messageOf(() => consumer.seek({ ...at, topic: "orders", offset: "-7" })),
        await messageOf(() => consumer.setSaslCredentialProvider()),
        await messageOf(() => consumer.stop()),
        typeof consumer.logger().info,
        (await admin.fetchTopicOffsets("orders")).length > 0,
      ];
      await admin.disconnect();
      await consumer.disconnect();
      return told;
    });
    expect(seen).toEqual([
      "Invalid topic 7, it has to be a String or a RegExp",
      "Topic must be a string.",
      "Offset must be >= 0, or a special value.",
      "Not modelled: consumer.setSaslCredentialProvider(); see brokers.confluentKafka",
      "Not implemented",
      "function",
      true,
    ]);
  });

  test("a paused partition brings nothing that was fetched before, and loses none of it", async () => {
    const stage = new BrokerStage(confluentKafka({ partitions: 2 }));
    const count = 20;
    for (const key of ["key-1", "key-2"]) stage.publish(count, key);
    const seen = await stage.play(async (client, life) => {
      const kafkaJS = { groupId: "triggerer", fromBeginning: true, autoCommit: false };
      const consumer = client.consumer({ kafkaJS });
      await consumer.connect();
      await consumer.subscribe({ topics: ["orders"] });
      const offsets: [number[], number[]] = [[], []];
      await consumer.run({
        eachMessage: ({ partition, message }) => {
          if (offsets.flat().length === 0) consumer.pause([{ topic: "orders" }]);
          offsets[partition as 0 | 1].push(Number(message.offset));
          return Promise.resolve();
        },
      });
      await pass(life, 20_000);
      const whilePaused = offsets.flat().length;
      consumer.resume([{ topic: "orders" }]);
      await pass(life, 20_000);
      await consumer.disconnect();
      return { whilePaused, offsets };
    });
    const offsets = Array.from({ length: count }, (_, at) => at);
    expect(seen).toEqual({ whilePaused: 1, offsets: [offsets, offsets] });
  });

  test("a consumer keeps its place in the group while its handler delays a rebalance", async () => {
    const stage = new BrokerStage(confluentKafka({ partitions: 2 }));
    const handled = await stage.play(async (client, life) => {
      const kafkaJS = { groupId: "triggerer", fromBeginning: true, sessionTimeout: 10_000 };
      const told: string[] = [];
      const start = async (name: string) => {
        const consumer = client.consumer({ kafkaJS });
        await consumer.connect();
        await consumer.subscribe({ topics: ["orders"] });
        await consumer.run({
          async eachMessage({ message }) {
            told.push(`${name} begins ${String(message.key)}`);
            await pass(life, 40_000);
            told.push(`${name} ends`);
          },
        });
        return consumer;
      };
      const slow = await start("slow");
      await pass(life, 10_000);
      stage.publish(1);
      await pass(life, 5_000);
      const other = await start("other");
      await pass(life, 60_000);
      await Promise.all([slow.disconnect(), other.disconnect()]);
      return told;
    });
    expect(handled).toEqual(["slow begins key-1", "slow ends"]);
    expect(stage.told("lapsed", ({ consumer }) => consumer)).toEqual([]);
  });

  test("a client that finds no cluster says why, and stays unconnected", async () => {
    for (const name of ["producer", "consumer"] as const) {
      const stage = new BrokerStage(confluentKafka());
      stage.strike("broker.session", { kind: "fail", when: "before" }, 1, 1_000);
      const seen = await stage.play(async (client) => {
        const part =
          name === "producer"
            ? client.producer()
            : client.consumer({ kafkaJS: { groupId: "triggerer" } });
        const found: unknown = await part.connect().catch((error: unknown) => error);
        return [found instanceof Error && found.name.startsWith("KafkaJS"), part.isOpen];
      });
      expect([name, ...seen]).toEqual([name, true, false]);
    }
  });

  test("gives a message up when its time is over, however often it may still try", async () => {
    const stage = new BrokerStage(confluentKafka());
    stage.strike("broker.produce", { kind: "fail", when: "before" }, 1, 1_000);
    const seen = await stage.play(async (client) => {
      const producer = client.producer({ "message.timeout.ms": 4_000, retries: 1_000 } as object);
      await producer.connect();
      const before = stage.world.now;
      const message = await messageOf(() =>
        producer.send({ topic: "orders", messages: [{ value: "{}" }] }),
      );
      return [message, stage.world.now - before < 9_000];
    });
    expect(seen).toEqual(["Local: Message timed out", true]);
  });

  test("names the failures of requests as librdkafka does", () => {
    const causes = [
      new KafkaJSRequestTimeoutError("slow"),
      new KafkaJSConnectionError("gone"),
      new KafkaJSProtocolError("UNKNOWN_MEMBER_ID"),
      new Error("odd"),
      "text",
    ];
    const errors = causes.map(confluentErrorFrom);
    expect(errors.map(({ name, type }) => [name, type])).toEqual([
      ["KafkaJSTimeout", "ERR__TIMED_OUT"],
      ["KafkaJSConnectionError", "ERR__TRANSPORT"],
      ["KafkaJSProtocolError", "ERR_UNKNOWN_MEMBER_ID"],
      ["KafkaJSError", "ERR_UNKNOWN"],
      ["KafkaJSError", "ERR_UNKNOWN"],
    ]);
    expect(errors.slice(3).map(({ message }) => message)).toEqual(["odd", "text"]);
    for (const error of errors) expect(confluentErrorFrom(error)).toBe(error);
  });
});

async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return "no error";
  } catch (error) {
    return (error as Error).message;
  }
}

test("a pool lends the connection that came back last", async () => {
  const stage = new BrokerStage(outbox()) as unknown as BrokerStage<Pool>;
  const seen = await stage.play(async (pool) => {
    // A session may take its own advisory lock again, and nobody else's.
    const locks = async (client: PoolClient, at: number): Promise<unknown> => {
      const { rows } = await client.query<{ readonly locked: boolean }>(
        "SELECT pg_try_advisory_lock($1) AS locked",
        [at],
      );
      return rows[0]?.locked;
    };
    const lent = [await pool.connect(), await pool.connect(), await pool.connect()];
    for (const [at, client] of lent.entries()) await locks(client, at);
    for (const client of lent) client.release();
    const again: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      const client = await pool.connect();
      for (const at of lent.keys()) if ((await locks(client, at)) === true) again.push(at);
    }
    return again;
  });
  expect(seen).toEqual([2, 1, 0]);
});

test("a stream of Redis knows the highest id that was deleted, and no other", () => {
  const stream = new RedisStream();
  const ids = [1, 2, 3, 4].map((at) => stream.add(at, ["a", "1"], undefined, `${at}-0`).id);
  const seen = (["4-0", "2-0", "3-0", "9-0"] as const).map((id) => {
    stream.remove(id, id === "4-0" ? "trimmed" : "deleted");
    return stream.maxDeletedId;
  });
  expect([ids.length, ...seen]).toEqual([4, "0-0", "2-0", "3-0", "3-0"]);
  stream.remove("1-0", "deleted");
  expect(stream.maxDeletedId).toBe("3-0");
});

test.each([1, 127, 128, 300, 16_384])(
  "a user record of %i bytes stands in an aggregated one behind its length",
  (length) => {
    const data = new Uint8Array(length).fill(7);
    const bytes = aggregatedFrom([
      {
        ...{ partitionKey: "k", data, sequenceNumber: "1", subSequenceNumber: 0 },
        ...{ ref: undefined, arrivedAt: 0 },
      },
    ]);
    const at = bytes.findIndex((byte, n) => byte === 7 && bytes[n + length - 1] === 7);
    const lengths: number[] = [];
    for (let n = at - 1; lengths.length === 0 || (bytes[n] ?? 0) >= 0x80; n -= 1) {
      lengths.push((bytes[n] ?? 0) & 0x7f);
    }
    expect(lengths.reduce((sum, low) => sum * 128 + low, 0)).toBe(length);
  },
);

test("headers of a message of NATS tell what is there", () => {
  const headers = new NatsHeaders([["a", " 1 "]]);
  headers.append("a", "2");
  const told = [headers.has("a"), headers.has("A"), headers.get("a"), headers.last("a")];
  expect([...told, headers.get("b"), headers.keys()]).toEqual([true, false, "1", "2", "", ["a"]]);
  headers.set("a", "3");
  expect(headers.values("a")).toEqual(["3"]);
  headers.delete("a");
  expect([headers.has("a"), [...headers]]).toEqual([false, []]);
  expect(() => headers.has("a", "insensitive")).toThrow("Not modelled");
});

const BODY = { MessageBody: "x" };
const OF_QUEUE = "Reason: The request include parameter that is not valid for this queue type.";

test.each([
  [false, {}, "The request must contain the parameter MessageBody."],
  [true, BODY, "The request must contain the parameter MessageGroupId."],
  [
    true,
    { ...BODY, MessageGroupId: "g", DelaySeconds: 1 },
    `Value 1 for parameter DelaySeconds is invalid. ${OF_QUEUE}`,
  ],
  [
    false,
    { ...BODY, MessageDeduplicationId: "d" },
    `Value d for parameter MessageDeduplicationId is invalid. ${OF_QUEUE}`,
  ],
  [
    false,
    { ...BODY, MessageAttributes: { a: { StringValue: "1" } } },
    "Message (user) attribute 'a' must contain a non-empty attribute type.",
  ],
  [true, { ...BODY, MessageGroupId: "g", DelaySeconds: 0 }, undefined],
])("SQS, FIFO %s, refuses %j", (isFifo, input, message) => {
  expect(sendRefusal(isFifo, input as never)?.message).toBe(message);
});

test("SQS refuses a number that is too large, or too small", () => {
  const refusal = (value: unknown): unknown => {
    try {
      assertWithin("MaxNumberOfMessages", value as number, 1, 10);
      return "no error";
    } catch (error) {
      const { name, message } = error as Error;
      return `${name}: ${message}`.split(" ").slice(0, 2).join(" ");
    }
  };
  expect([1, 10, 11, 0].map(refusal)).toEqual(["no error", "no error", refusal(12), refusal(-1)]);
  expect(String(refusal(11))).not.toContain("no error");
});

test("SQS counts attributes towards the size of a message", () => {
  const refusal = (bodyBytes: number, attribute: object): string | undefined =>
    sendRefusal(false, {
      MessageBody: "x".repeat(bodyBytes),
      MessageAttributes: { a: attribute },
    } as never)?.message;
  const tooLong =
    "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.";
  const text = { DataType: "String", StringValue: "1" };
  const bytes = { DataType: "Binary", BinaryValue: new Uint8Array(1) };
  const seen = [text, bytes].map((one) => [refusal(1_048_568, one), refusal(1_048_569, one)]);
  expect(seen).toEqual([
    [undefined, tooLong],
    [undefined, tooLong],
  ]);
});
