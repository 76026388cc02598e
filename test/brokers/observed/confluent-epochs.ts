import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import {
  MISPLACED,
  on,
  producing,
  reading,
  refusal,
  STATE,
  TOPIC,
  until,
} from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

type Sent = Parameters<ReturnType<ConfluentKafkaClient["producer"]>["send"]>[0];

const THREE: Sent = { topic: TOPIC, messages: ["1", "2", "3"].map((value) => ({ value })) };
const GROUP = "triggerer";

/** Epochs of commits, consumers without a group, and results of a rebalance_cb. */
export const EPOCHS: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "the epoch that a commit names: its own, that of what was read, or none",
    play: producing(1, async (producer, stage) => {
      await producer.send(THREE);
      let count = 0;
      const eachMessage = (): Promise<void> => Promise.resolve(void (count += 1));
      const consumer = await reading(stage, { eachMessage });
      await until(stage, () => count === 3);
      const admin = stage.client.admin();
      await admin.connect();
      const committed = async (): Promise<unknown> => {
        await stage.pass(500);
        const [own] = await consumer.committed(undefined, 5_000);
        const [seen] = await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] });
        return [own?.offset, own?.leaderEpoch, seen?.partitions[0]?.leaderEpoch];
      };
      const at = { topic: TOPIC, partition: 0 };
      const seen: unknown[] = [];
      await consumer.commitOffsets([{ ...at, offset: "1" }]);
      seen.push(await committed());
      await consumer.commitOffsets([{ ...at, offset: "2", leaderEpoch: 0 }]);
      seen.push(await committed());
      await consumer.commitOffsets([{ ...at, offset: "2", leaderEpoch: 7 }]);
      seen.push(await committed());
      await consumer.commitOffsets([{ ...at, offset: "1", leaderEpoch: -1 }]);
      seen.push(await committed());
      await consumer.commitOffsets();
      seen.push(await committed());
      await consumer.disconnect();
      await admin.disconnect();
      return seen;
    }),
    real: [
      ["1", undefined, null],
      ["2", 0, null],
      ["2", 7, 7],
      ["1", undefined, null],
      ["3", 0, null],
    ],
  },
  {
    name: "a consumer without a configuration, without a group, and a run of nothing",
    play: on(1, async ({ client }) => {
      const seen: unknown[] = [];
      for (const config of [undefined, null, {}, { kafkaJS: { groupId: "" } }]) {
        const consumer = client.consumer(config as object);
        seen.push(
          await refusal(() => consumer.connect()),
          await refusal(() => consumer.connect()),
          await refusal(() => consumer.subscribe({ topic: TOPIC })),
          await refusal(() => consumer.disconnect()),
        );
      }
      const consumer = client.consumer({ kafkaJS: { groupId: 5 } });
      seen.push(await refusal(() => consumer.connect()));
      const run = (): Promise<void> => consumer.run(undefined as unknown as object);
      seen.push(((await refusal(run)) as { readonly name: string }).name);
      await consumer.disconnect();
      return seen;
    }),
    real: [
      ...Array.from({ length: 4 }, () => [MISPLACED, STATE, STATE, "no error"]).flat(),
      ...["no error", "TypeError"],
    ],
  },
  {
    name: "a rebalance_cb whose result is neither nothing nor a list has nothing assigned",
    play: producing(1, async (producer, stage) => {
      await producer.send(THREE);
      const seen: unknown[] = [];
      for (const [at, result] of [1, {}, 0, ""].entries()) {
        let got = 0;
        const consumer = await reading(
          stage,
          { eachMessage: () => Promise.resolve(void (got += 1)) },
          { options: { groupId: `group-${at}` }, properties: { rebalance_cb: () => result } },
        );
        await stage.pass(6_000);
        const assigned = consumer.assignment().length;
        const closed = consumer.disconnect().then(() => "closed");
        const waited = stage.pass(5_000).then(() => "closes for ever");
        seen.push([assigned, got, await Promise.race([closed, waited])]);
      }
      return seen;
    }),
    real: [
      [0, 0, "closes for ever"],
      [0, 0, "closes for ever"],
      [1, 3, "closed"],
      [1, 3, "closed"],
    ],
  },
  {
    name: "a consumer that has left an assignment unanswered holds up the others of its group",
    play: producing(2, async (producer, stage) => {
      await producer.send(THREE);
      const told: string[] = [];
      const start = (name: string, result: unknown): ReturnType<typeof reading> =>
        reading(
          stage,
          { eachMessage: () => Promise.resolve() },
          {
            properties: {
              rebalance_cb({ message }: Error, partitions: readonly object[]) {
                told.push(`${name}: ${message} ${partitions.length}`);
                return result;
              },
            },
          },
        );
      const first = await start("first", 1);
      await until(stage, () => told.length > 0);
      const second = await start("second", undefined);
      await stage.pass(8_000);
      const seen = [...told, first.assignment().length, second.assignment().length];
      await second.disconnect();
      void first.disconnect();
      await stage.pass(1_000);
      return [...seen, told.slice(1)];
    }),
    real: ["first: assign partitions 2", 0, 0, ["first: revoke partitions 2"]],
  },
];
