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
    on(name, ({ type, payload: given }) => {
      const payload = given as { readonly error?: Error } | undefined;
      const error = payload?.error;
      const told = error === undefined ? payload : { ...payload, error: String(error) };
      note(`${who} ${type.replace(/^\w+\./, "")}`, told);
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

async function administer({ client, call }: Stage): Promise<void> {
  const admin = client.admin({ retry: RETRY });
  await call("admin connects", () => admin.connect());
  await call("groups", () => admin.describeGroups([GROUP, "nobody"]));
  await call("offsets", () => admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] }));
  await call("ends", () => admin.fetchTopicOffsets(TOPIC));
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
  await pass(10_000);
  await call("resumes", () => two.resume([{ topic: TOPIC }]));
  await call("seeks", () => two.seek({ topic: TOPIC, partition: 0, offset: "1" }));
  await call("stops", () => one.stop());
  await pass(20_000);
  await call("one disconnects", () => one.disconnect());
  await pass(5_000);
  await call("two disconnects", () => two.disconnect());
  await administer(stage);
  await call("producer disconnects", () => producer.disconnect());
}

testTroubles({
  name: "kafka",
  createModel: () => kafka({ partitions: 2 }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
