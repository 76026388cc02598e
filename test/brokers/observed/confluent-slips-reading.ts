import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import {
  committedIn,
  type Consumer,
  on,
  reading,
  type RunConfig,
  type Stage,
  TOPIC,
  until,
} from "./confluent-scripts.ts";
import type { Observation } from "./observation.ts";

type Commits = Parameters<Consumer["commitOffsets"]>[0];

const NO_NUMBERS: readonly unknown[] = ["x", Number.NaN, {}, "-5", -1, true, [2]];

/** What handlers throw at which record; only the text can be logged. */
const THROWN: readonly (readonly [what: unknown, at: number, handler: string])[] = [
  ["text", 0, "eachMessage"],
  [null, 0, "eachMessage"],
  [Symbol("thrown"), 1, "eachMessage"],
  ["text", 0, "eachBatch"],
  [undefined, 0, "eachBatch"],
];
const COMMITTING = { autoCommit: true, autoCommitInterval: 300 };

/** The offsets that a handler is given that throws once, and what is committed then. */
async function throwing(
  stage: Stage,
  [thrown, at, handler]: (typeof THROWN)[number],
  groupId: string,
): Promise<unknown> {
  const told: string[] = [];
  let isThrown = false;
  const tell = async (offset: string): Promise<void> => {
    told.push(offset);
    await Promise.resolve();
    if (isThrown || Number(offset) !== at) return;
    isThrown = true;
    throw thrown;
  };
  const config: RunConfig =
    handler === "eachBatch"
      ? { eachBatch: ({ batch }) => tell(batch.firstOffset() ?? "none") }
      : { eachMessage: ({ message }) => tell(message.offset) };
  const consumer = await reading(stage, config, { options: { groupId, ...COMMITTING } });
  await until(stage, () => isThrown);
  await stage.pass(700);
  await consumer.disconnect();
  return [told, await committedIn(stage, TOPIC, groupId)];
}

/** What is committed by a reader whose handler is none. */
async function withoutHandler(stage: Stage, config: object, groupId: string): Promise<unknown> {
  const options = { groupId, ...COMMITTING };
  const consumer = await reading(stage, config, { options });
  await until(stage, () => consumer.assignment().length > 0);
  await stage.pass(700);
  await consumer.disconnect();
  return await committedIn(stage, TOPIC, groupId);
}

/** What becomes of commits whose offset is none. */
async function committing(stage: Stage): Promise<unknown> {
  let count = 0;
  const consumer = await reading(stage, {
    async eachMessage() {
      count += 1;
      await Promise.resolve();
    },
  });
  await until(stage, () => count === 3);
  const seen: unknown[] = [];
  const place = { topic: TOPIC, partition: 0 };
  for (const offset of NO_NUMBERS) {
    await consumer.commitOffsets([{ ...place, offset: "1" }]);
    await consumer.commitOffsets([{ ...place, offset }] as unknown as Commits);
    await stage.pass(50);
    const [own] = await consumer.committed([place]);
    seen.push([await committedIn(stage), own?.offset]);
  }
  await consumer.disconnect();
  return seen;
}

/** Groups that slip side by side: what a handler throws, what is none, and offsets that are none. */
export const CONFLUENT_SLIPS_READING: readonly Observation<ConfluentKafkaClient>[] = [
  {
    name: "what cannot be logged ends reading, no handler commits nothing, and what is no offset the beginning",
    play: on(1, async (stage) => {
      await stage.publish(3);
      return await Promise.all([
        ...THROWN.map((one, at) => throwing(stage, one, `throws-${at}`)),
        ...[{}, { eachMessage: 5 }].map((one, at) => withoutHandler(stage, one, `none-${at}`)),
        committing(stage),
      ]);
    }),
    real: [
      [["0", "0", "1", "2"], [[0, "3"]]],
      [["0"], []],
      [["0", "1"], [[0, "1"]]],
      [["0", "0", "1", "2"], [[0, "3"]]],
      [["0"], []],
      [[0, "0"]],
      [[0, "0"]],
      [
        [[[0, "0"]], null],
        [[[0, "0"]], null],
        [[[0, "0"]], null],
        [[[0, "1"]], "1"],
        [[[0, "1"]], "1"],
        [[[0, "1"]], "1"],
        [[[0, "2"]], "2"],
      ],
    ],
  },
];
