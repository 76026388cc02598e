import type { Duration } from "@google-cloud/pubsub";
import type { PubSubMessage } from "../../../sim/brokers/pubsub/pubsub-message.ts";
import {
  arrived,
  NO_EXTENSION,
  type PubSubObservation,
  reading,
  refOf,
  refsOf,
  seconds,
  SETTLED_MS,
} from "./pubsub-stage.ts";

const LEASE_MS = 10_000;
const LEASE_OVER_MS = 11_500;

/** A time has parts below the millisecond, which one of a run has not. */
function timeOf(time: PubSubMessage["publishTime"]): unknown {
  const text = time.toISOString();
  const { seconds, nanos } = time.toStruct();
  const digits = `${seconds}${String(nanos).padStart(9, "0")}`;
  return {
    name: time.constructor.name,
    isFine: /\.\d{9}Z$/.test(text) && JSON.stringify({ time }).includes(text),
    isSame: time.getFullTimeString() === digits && String(time.getFullTime()) === digits,
    seconds: seconds === Math.floor(time.getTime() / 1_000),
    tuple: String(time.toTuple()) === String([seconds, nanos]),
    places: [time.getMicroseconds(), time.getNanoseconds(), time.getPicoseconds()].map(
      (place) => typeof place,
    ),
  };
}

/** What a message has but for what the library keeps to itself. */
function shapeOf(message: PubSubMessage): unknown {
  const { data, attributes, orderingKey, deliveryAttempt, length, publishTime } = message;
  const keys = ["ackId", "attributes", "data", "deliveryAttempt", "id", "orderingKey"] as const;
  const types = keys.map((key) => `${key} ${typeof message[key]}`);
  return {
    types,
    text: data.toString(),
    isBytes: data instanceof Uint8Array,
    attributes,
    orderingKey,
    deliveryAttempt,
    length,
    isDate: publishTime instanceof Date,
    time: timeOf(publishTime),
    received: typeof message.received,
    isLater: message.received >= publishTime.getTime() - 1,
    isDispatched: message.isDispatched(),
  };
}

/** What comes with messages, and what ends or prolongs their leases. */
export const MESSAGES: readonly PubSubObservation[] = [
  {
    name: "what a message has",
    async play(stage) {
      await stage.publish(1);
      return await reading(stage, async (reader) => {
        const [message] = await arrived(stage, reader, 1);
        return message && shapeOf(message);
      });
    },
    real: {
      types: [
        ...["ackId string", "attributes object", "data object"],
        ...["deliveryAttempt number", "id string", "orderingKey string"],
      ],
      text: '{"ref":"ref-000001","key":"key-1"}',
      isBytes: true,
      attributes: { key: "key-1" },
      orderingKey: "",
      deliveryAttempt: 0,
      length: 34,
      isDate: true,
      time: {
        ...{ name: "PreciseDate", isFine: true, isSame: true, seconds: true, tuple: true },
        places: ["number", "number", "number"],
      },
      received: "number",
      isLater: true,
      isDispatched: true,
    },
  },
  {
    name: "messages stream, also those that are published later",
    async play(stage) {
      await stage.publish(2);
      return await reading(stage, async (reader) => {
        await arrived(stage, reader, 2);
        await stage.publish(3, "key-2");
        const all = await arrived(stage, reader, 5);
        const keys = all.map(({ attributes }) => attributes["key"]);
        return [refsOf(all), new Set(keys).size, new Set(all.map(({ id }) => id)).size];
      });
    },
    real: [[1, 2, 3, 4, 5], 2, 5],
  },
  {
    name: "a nacked message comes again, as the same; what is acked does not",
    async play(stage) {
      await stage.publish(3);
      return await reading(stage, async (reader) => {
        const messages = await arrived(stage, reader, 3);
        const nacked = messages.find((one) => refOf(one) === 2);
        for (const message of messages) if (message !== nacked) message.ack();
        nacked?.nack();
        const again = (await arrived(stage, reader, 4))[3];
        await stage.pass(SETTLED_MS);
        const isSame = [
          again?.id === nacked?.id,
          again?.publishTime.getTime() === nacked?.publishTime.getTime(),
          again === nacked,
        ];
        return [refsOf(reader.got), isSame];
      });
    },
    real: [
      [1, 2, 2, 3],
      [true, true, false],
    ],
  },
  {
    name: "only the first of ack and nack counts",
    async play(stage) {
      await stage.publish(4);
      return await reading(stage, async (reader) => {
        for (const message of [...(await arrived(stage, reader, 4))]) {
          const ref = refOf(message);
          if (ref % 2 === 1) message.ack();
          else message.nack();
          if (ref < 3) message.nack();
          else message.ack();
        }
        await arrived(stage, reader, 6);
        await stage.pass(SETTLED_MS);
        return refsOf(reader.got);
      });
    },
    real: [1, 2, 2, 3, 4, 4],
  },
  {
    name: "responses without exactly-once delivery",
    async play(stage) {
      await stage.publish(1);
      return await reading(stage, async (reader) => {
        const [message] = await arrived(stage, reader, 1);
        return [
          await message?.modAckWithResponse(10),
          await message?.ackWithResponse(),
          await message?.ackWithResponse(),
          await message?.nackWithResponse(),
          await message?.modAckWithResponse(10),
          (await message?.handledPromise) ?? "handled",
        ];
      });
    },
    real: [...Array<string>(5).fill("SUCCESS"), "handled"],
  },
  {
    name: "modAck(0) gives back at once, and an ack afterwards is sent",
    async play(stage) {
      await stage.publish(1);
      return await reading(stage, async (reader) => {
        const [first] = await arrived(stage, reader, 1);
        await stage.pass(SETTLED_MS);
        first?.modAck(0);
        const [, second] = await arrived(stage, reader, 2);
        second?.ack();
        await stage.pass(SETTLED_MS);
        first?.ack();
        await stage.pass(SETTLED_MS);
        return reader.got.length;
      });
    },
    real: 2,
  },
  {
    name: "modAck(1) ends the lease a second later where nothing extends it",
    async play(stage) {
      await stage.publish(1);
      return await reading(
        stage,
        async (reader) => {
          const [first] = await arrived(stage, reader, 1);
          await stage.pass(SETTLED_MS);
          first?.modAck(1);
          await stage.pass(SETTLED_MS);
          const before = reader.got.length;
          await arrived(stage, reader, 2);
          return [before, reader.got.length];
        },
        NO_EXTENSION,
      );
    },
    real: [1, 2],
  },
  {
    name: "without extension a lease ends after its 10 s",
    async play(stage) {
      await stage.publish(1);
      return await reading(
        stage,
        async (reader) => {
          await arrived(stage, reader, 1);
          await stage.pass(LEASE_MS - 2 * SETTLED_MS);
          const before = reader.got.length;
          await stage.pass(LEASE_OVER_MS - LEASE_MS + 2 * SETTLED_MS);
          return [before, reader.got.length];
        },
        NO_EXTENSION,
      );
    },
    real: [1, 2],
  },
  {
    name: "the library extends leases",
    async play(stage) {
      await stage.publish(2);
      return await reading(stage, async (reader) => {
        await arrived(stage, reader, 2);
        await stage.pass(LEASE_OVER_MS);
        return refsOf(reader.got);
      });
    },
    real: [1, 2],
  },
  {
    name: "flow control hands out no more than it allows until some are settled",
    async play(stage) {
      await stage.publish(5);
      const flowControl = { maxMessages: 2, allowExcessMessages: false };
      return await reading(
        stage,
        async (reader) => {
          await arrived(stage, reader, 2);
          await stage.pass(SETTLED_MS);
          const counts = [reader.got.length];
          reader.got[0]?.ack();
          await stage.pass(SETTLED_MS);
          counts.push(reader.got.length);
          for (const message of [...reader.got]) message.ack();
          await stage.pass(SETTLED_MS);
          counts.push(reader.got.length);
          return counts;
        },
        { flowControl, minAckDeadline: seconds(30) },
      );
    },
    real: [2, 3, 5],
  },
  {
    name: "settings of nought are those by default",
    async play(stage) {
      await stage.publish(1);
      const none = 0 as unknown as Duration;
      const options = { maxExtensionTime: none, flowControl: { maxMessages: 0 } };
      return await reading(
        stage,
        async (reader) => {
          const [message] = await arrived(stage, reader, 1);
          await stage.pass(LEASE_OVER_MS);
          message?.ack();
          await stage.pass(SETTLED_MS);
          return refsOf(reader.got);
        },
        options,
      );
    },
    real: [1],
  },
];
