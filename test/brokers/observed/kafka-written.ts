import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { on, reading, refusal, TOPIC } from "./kafka-scripts.ts";
import type { Observation } from "./observation.ts";

type Sent = Parameters<ReturnType<KafkaClient["producer"]>["send"]>[0];

const INVALID_RECORD = {
  name: "KafkaJSProtocolError",
  code: 87,
  type: "INVALID_RECORD",
  retriable: false,
};
const INVALID_TOPIC = {
  name: "KafkaJSProtocolError",
  code: 17,
  type: "INVALID_TOPIC_EXCEPTION",
  retriable: false,
};
const bytes = (...given: number[]): Uint8Array => new Uint8Array(given);

/** What the library makes of bytes, topics' names and errors of its own. */
export const WRITTEN: readonly Observation<KafkaClient>[] = [
  {
    name: "bytes that are no Buffer are written as their text, behind the length of the bytes",
    play: on(1, async (stage) => {
      const producer = stage.client.producer();
      await producer.connect();
      const send = (...messages: object[]): Promise<unknown> =>
        refusal(() => producer.send({ topic: TOPIC, messages: messages as Sent["messages"] }));
      const seen: unknown[] = [
        await send({ value: "a" }, { value: bytes(1, 2) }),
        await send({ value: bytes(7) }),
        await send({ value: "b", key: bytes(10) }),
        await send({ value: "b", key: bytes(5), headers: { h: bytes(6) } }),
        await send({ value: "c", headers: { h: ["1", bytes(1, 2)] } }),
        await send({ value: bytes().buffer }),
        await send({ value: bytes() }),
        await send({ value: new DataView(bytes(1, 2, 3).buffer) }),
      ];
      const got: unknown[] = [];
      const consumer = await reading(stage, {
        eachMessage: ({ message: { key, value, headers = {} } }) => {
          got.push([key?.toString(), value?.toString(), headers["h"]?.toString()]);
          return Promise.resolve();
        },
      });
      await stage.pass(8_000);
      await consumer.disconnect();
      await producer.disconnect();
      return [seen, got];
    }),
    real: [
      [
        INVALID_RECORD,
        "no error",
        INVALID_RECORD,
        "no error",
        INVALID_RECORD,
        INVALID_RECORD,
        "no error",
        INVALID_RECORD,
      ],
      [
        [undefined, "7", undefined],
        ["5", "b", "6"],
        [undefined, "", undefined],
      ],
    ],
  },
  {
    name: "a subscription to what is no topic's name",
    play: on(1, async ({ client }) => {
      const consumer = client.consumer({ groupId: "triggerer" });
      await consumer.connect();
      const seen = [
        await refusal(() => consumer.subscribe({ topics: [""] })),
        await refusal(() => consumer.subscribe({ topics: [TOPIC, "a b"] })),
        await refusal(() => consumer.subscribe({ topic: "." })),
        await refusal(() => consumer.subscribe({ topics: [] })),
        await refusal(() => consumer.subscribe({ topics: [TOPIC] })),
      ];
      await consumer.disconnect();
      return seen;
    }),
    real: [INVALID_TOPIC, INVALID_TOPIC, INVALID_TOPIC, "no error", "no error"],
  },
];
