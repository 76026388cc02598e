import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import {
  committedIn,
  GROUP,
  INVALID,
  NOT_IMPLEMENTED,
  on,
  reading,
  refusal,
  type RunConfig,
  STATE,
  TOPIC,
  until,
} from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

const nothing = (): Promise<void> => Promise.resolve();

/** What its consumer showed: states, handlers, positions, commits. */
export const CONFLUENT_READING: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "a consumer before it is connected, connected twice, and when it is disconnected",
    play: on(1, async ({ client }) => {
      const consumer = client.consumer({ kafkaJS: { groupId: GROUP } });
      const place = { topic: TOPIC, partition: 0, offset: "0" };
      await consumer.disconnect();
      const calls = [
        () => consumer.subscribe({ topic: TOPIC }),
        () => consumer.run({ eachMessage: nothing }),
        () => consumer.commitOffsets(),
        () => consumer.committed(),
        () => consumer.seek(place),
        () => consumer.pause([{ topic: TOPIC }]),
        () => consumer.resume([{ topic: TOPIC }]),
        () => consumer.assignment(),
        () => consumer.stop(),
        () => consumer.describeGroup(),
        () => consumer.on(),
        () => consumer.events,
      ];
      const seen: unknown[] = [consumer.rebalanceProtocol(), consumer.paused()];
      for (const call of calls) seen.push(await refusal(call));
      await consumer.connect();
      seen.push(await refusal(() => consumer.connect()));
      await consumer.disconnect();
      await consumer.disconnect();
      seen.push(await refusal(() => consumer.subscribe({ topic: TOPIC })));
      seen.push(await refusal(() => consumer.connect()));
      return seen;
    }),
    real: [
      "NONE",
      [],
      STATE,
      STATE,
      STATE,
      STATE,
      STATE,
      STATE,
      STATE,
      STATE,
      NOT_IMPLEMENTED,
      NOT_IMPLEMENTED,
      NOT_IMPLEMENTED,
      NOT_IMPLEMENTED,
      STATE,
      STATE,
      STATE,
    ],
  },
  {
    name: "options of kafkajs that a consumer does not take, seeks, patterns and a second run",
    play: on(1, async ({ client }) => {
      const consumer = client.consumer({ kafkaJS: { groupId: GROUP } });
      await consumer.connect();
      const seek = (offset: string): Promise<unknown> =>
        refusal(() => consumer.seek({ topic: TOPIC, partition: 0, offset }));
      const seen = [
        await refusal(() => consumer.subscribe({ topic: TOPIC, fromBeginning: true } as never)),
        await refusal(() => consumer.subscribe({})),
        await refusal(() => consumer.subscribe({ topics: [/^a/i] })),
        await refusal(() => consumer.subscribe({ topics: [/a/] })),
        await refusal(() => consumer.run({ autoCommit: false } as never)),
        await refusal(() => consumer.run({ autoCommitThreshold: 5 } as never)),
        ...[await seek("-1"), await seek("-2"), await seek("-3"), await seek("-4")],
        await seek("soon"),
        consumer.pause([{ topic: TOPIC }]) === undefined,
        consumer.assignment(),
      ];
      await consumer.subscribe({ topic: TOPIC });
      await consumer.run({ eachMessage: nothing });
      seen.push(await refusal(() => consumer.run({ eachMessage: nothing })));
      await consumer.disconnect();
      return seen;
    }),
    real: [
      INVALID,
      INVALID,
      INVALID,
      INVALID,
      INVALID,
      NOT_IMPLEMENTED,
      INVALID,
      "no error",
      "no error",
      INVALID,
      INVALID,
      true,
      [],
      STATE,
    ],
  },
  {
    name: "what a handler throws is swallowed, and its message comes again at once",
    play: on(1, async (stage) => {
      await stage.publish(3);
      const offsets: string[] = [];
      const consumer = await reading(stage, {
        eachMessage: ({ message }) => {
          offsets.push(message.offset);
          if (offsets.length === 2) throw new Error("Not now");
          return Promise.resolve();
        },
      });
      await until(stage, () => offsets.length === 4);
      await consumer.disconnect();
      return [offsets, await committedIn(stage)];
    }),
    real: [["0", "1", "1", "2"], []],
  },
  {
    name: "a batch that is resolved in part comes again from there",
    play: on(1, async (stage) => {
      await stage.publish(6);
      const offsets: string[] = [];
      let isFirst = true;
      const consumer = await reading(stage, {
        eachBatchAutoResolve: false,
        eachBatch: ({ batch, resolveOffset }) => {
          for (const { offset } of batch.messages) {
            if (offset === "3" && isFirst) {
              isFirst = false;
              return Promise.resolve();
            }
            offsets.push(offset);
            resolveOffset(offset);
          }
          return Promise.resolve();
        },
      });
      await until(stage, () => offsets.length === 6);
      await consumer.disconnect();
      return [isFirst, offsets];
    }),
    real: [false, ["0", "1", "2", "3", "4", "5"]],
  },
  {
    name: "the first batches have one message, and later ones as many as were handled in a while",
    play: on(1, async (stage) => {
      await stage.publish(40);
      const sizes: number[] = [];
      let count = 0;
      const consumer = await reading(stage, {
        eachBatch: async ({ batch: { messages } }) => {
          await stage.pass(100);
          sizes.push(messages.length);
          count += messages.length;
        },
      });
      await until(stage, () => count === 40);
      await consumer.disconnect();
      return sizes;
    }),
    real: [1, 1, 32, 6],
  },
  {
    name: "a batch's facts, and what its payload refuses",
    play: on(1, async (stage) => {
      await stage.publish(1);
      const seen: unknown[] = [];
      let isRunning = (): boolean => false;
      const consumer = await reading(stage, {
        eachBatch: async ({ batch, ...payload }) => {
          isRunning = payload.isRunning;
          const { topic, partition, highWatermark, messages } = batch;
          seen.push({ topic, partition, highWatermark, count: messages.length });
          seen.push([batch.isEmpty(), batch.firstOffset(), batch.lastOffset()]);
          seen.push([batch.offsetLag(), batch.offsetLagLow()]);
          seen.push([payload.isRunning(), payload.isStale()]);
          seen.push(await refusal(() => payload.uncommittedOffsets()));
          seen.push(await refusal(() => payload.resolveOffset("soon")));
        },
      });
      await until(stage, () => seen.length === 6);
      await consumer.disconnect();
      return [...seen, isRunning()];
    }),
    real: [
      { topic: "orders", partition: 0, highWatermark: "1", count: 1 },
      [false, "0", "0"],
      ["0", "0"],
      [true, false],
      NOT_IMPLEMENTED,
      INVALID,
      // Also behind its end.
      true,
    ],
  },
  {
    name: "commitOffsets commits what was handled, without arguments, and committed shows it",
    play: on(2, async (stage) => {
      await stage.publish(3);
      let count = 0;
      const consumer = await reading(stage, {
        eachMessage: () => Promise.resolve(void (count += 1)),
      });
      await until(stage, () => count === 3);
      await stage.pass(500);
      const before = await committedIn(stage);
      await consumer.commitOffsets();
      await stage.pass(1_000);
      const after = (await consumer.committed()).map(({ offset }) => String(offset)).toSorted();
      await consumer.disconnect();
      return [before, after];
    }),
    real: [[], ["3", "null"]],
  },
  {
    name: "a commit that the broker refuses resolves like any other",
    play: on(1, async (stage) => {
      await stage.publish(1);
      const consumer = await reading(stage, { eachMessage: nothing });
      await until(stage, () => consumer.assignment().length > 0);
      const commit = (partition: number, offset: string): Promise<unknown> =>
        refusal(() => consumer.commitOffsets([{ topic: TOPIC, partition, offset }]));
      const seen = [await commit(0, "1"), await commit(7, "1")];
      await stage.pass(1_000);
      const found = await consumer.committed([{ topic: TOPIC, partition: 0 }]);
      await consumer.disconnect();
      return [seen, found.map(({ offset, metadata }) => [offset, typeof metadata])];
    }),
    real: [["no error", "no error"], [["1", "undefined"]]],
  },
  {
    name: "committed, where nothing is",
    play: on(1, async (stage) => {
      const consumer = await reading(stage, { eachMessage: nothing });
      await until(stage, () => consumer.assignment().length > 0);
      const found = await consumer.committed();
      await consumer.disconnect();
      return found.map(({ topic, partition, offset }) => [topic, partition, offset]);
    }),
    real: [["orders", 0, null]],
  },
  {
    name: "seek reads again from there, and commits that where commits are automatic",
    play: on(1, async (stage) => {
      await stage.publish(4);
      const offsets: string[] = [];
      const consumer = await reading(
        stage,
        {
          eachMessage: ({ message }) => {
            offsets.push(message.offset);
            return Promise.resolve();
          },
        },
        { options: { autoCommit: true, autoCommitInterval: 600_000 } },
      );
      await until(stage, () => offsets.length === 4);
      consumer.seek({ topic: TOPIC, partition: 0, offset: "2" });
      await until(stage, () => offsets.length === 6);
      const committed = await committedIn(stage);
      await consumer.disconnect();
      return [offsets, committed, await committedIn(stage)];
    }),
    real: [["0", "1", "2", "3", "2", "3"], [[0, "2"]], [[0, "4"]]],
  },
  {
    name: "a seek before the partitions are assigned says where they begin",
    play: on(1, async (stage) => {
      await stage.publish(4);
      const offsets: string[] = [];
      const consumer = stage.client.consumer({ kafkaJS: { groupId: GROUP, autoCommit: false } });
      await consumer.connect();
      await consumer.subscribe({ topic: TOPIC });
      consumer.seek({ topic: TOPIC, partition: 0, offset: "1" });
      await consumer.run({
        eachMessage: ({ message }) => Promise.resolve(void offsets.push(message.offset)),
      });
      await until(stage, () => offsets.length === 3);
      await consumer.disconnect();
      return offsets;
    }),
    real: ["1", "2", "3"],
  },
  {
    name: "an offset out of range begins anew, as auto.offset.reset says, and is not committed",
    play: on(1, async (stage) => {
      await stage.publish(2);
      const offsets: string[] = [];
      const consumer = await reading(stage, {
        eachMessage: ({ message }) => Promise.resolve(void offsets.push(message.offset)),
      });
      await until(stage, () => offsets.length === 2);
      consumer.seek({ topic: TOPIC, partition: 0, offset: "1000" });
      await until(stage, () => offsets.length === 4);
      await consumer.disconnect();
      return [offsets, await committedIn(stage)];
    }),
    real: [["0", "1", "0", "1"], []],
  },
  {
    name: "a paused partition waits, and goes on after the last one handled",
    play: on(1, async (stage) => {
      await stage.publish(4);
      const offsets: string[] = [];
      let resume: () => void = () => undefined;
      const consumer = await reading(stage, {
        eachMessage: ({ message, pause }) => {
          offsets.push(message.offset);
          if (message.offset === "1") resume = pause();
          return Promise.resolve();
        },
      });
      await until(stage, () => offsets.length === 2);
      await stage.pass(2_500);
      const whilePaused = [[...offsets], consumer.paused()];
      resume();
      await until(stage, () => offsets.length === 4);
      const after = consumer.paused();
      await consumer.disconnect();
      return [whilePaused, offsets, after];
    }),
    real: [[["0", "1"], [{ topic: "orders", partitions: [0] }]], ["0", "1", "2", "3"], []],
  },
  {
    name: "a batch becomes stale when its partition is paused or sought",
    play: on(1, async (stage) => {
      await stage.publish(1);
      const seen: unknown[] = [];
      const consumer = await reading(stage, {
        eachBatch: async ({ batch, pause, isStale }) => {
          const { firstOffset } = batch;
          const before = isStale();
          if (seen.length === 0) {
            const resume = pause();
            await stage.pass(100);
            resume();
          }
          seen.push([firstOffset(), before, isStale()]);
        },
      });
      await until(stage, () => seen.length === 2);
      await consumer.disconnect();
      return seen;
    }),
    real: [
      ["0", false, true],
      ["0", false, false],
    ],
  },
  {
    name: "disconnect commits what was handled where commits are automatic, and not otherwise",
    play: on(1, async (stage) => {
      await stage.publish(2);
      const seen: unknown[] = [];
      for (const autoCommit of [false, true]) {
        let count = 0;
        const config: RunConfig = { eachMessage: () => Promise.resolve(void (count += 1)) };
        const consumer = await reading(stage, config, { options: { autoCommit } });
        await until(stage, () => count === 2);
        await stage.pass(200);
        await consumer.disconnect();
        seen.push(count, await committedIn(stage));
      }
      return seen;
    }),
    real: [2, [], 2, [[0, "2"]]],
  },
];
