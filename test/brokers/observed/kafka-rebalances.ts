import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { on, reading, refusal, TOPIC } from "./kafka-scripts.ts";
import type { Observation } from "./observation.ts";

type Consumer = ReturnType<KafkaClient["consumer"]>;

/** Collects how many partitions a consumer gets, each time that it joins. */
function sharesOf(consumer: Consumer): number[] {
  const shares: number[] = [];
  type Join = { readonly payload: { readonly memberAssignment: Record<string, number[]> } };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }: Join) => {
    shares.push(Object.values(payload.memberAssignment).flat().length);
  });
  return shares;
}

const HELP = "https://kafka.js.org/docs/faq#what-does-it-mean-to-get-rebalance-in-progress-errors";
const REBALANCE_IN_PROGRESS = {
  ...{ name: "KafkaJSProtocolError", retriable: false },
  ...{ code: 27, type: "REBALANCE_IN_PROGRESS" },
};

/** What kafkajs showed while the members of a group changed. */
export const REBALANCES: readonly Observation<KafkaClient>[] = [
  {
    name: "a second member shares the partitions, and takes over what the first leaves",
    play: on(2, async (stage) => {
      const shares: number[][] = [];
      const onCreated = (one: Consumer): void => void shares.push(sharesOf(one));
      const config = { eachMessage: () => Promise.resolve() };
      const first = await reading(stage, config, { onCreated });
      const second = await reading(stage, config, { onCreated });
      await stage.pass(12_000);
      await first.disconnect();
      await stage.pass(12_000);
      await second.disconnect();
      return shares;
    }),
    real: [
      [2, 1],
      [1, 2],
    ],
  },
  {
    name: "while the first handler is at work, the second member waits and the first may commit",
    play: on(2, async (stage) => {
      await stage.publish(1);
      const { pass } = stage;
      const deliveries: string[] = [];
      const commits: unknown[] = [];
      const first: Consumer = await reading(stage, {
        autoCommit: false,
        eachMessage: async ({ topic, partition, message: { offset } }) => {
          deliveries.push("first");
          await pass(9_000);
          const next = String(Number(offset) + 1);
          commits.push(
            await refusal(() => first.commitOffsets([{ topic, partition, offset: next }])),
          );
        },
      });
      await pass(3_000);
      let shares: readonly number[] = [];
      const joining = reading(
        stage,
        { autoCommit: false, eachMessage: () => Promise.resolve(void deliveries.push("second")) },
        { onCreated: (one) => void (shares = sharesOf(one)) },
      );
      await pass(3_000);
      const early = [...shares];
      await pass(15_000);
      await (await joining).disconnect();
      await first.disconnect();
      return { early, late: shares, commits, deliveries };
    }),
    real: { early: [], late: [1], commits: ["no error"], deliveries: ["first"] },
  },
  {
    name: "a member that does not join again within the rebalance timeout is put out",
    play: on(1, async (stage) => {
      await stage.publish(1);
      const { pass } = stage;
      const deliveries: string[] = [];
      const commits: unknown[] = [];
      const options = { rebalanceTimeout: 4_000 };
      let isFirst = true;
      const first: Consumer = await reading(
        stage,
        {
          autoCommit: false,
          eachMessage: async ({ topic, partition, message: { offset } }) => {
            deliveries.push("first");
            if (!isFirst) return;
            isFirst = false;
            await pass(14_000);
            const next = String(Number(offset) + 1);
            commits.push(
              await refusal(() => first.commitOffsets([{ topic, partition, offset: next }])),
            );
          },
        },
        options,
      );
      await pass(3_000);
      const second: Consumer = await reading(
        stage,
        {
          autoCommit: false,
          eachMessage: async ({ topic, partition, message: { offset } }) => {
            deliveries.push("second");
            const next = String(Number(offset) + 1);
            await second.commitOffsets([{ topic, partition, offset: next }]);
          },
        },
        options,
      ).then((one) => one);
      await pass(14_000);
      await second.disconnect();
      await first.disconnect();
      return { deliveries, commits };
    }),
    real: {
      deliveries: ["first", "second"],
      commits: [
        {
          ...{ name: "KafkaJSNonRetriableError", retriable: false },
          cause: {
            ...{ name: "KafkaJSProtocolError", retriable: false },
            ...{ message: "The coordinator is not aware of this member" },
            ...{ code: 25, type: "UNKNOWN_MEMBER_ID" },
          },
        },
      ],
    },
  },
  {
    name: "a heartbeat tells a handler of the rebalance, and the member joins again",
    play: on(2, async (stage) => {
      await stage.publish(1);
      const seen: unknown[] = [];
      const shares: number[][] = [];
      const onCreated = (one: Consumer): void => void shares.push(sharesOf(one));
      const first = await reading(
        stage,
        {
          eachBatch: async ({ heartbeat, resolveOffset, batch }) => {
            for (let beat = 0; beat < 12; beat += 1) {
              await stage.pass(1_000);
              const error = await heartbeat().then(
                () => undefined,
                (thrown: unknown) => thrown as { readonly helpUrl?: string },
              );
              if (error === undefined) continue;
              seen.push(await refusal(() => Promise.reject(error)), error.helpUrl);
              break;
            }
            resolveOffset(batch.lastOffset());
          },
        },
        { heartbeatInterval: 500, onCreated },
      );
      await stage.pass(3_000);
      const second = await reading(stage, { eachMessage: () => Promise.resolve() }, { onCreated });
      const admin = stage.client.admin();
      await stage.pass(8_000);
      const offsets = await admin.fetchOffsets({ groupId: "triggerer", topics: [TOPIC] });
      const committed = offsets.flatMap(({ partitions }) => partitions.map((one) => one.offset));
      await first.disconnect();
      await second.disconnect();
      await admin.disconnect();
      return [seen, shares, committed.includes("1")];
    }),
    real: [[REBALANCE_IN_PROGRESS, HELP], [[2, 1], [1]], true],
  },
];
