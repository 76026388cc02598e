import { kafka, type KafkaClient } from "../../../sim/brokers/kafka/kafka-model.ts";
import type { Dice } from "../../../sim/choices/dice.ts";
import { type Actor, testTurns } from "./turns.ts";

type Consumer = ReturnType<KafkaClient["consumer"]>;
type Run = NonNullable<Parameters<Consumer["run"]>[0]>;
type MessagePayload = Parameters<NonNullable<Run["eachMessage"]>>[0];
type BatchPayload = Parameters<NonNullable<Run["eachBatch"]>>[0];
type Client = Actor<KafkaClient>;
type Place = { topic: string; partition: number };

const TOPIC = "orders";
const TOPICS = [TOPIC, TOPIC, TOPIC, "orders.dead", "unknown"];
const GROUPS = ["triggerer", "triggerer", "triggerer", "other"];
const PAUSES_MS = [0, 1, 40, 300, 1_100, 3_000, 7_000, 16_000];
const OFFSETS = ["0", "1", "2", "4", "9", "-2", "-1", "-3", "x"];

function placeFrom(dice: Dice): Place {
  return { topic: dice.from(TOPICS), partition: dice.below(3) };
}

/** Notes every event of a client of the library. */
function noteEvents({ note }: Client, who: string, { events, on }: Consumer): void {
  for (const name of Object.values(events)) {
    on(name, ({ id, type, payload: given }) => {
      const payload = given as { readonly error?: Error } | undefined;
      const error = payload?.error;
      note(`${who} ${type} ${id}`, error === undefined ? payload : String(error));
    });
  }
}

function createConsumer(actor: Client): Consumer {
  const { client, dice } = actor;
  return client.consumer({
    groupId: dice.from(GROUPS),
    retry: {
      ...{ retries: dice.below(4), initialRetryTime: 100 + dice.below(500) },
      ...(dice.oneIn(3) ? { restartOnFailure: () => Promise.resolve(dice.oneIn(2)) } : {}),
    },
    ...(dice.oneIn(2) ? {} : { sessionTimeout: dice.from([6_000, 10_000, 20_000]) }),
    ...(dice.oneIn(2) ? {} : { rebalanceTimeout: dice.from([2_000, 9_000]) }),
    ...(dice.oneIn(2) ? {} : { heartbeatInterval: dice.from([500, 2_000]) }),
    ...(dice.oneIn(2) ? {} : { maxWaitTimeInMs: dice.from([50, 1_000]) }),
    ...(dice.oneIn(3) ? { minBytes: dice.from([40, 150, 400]) } : {}),
    ...(dice.oneIn(3) ? { maxBytesPerPartition: dice.from([60, 200]) } : {}),
  });
}

/** What a handler does now and then before it is done. */
async function amid(
  { dice, pass, call }: Client,
  who: string,
  consumer: Consumer,
  { at, offset, pause }: { at: Place; offset: string; pause: () => () => void },
): Promise<void> {
  if (!dice.oneIn(3)) await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(8) ? 8 : 5)));
  switch (dice.below(14)) {
    case 0:
      throw new Error("cannot handle this");
    case 1: {
      const resume = pause();
      void pass(dice.from(PAUSES_MS)).then(() => call(`${who} resumes`, () => resume()));
      if (dice.oneIn(2)) throw new Error("paused");
      return;
    }
    case 2:
      await call(`${who} seeks amid`, () => consumer.seek({ ...at, offset: dice.from(OFFSETS) }));
      return;
    case 3:
    case 4: {
      const next = String(Number(offset) + 1);
      await call(`${who} commits amid`, () => consumer.commitOffsets([{ ...at, offset: next }]));
      return;
    }
    default:
      return;
  }
}

function configOf(actor: Client, who: string, consumer: Consumer): Run {
  const { dice, note } = actor;
  const config = {
    ...(dice.oneIn(3) ? {} : { autoCommit: dice.oneIn(2) }),
    ...(dice.oneIn(2) ? {} : { autoCommitInterval: dice.from([null, 500, 3_000]) }),
    ...(dice.oneIn(2) ? {} : { autoCommitThreshold: dice.from([null, 1, 3]) }),
    partitionsConsumedConcurrently: 1 + dice.below(3),
  };
  if (dice.oneIn(2)) {
    return {
      ...config,
      eachMessage: async ({ topic, partition, message, heartbeat, pause }: MessagePayload) => {
        note(`${who} is given`, [topic, partition, message.offset, message.timestamp]);
        await amid(actor, who, consumer, {
          at: { topic, partition },
          offset: message.offset,
          pause,
        });
        if (dice.oneIn(2)) await heartbeat();
        note(`${who} has handled`, message.offset);
      },
    };
  }
  return {
    ...config,
    ...(dice.oneIn(3) ? { eachBatchAutoResolve: false } : {}),
    eachBatch: async ({ batch, resolveOffset, heartbeat, pause, ...rest }: BatchPayload) => {
      const { topic, partition, messages, highWatermark } = batch;
      const facts = [batch.firstOffset(), batch.lastOffset(), batch.offsetLag(), highWatermark];
      note(`${who} is given`, [topic, partition, messages.length, ...facts]);
      for (const { offset } of messages) {
        await amid(actor, who, consumer, { at: { topic, partition }, offset, pause });
        if (rest.isStale() || !rest.isRunning()) {
          note(`${who} is out of date`, [rest.isStale(), rest.isRunning()]);
          if (!dice.oneIn(3)) return;
        }
        if (!dice.oneIn(5)) resolveOffset(offset);
        if (dice.oneIn(2)) await heartbeat();
        if (dice.oneIn(3)) await rest.commitOffsetsIfNecessary();
      }
      note(`${who} has not committed`, rest.uncommittedOffsets());
      if (dice.oneIn(3)) await rest.commitOffsetsIfNecessary(rest.uncommittedOffsets());
    },
  };
}

async function consume(actor: Client): Promise<void> {
  const { dice, call, pass, note } = actor;
  for (let round = 1; ; round += 1) {
    const who = `consumer ${round}`;
    const consumer = createConsumer(actor);
    noteEvents(actor, who, consumer);
    if (!dice.oneIn(5)) await call(`${who} connects`, () => consumer.connect());
    const fromBeginning = !dice.oneIn(4);
    const wanted = dice.from([{ topic: TOPIC }, { topics: [TOPIC, "late"] }, { topics: [/^ord/] }]);
    await call(`${who} subscribes`, () => consumer.subscribe({ ...wanted, fromBeginning }));
    for (let run = dice.below(3); run >= 0; run -= 1) {
      const running = call(`${who} runs`, () => consumer.run(configOf(actor, who, consumer)));
      if (!dice.oneIn(3)) await running;
      for (let left = 2 + dice.below(8); left > 0; left -= 1) {
        await pass(dice.from(PAUSES_MS));
        await turn(actor, who, consumer);
      }
      if (run > 0) await call(`${who} stops`, () => consumer.stop());
      if (run > 0 && dice.oneIn(2))
        await call(`${who} subscribes on`, () => consumer.subscribe(wanted));
    }
    await call(`${who} disconnects`, () => consumer.disconnect());
    note("open", consumer.isOpen);
    for (let left = dice.below(3); left > 0; left -= 1) await turn(actor, who, consumer);
    await pass(dice.from(PAUSES_MS));
  }
}

async function turn({ dice, call, pass }: Client, who: string, consumer: Consumer): Promise<void> {
  const at = placeFrom(dice);
  const places = [{ topic: at.topic, ...(dice.oneIn(2) ? {} : { partitions: [at.partition] }) }];
  switch (dice.below(10)) {
    case 0:
    case 1:
      await call(`${who} seeks`, () => consumer.seek({ ...at, offset: dice.from(OFFSETS) }));
      return;
    case 2:
      await call(`${who} pauses`, () => consumer.pause(places));
      await call(`${who} has paused`, () => consumer.paused());
      if (!dice.oneIn(3)) return;
      await pass(dice.from(PAUSES_MS));
      await call(`${who} resumes those`, () => consumer.resume(places));
      return;
    case 3:
      await call(`${who} resumes`, () => consumer.resume(places));
      return;
    case 4: {
      const offset = String(dice.below(6));
      const metadata = dice.from([null, "", "m"]);
      await call(`${who} commits`, () => consumer.commitOffsets([{ ...at, offset, metadata }]));
      return;
    }
    case 5:
      await call(`${who} describes its group`, () => consumer.describeGroup());
      return;
    default:
      return;
  }
}

async function produce({ client, dice, call, pass, publish }: Client): Promise<void> {
  for (;;) {
    const producer = client.producer({
      ...(dice.oneIn(3) ? { idempotent: true } : {}),
      ...(dice.oneIn(2) ? { retry: { retries: 1 + dice.below(3), initialRetryTime: 200 } } : {}),
    });
    const admin = client.admin(dice.oneIn(2) ? {} : { retry: { retries: 1 } });
    if (!dice.oneIn(8)) await call("connects", () => producer.connect());
    for (let left = 3 + dice.below(12); left > 0; left -= 1) {
      await pass(dice.from(PAUSES_MS.slice(0, 6)));
      publish(dice.below(4), dice.from(["key-1", "key-2", "key-3"]));
      const record = (): { topic: string; messages: object[] } => ({
        topic: dice.from(TOPICS),
        messages: Array.from({ length: dice.below(4) }, () => ({
          value: dice.from(["{}", '{"ref":"ref-000001"}', null]),
          ...dice.from([{}, { key: "k" }, { partition: dice.below(3) }, { timestamp: "1" }]),
          ...(dice.oneIn(4) ? { headers: { a: ["1", "2"], b: "3" } } : {}),
        })),
      });
      const [groupId, topic] = [dice.from(GROUPS), dice.from(TOPICS)];
      const partitions = [{ partition: dice.below(3), offset: dice.from(OFFSETS.slice(0, 7)) }];
      switch (dice.below(13)) {
        case 0:
          void call("sends and goes on", () => producer.send(record() as never));
          break;
        case 1: {
          const topicMessages = [record(), record()] as never;
          await call("sends many", () => producer.sendBatch({ topicMessages }));
          break;
        }
        case 2:
          await call("sends unasked", () => producer.send({ ...record(), acks: 0 } as never));
          break;
        case 3:
          await call("topics", () => admin.listTopics());
          break;
        case 4:
          await call("ends", () => admin.fetchTopicOffsets(topic));
          break;
        case 5:
          await call("offsets", () =>
            admin.fetchOffsets({ groupId, topics: [topic], resolveOffsets: dice.oneIn(2) }),
          );
          break;
        case 6:
          await call("sets offsets", () => admin.setOffsets({ groupId, topic, partitions }));
          break;
        case 7:
          await call("resets", () =>
            admin.resetOffsets({ groupId, topic, earliest: dice.oneIn(2) }),
          );
          break;
        case 8:
          await call("groups", () => admin.describeGroups([groupId, "nobody"]));
          break;
        case 9:
          await call("at", () => admin.fetchTopicOffsetsByTimestamp(topic, dice.below(9) * 1_000));
          break;
        default:
          await call("sends", () => producer.send(record() as never));
      }
    }
    await call("disconnects its admin", () => admin.disconnect());
    await call("disconnects", () => producer.disconnect());
  }
}

testTurns({
  name: "kafka",
  createWorld: (dice) => ({
    model: kafka({ partitions: 1 + dice.below(4) }),
    actors: { one: consume, two: consume, three: consume, sender: produce },
  }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 14,
});
