import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import {
  committedIn,
  GROUP,
  on,
  OTHER,
  producing,
  reading,
  refusal,
  type RunConfig,
  STATE,
  TOPIC,
  until,
} from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

const nothing = (): Promise<void> => Promise.resolve();

interface Told {
  readonly code: number;
}

/** What its consumer showed when partitions were assigned and taken away. */
export const CONFLUENT_GROUPS: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "a rebalance callback is told of each assignment, and of the end",
    play: on(2, async (stage) => {
      const seen: unknown[] = [];
      const consumer = await reading(
        stage,
        { eachMessage: nothing },
        {
          properties: {
            rebalance_cb: (
              { code }: Told,
              assignment: readonly { topic: string; partition: number }[],
              fns: { assignmentLost(): boolean },
            ) => {
              const places = assignment.map(({ topic, partition }) => `${topic}/${partition}`);
              seen.push([code, places.toSorted(), fns.assignmentLost()]);
            },
          },
        },
      );
      await until(stage, () => consumer.assignment().length === 2);
      const { length } = consumer.assignment();
      const keys = Object.keys(consumer.assignment()[0] ?? {}).toSorted();
      const protocol = consumer.rebalanceProtocol();
      await consumer.disconnect();
      return [seen, length, keys, protocol];
    }),
    real: [
      [
        [-175, ["orders/0", "orders/1"], false],
        [-174, ["orders/0", "orders/1"], false],
      ],
      2,
      ["partition", "topic"],
      "EAGER",
    ],
  },
  {
    name: "a rebalance callback decides where partitions begin",
    play: on(1, async (stage) => {
      await stage.publish(3);
      const offsets: string[] = [];
      const consumer = await reading(
        stage,
        { eachMessage: ({ message }) => Promise.resolve(void offsets.push(message.offset)) },
        {
          properties: {
            rebalance_cb: (
              { code }: Told,
              assignment: readonly { topic: string; partition: number }[],
              { assign }: { assign(places: readonly object[]): void },
            ) => {
              if (code === -175) assign(assignment.map((at) => ({ ...at, offset: 2 })));
            },
          },
        },
      );
      await until(stage, () => offsets.length === 1);
      await consumer.disconnect();
      return offsets;
    }),
    real: ["2"],
  },
  {
    name: "a second consumer gets its share, once the first has handled what it has in hand",
    play: on(2, async (stage) => {
      await stage.publish(1);
      const story: string[] = [];
      const notices = (who: string): object => ({
        rebalance_cb: ({ code }: Told, assignment: readonly object[]) => {
          story.push(`${who} ${code === -175 ? "gets" : "gives"} ${assignment.length}`);
        },
      });
      const first = await reading(
        stage,
        {
          eachMessage: async () => {
            story.push("in hand");
            await stage.pass(9_000);
            story.push("handled");
          },
        },
        { options: { sessionTimeout: 6_000 }, properties: notices("first") },
      );
      await until(stage, () => story.includes("in hand"));
      const second = await reading(
        stage,
        { eachMessage: nothing },
        { properties: notices("second") },
      );
      await until(stage, () => story.includes("second gets 1"));
      await until(stage, () => first.assignment().length === 1);
      const shares = [first.assignment().length, second.assignment().length];
      await second.disconnect();
      await first.disconnect();
      return [story.filter((line) => !line.startsWith("second")).slice(0, 5), shares];
    }),
    real: [
      ["first gets 2", "in hand", "handled", "first gives 2", "first gets 1"],
      [1, 1],
    ],
  },
  {
    name: "what was handled is committed before the partitions are given up",
    play: on(1, async (stage) => {
      await stage.publish(2);
      let count = 0;
      const options = { autoCommit: true, autoCommitInterval: 600_000 };
      const first = await reading(
        stage,
        { eachMessage: () => Promise.resolve(void (count += 1)) },
        { options },
      );
      await until(stage, () => count === 2);
      await stage.pass(200);
      const before = await committedIn(stage);
      const second = await reading(stage, { eachMessage: nothing }, { options });
      await until(stage, () => first.assignment().length + second.assignment().length === 1);
      await stage.pass(5_000);
      const after = await committedIn(stage);
      await second.disconnect();
      await first.disconnect();
      return [count, before, after];
    }),
    real: [2, [], [[0, "2"]]],
  },
  {
    name: "a commit of a consumer that is disconnected is refused, and changes nothing",
    play: on(1, async (stage) => {
      await stage.publish(2);
      let count = 0;
      const first = await reading(stage, {
        eachMessage: () => Promise.resolve(void (count += 1)),
      });
      await until(stage, () => count === 2);
      await first.disconnect();
      const told = await refusal(() =>
        first.commitOffsets([{ topic: TOPIC, partition: 0, offset: "2" }]),
      );
      return [told, await committedIn(stage)];
    }),
    real: [STATE, []],
  },
  {
    name: "topics of a pattern, and more topics, and others instead",
    play: on(1, async (stage) => {
      const consumer = stage.client.consumer({
        kafkaJS: { groupId: GROUP, fromBeginning: true, autoCommit: false },
      });
      await consumer.connect();
      await consumer.subscribe({ topics: [/^ord/] });
      await consumer.run({ eachMessage: nothing });
      const topicsOf = (): string[] =>
        consumer
          .assignment()
          .map(({ topic }) => topic)
          .toSorted();
      await until(stage, () => topicsOf().length === 1);
      const seen = [topicsOf()];
      await consumer.subscribe({ topic: OTHER });
      await until(stage, () => topicsOf().length === 2);
      seen.push(topicsOf());
      await consumer.subscribe({ topics: [OTHER], replace: true });
      await until(stage, () => topicsOf().length === 1);
      seen.push(topicsOf());
      await consumer.disconnect();
      return seen;
    }),
    real: [["orders"], ["orders", "others"], ["others"]],
  },
  {
    name: "a pause outlives a rebalance",
    play: on(1, async (stage) => {
      await stage.publish(1);
      const offsets: string[] = [];
      const consumer = await reading(stage, {
        eachMessage: ({ message }) => Promise.resolve(void offsets.push(message.offset)),
      });
      await until(stage, () => offsets.length === 1);
      consumer.pause([{ topic: TOPIC }]);
      await stage.pass(1_000);
      await stage.publish(1);
      await stage.pass(2_000);
      const whilePaused = [...offsets];
      await consumer.subscribe({ topic: OTHER });
      await until(stage, () => consumer.assignment().length === 2);
      await stage.pass(3_000);
      const paused = consumer.paused();
      await consumer.disconnect();
      return [whilePaused, offsets, paused];
    }),
    real: [["0"], ["0"], [{ topic: "orders", partitions: [0] }]],
  },
  {
    name: "a session goes on while a handler works",
    play: on(1, async (stage) => {
      await stage.publish(1);
      const codes: number[] = [];
      let isDone = false;
      const consumer = await reading(
        stage,
        {
          eachMessage: async () => {
            await stage.pass(9_000);
            isDone = true;
          },
        },
        {
          options: { sessionTimeout: 6_000, heartbeatInterval: 1_000 },
          properties: { rebalance_cb: ({ code }: Told) => void codes.push(code) },
        },
      );
      await until(stage, () => isDone);
      await stage.pass(1_500);
      await consumer.disconnect();
      return codes;
    }),
    real: [-175, -174],
  },
  {
    name: "as many partitions are handled at the same time as partitionsConsumedConcurrently says",
    play: producing(4, async (producer, stage) => {
      const messages = [0, 1, 2, 3].map((partition) => ({ partition, value: "1" }));
      await producer.send({ topic: OTHER, messages });
      let busy = 0;
      let most = 0;
      let count = 0;
      const config: RunConfig = {
        partitionsConsumedConcurrently: 2,
        eachMessage: async () => {
          busy += 1;
          most = Math.max(most, busy);
          await stage.pass(1_500);
          busy -= 1;
          count += 1;
        },
      };
      const consumer = await reading(stage, config, { topic: OTHER });
      await until(stage, () => count === 4);
      await consumer.disconnect();
      return most;
    }),
    real: 2,
  },
];
