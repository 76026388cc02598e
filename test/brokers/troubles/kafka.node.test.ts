import type { KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import { kafka } from "../../../sim/brokers/kafka/kafka-model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

const TOPIC = "orders";
const GROUP = "triggerer";
const RETRY = { retries: 3, initialRetryTime: 500 };

type Consumer = ReturnType<KafkaClient["consumer"]>;
type Stage = TroubledStage<KafkaClient>;

/** Notes every event of a client of the library, without those of each fetch. */
function noteEvents(
  { note }: Stage,
  who: string,
  {
    events,
    on,
  }: { readonly events: Readonly<Record<string, string>>; readonly on: Consumer["on"] },
): void {
  const frequent = ["consumer.fetch", "consumer.fetch_start", "consumer.heartbeat"];
  for (const name of Object.values(events)) {
    if (frequent.includes(name)) continue;
    on(name, ({ id, type, payload: given }) => {
      const payload = given as { readonly error?: Error } | undefined;
      const error = payload?.error;
      const told = error === undefined ? payload : { ...payload, error: String(error) };
      note(`${who} ${type.replace(/^\w+\./, "")} ${id}`, told);
    });
  }
}

async function startByMessage(stage: Stage): Promise<Consumer> {
  const { client, note, call } = stage;
  const consumer = client.consumer({ groupId: GROUP, retry: RETRY, sessionTimeout: 10_000 });
  noteEvents(stage, "one", { events: consumer.events, on: consumer.on.bind(consumer) });
  await call("one connects", () => consumer.connect());
  await call("one subscribes", () => consumer.subscribe({ topic: TOPIC, fromBeginning: true }));
  const run = consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message, heartbeat }) => {
      note("one is given", [partition, message.offset, message.key?.toString()]);
      await stage.pass(400);
      await heartbeat();
      if (message.offset === "3") throw new Error("cannot handle this");
      const offset = String(Number(message.offset) + 1);
      await consumer.commitOffsets([{ topic, partition, offset }]);
    },
  });
  await call("one runs", () => run);
  return consumer;
}

async function startByBatch(stage: Stage): Promise<Consumer> {
  const { client, note, call } = stage;
  const consumer = client.consumer({ groupId: GROUP, retry: RETRY, maxWaitTimeInMs: 2_000 });
  noteEvents(stage, "two", { events: consumer.events, on: consumer.on.bind(consumer) });
  await call("two connects", () => consumer.connect());
  await call("two subscribes", () => consumer.subscribe({ topics: [/^ord/] }));
  const run = consumer.run({
    autoCommitInterval: 3_000,
    autoCommitThreshold: 3,
    partitionsConsumedConcurrently: 2,
    eachBatchAutoResolve: false,
    eachBatch: async ({ batch, resolveOffset, heartbeat, commitOffsetsIfNecessary, ...rest }) => {
      note("two is given", [batch.partition, batch.firstOffset(), batch.messages.length]);
      for (const { offset } of batch.messages) {
        if (!rest.isRunning() || rest.isStale()) note("two stops amid a batch");
        await stage.pass(300);
        resolveOffset(offset);
        await heartbeat();
        await commitOffsetsIfNecessary();
      }
      note("two has not committed", rest.uncommittedOffsets());
    },
  });
  await call("two runs", () => run);
  return consumer;
}

/** Of another group: waits for much, pauses a partition in its handler, and decides on restarts. */
async function startSlowly(stage: Stage): Promise<Consumer> {
  const { client, note, call, pass } = stage;
  const consumer = client.consumer({
    ...{ groupId: "slow", minBytes: 150, maxBytesPerPartition: 100, maxWaitTimeInMs: 3_000 },
    retry: { ...RETRY, restartOnFailure: async ({ message }) => message.length > 20 },
  });
  await call("slow runs early", () => consumer.run());
  await call("slow stops early", () => consumer.stop());
  const off = consumer.on("consumer.heartbeat", ({ payload }) => {
    note("slow heartbeats", payload);
    off();
  });
  await call("slow subscribes", () => consumer.subscribe({ topic: TOPIC, fromBeginning: true }));
  let paused = 0;
  const run = consumer.run({
    eachMessage: async ({ partition, message, pause }) => {
      note("slow is given", [partition, message.offset]);
      if (partition === 1 && message.offset === "3" && paused > 0 && paused < 9) {
        paused = 9;
        await call("slow seeks", () => consumer.seek({ topic: TOPIC, partition, offset: "1" }));
        await pass(500);
      }
      if (partition !== 0 || paused > 1) return;
      paused += 1;
      const resume = pause();
      note("slow has paused", consumer.paused());
      void pass(2_500).then(resume);
      if (paused === 2) throw new Error("paused");
    },
  });
  await call("slow runs", () => run);
  await call("slow runs again", () => consumer.run());
  consumer.logger().namespace("tests").info("nothing is seen of it");
  return consumer;
}

async function administer({ client, call, note }: Stage): Promise<void> {
  const admin = client.admin({ retry: RETRY });
  admin.on("admin.connect", ({ type, payload }) => note(type, payload as unknown));
  await call("admin connects", () => admin.connect());
  await call("groups", () => admin.describeGroups([GROUP, "nobody"]));
  await call("offsets", () => admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] }));
  await call("ends", () => admin.fetchTopicOffsets(TOPIC));
  await call("late ends", () => admin.fetchTopicOffsetsByTimestamp(TOPIC));
  await call("middles", () => admin.fetchTopicOffsetsByTimestamp(TOPIC, 1_767_225_605_000));
  await call("all about all", () => admin.fetchTopicMetadata());
  await call("all about one", () => admin.fetchTopicMetadata({ topics: [TOPIC] }));
  await call("nothing about one", () => admin.fetchTopicMetadata({ topics: ["nothing"] }));
  await call("all groups", () => admin.listGroups());
  await call("resets", () => admin.resetOffsets({ groupId: GROUP, topic: TOPIC, earliest: true }));
  await call("admin disconnects", () => admin.disconnect());
}

async function work(stage: Stage): Promise<void> {
  const { client, publish, pass, call } = stage;
  publish(3);
  publish(2, "key-2");
  const producer = client.producer({ retry: RETRY });
  noteEvents(stage, "producer", { events: producer.events, on: producer.on.bind(producer) });
  await call("producer connects", () => producer.connect());
  const one = await startByMessage(stage);
  await pass(9_000);
  const two = await startByBatch(stage);
  const slow = await startSlowly(stage);
  publish(3, "key-3");
  await pass(10_000);
  const messages = ["key-1", "key-2", null].map((key) => ({ key, value: "{}" }));
  await call("sends", () => producer.send({ topic: TOPIC, messages }));
  await call("sends a dead letter", () =>
    producer.send({ topic: "orders.dead", messages: [{ value: '{"ref":"ref-000001"}' }] }),
  );
  await administer(stage);
  await call("pauses", () => two.pause([{ topic: TOPIC, partitions: [0] }]));
  await call("paused", () => two.paused());
  publish(3);
  await pass(9_000);
  const more = Array.from({ length: 8 }, (_, n) => ({ key: `more-${n}`, value: "{}" }));
  await call("sends more", () => producer.send({ topic: TOPIC, messages: more }));
  await pass(1_000);
  await call("resumes", () => two.resume([{ topic: TOPIC }]));
  await call("seeks", () => two.seek({ topic: TOPIC, partition: 0, offset: "1" }));
  await call("stops", () => one.stop());
  await pass(20_000);
  await call("one disconnects", () => one.disconnect());
  await pass(5_000);
  await call("two disconnects", () => two.disconnect());
  await call("slow disconnects", () => slow.disconnect());
  await administer(stage);
  await call("producer disconnects", () => producer.disconnect());
}

testTroubles({
  name: "kafka",
  createModel: () => kafka({ partitions: 2 }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
