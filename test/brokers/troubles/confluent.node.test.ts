import { type ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import { confluentKafka } from "../../../sim/brokers/kafka/kafka-model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

const TOPIC = "orders";
const GROUP = "triggerer";

type Stage = TroubledStage<ConfluentKafkaClient>;
type Consumer = ReturnType<ConfluentKafkaClient["consumer"]>;

async function startByMessage(stage: Stage): Promise<Consumer> {
  const { client, note, call } = stage;
  let failures = 0;
  const config = {
    kafkaJS: { groupId: GROUP, fromBeginning: true, autoCommit: false, sessionTimeout: 10_000 },
    rebalance_cb: (notice: unknown, assigned: unknown) =>
      note("one rebalances", [notice, assigned]),
  };
  const consumer = client.consumer(config);
  await call("one connects", () => consumer.connect());
  await call("one subscribes", () => consumer.subscribe({ topic: TOPIC }));
  await call("one runs", () =>
    consumer.run({
      eachMessage: async ({ topic, partition, message }) => {
        note("one is given", [partition, message.offset, message.key?.toString()]);
        await stage.pass(400);
        if (message.offset === "3" && (failures += 1) <= 3) throw new Error("cannot handle this");
        const offset = String(Number(message.offset) + 1);
        await stage.call("one commits", () =>
          consumer.commitOffsets([{ topic, partition, offset }]),
        );
      },
    }),
  );
  return consumer;
}

async function startByBatch(stage: Stage): Promise<Consumer> {
  const { client, note, call } = stage;
  const config = {
    kafkaJS: { groupId: GROUP, autoCommitInterval: 3_000 },
    "js.consumer.max.batch.size": 2,
  };
  const consumer = client.consumer(config);
  await call("two connects", () => consumer.connect());
  await call("two subscribes", () => consumer.subscribe({ topics: [/^ord/] }));
  await call("two runs", () =>
    consumer.run({
      partitionsConsumedConcurrently: 2,
      eachBatch: async ({ batch, resolveOffset, heartbeat, ...rest }) => {
        note("two is given", [batch.partition, batch.firstOffset(), batch.messages.length]);
        for (const { offset } of batch.messages) {
          if (!rest.isRunning() || rest.isStale()) note("two stops amid a batch");
          await stage.pass(300);
          resolveOffset(offset);
          await heartbeat();
        }
        await rest.commitOffsetsIfNecessary();
      },
    }),
  );
  return consumer;
}

/** Of another group: commits by itself, two partitions at once, and pauses in its handler. */
async function startOther(stage: Stage): Promise<Consumer> {
  const { client, note, call, pass } = stage;
  const consumer = client.consumer({
    kafkaJS: { groupId: "other", fromBeginning: true, autoCommitInterval: 2_000 },
  });
  await call("other connects", () => consumer.connect());
  await call("other subscribes", () => consumer.subscribe({ topics: [TOPIC] }));
  await call("other subscribes again", () => consumer.subscribe({ topic: TOPIC, replace: true }));
  let paused = 0;
  await call("other runs", () =>
    consumer.run({
      partitionsConsumedConcurrently: 2,
      eachMessage: async ({ partition, message, pause, heartbeat }) => {
        note("other is given", [partition, message.offset, message.headers, message.timestamp]);
        await heartbeat();
        if (partition === 0 && paused === 0) {
          paused += 1;
          const resume = pause();
          void pass(2_500).then(resume);
        }
        if (partition === 1 && message.offset === "2" && paused < 2) {
          paused += 1;
          await call("other seeks", () => consumer.seek({ topic: TOPIC, partition, offset: "1" }));
        }
      },
    }),
  );
  return consumer;
}

async function administer({ client, call }: Stage): Promise<void> {
  const admin = client.admin();
  await call("admin connects", () => admin.connect());
  await call("topics", () => admin.listTopics());
  await call("offsets", () => admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] }));
  await call("ends", () => admin.fetchTopicOffsets(TOPIC));
  await call("admin disconnects", () => admin.disconnect());
}

async function work(stage: Stage): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(3);
  publish(2, "key-2");
  const producer = client.producer({ kafkaJS: { retry: { retries: 2 } } });
  await call("producer connects", () => producer.connect());
  const one = await startByMessage(stage);
  await pass(9_000);
  const two = await startByBatch(stage);
  const other = await startOther(stage);
  publish(3, "key-3");
  await pass(10_000);
  const headers = { one: "1", more: ["2", "3"] };
  const timed = { timestamp: "1767225600123", headers };
  const messages = ["key-1", "key-2", null].map((key) => ({ key, value: "{}", ...timed }));
  await call("sends", () => producer.send({ topic: TOPIC, messages }));
  const dead = { topic: "orders.dead", messages: [{ value: '{"ref":"ref-000001"}' }] };
  await call("sends dead letters", () => producer.sendBatch({ topicMessages: [dead] }));
  await administer(stage);
  note("assigned", [one.assignment(), two.assignment()]);
  await call("pauses", () => two.pause([{ topic: TOPIC, partitions: [0] }]));
  note("paused", two.paused());
  publish(3);
  await pass(10_000);
  await call("resumes", () => two.resume([{ topic: TOPIC, partitions: [0] }]));
  await call("seeks", () => two.seek({ topic: TOPIC, partition: 0, offset: "1" }));
  await pass(20_000);
  await call("one disconnects", () => one.disconnect());
  await pass(5_000);
  await call("two commits", () => two.commitOffsets());
  const places = [0, 1].map((partition) => ({ topic: TOPIC, partition, offset: "1" }));
  await call("two commits both", () => two.commitOffsets(places));
  await call("other disconnects", () => other.disconnect());
  await call("two disconnects", () => two.disconnect());
  await administer(stage);
  void call("sends at last", () => producer.send({ topic: TOPIC, messages: [{ value: "{}" }] }));
  await call("flushes", () => producer.flush({ timeout: 1_000 }));
  await call("producer disconnects", () => producer.disconnect());
}

testTroubles({
  name: "confluent",
  createModel: () => confluentKafka({ partitions: 2 }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
