import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import { confluentKafka } from "../../../sim/brokers/kafka/kafka-model.ts";
import type { Dice } from "../../../sim/choices/dice.ts";
import { type Actor, testTurns } from "./turns.ts";

type Consumer = ReturnType<ConfluentKafkaClient["consumer"]>;
type Client = Actor<ConfluentKafkaClient>;
type Place = { topic: string; partition: number };

const TOPIC = "orders";
const TOPICS = [TOPIC, TOPIC, TOPIC, "orders.dead", "unknown"];
const PAUSES_MS = [0, 1, 40, 300, 1_100, 3_000, 7_000, 16_000];
const OFFSETS = ["0", "1", "2", "4", "9", "-2", "-3", "-1", "x"];

function placeFrom(dice: Dice): Place {
  return { topic: dice.from(TOPICS), partition: dice.below(3) };
}

/** What a callback of a rebalance may do: nothing, wait, decide, answer amiss, fail. */
function rebalanceCb({ dice, note, pass }: Client, who: string): unknown {
  return async (
    notice: { readonly code: number },
    partitions: Place[],
    fns: {
      assign(partitions: object[]): void;
      unassign(partitions: object[]): void;
      assignmentLost(): boolean;
    },
  ) => {
    note(`${who} rebalances`, [notice.code, partitions, fns.assignmentLost()]);
    switch (dice.below(9)) {
      case 0:
        return await pass(dice.from(PAUSES_MS));
      case 1:
        return fns.assign(partitions.map((at) => ({ ...at, offset: dice.below(4) })));
      case 2:
        return fns.unassign(partitions);
      case 3:
        throw new Error("cannot rebalance");
      case 4:
        await pass(dice.from(PAUSES_MS));
        return partitions.map((at) => ({ ...at, offset: -2 }));
      case 5:
        fns.assign(partitions.slice(1));
        return fns.unassign(partitions);
      case 6:
        return dice.oneIn(4) ? "nonsense" : undefined;
      default:
        return undefined;
    }
  };
}

function configOf(actor: Client, who: string): object {
  const { dice } = actor;
  const kafkaJS = {
    groupId: dice.from(["triggerer", "triggerer", "triggerer", "other"]),
    fromBeginning: !dice.oneIn(4),
    ...(dice.oneIn(3) ? {} : { autoCommit: dice.oneIn(2) }),
    ...(dice.oneIn(2) ? {} : { autoCommitInterval: 500 + dice.below(4_000) }),
    ...(dice.oneIn(2) ? {} : { sessionTimeout: dice.from([6_000, 10_000, 20_000]) }),
    ...(dice.oneIn(3) ? { rebalanceTimeout: dice.from([3_000, 9_000]) } : {}),
  };
  return {
    kafkaJS,
    ...(dice.oneIn(3) ? { "js.consumer.max.batch.size": dice.from([1, 2, 5, -1]) } : {}),
    ...(dice.oneIn(3)
      ? { "js.consumer.max.cache.size.per.worker.ms": dice.from([1, 300, 5_000]) }
      : {}),
    ...(dice.oneIn(2) ? { rebalance_cb: rebalanceCb(actor, who) } : {}),
  };
}

/** A handler of messages, or of batches, that now and then does something else. */
function handlersOf(actor: Client, who: string, consumer: Consumer): object {
  const { dice, note, pass, call } = actor;
  const amid = async (at: Place, offset: string, pause: () => () => void): Promise<void> => {
    if (!dice.oneIn(3)) await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(8) ? 8 : 5)));
    switch (dice.below(14)) {
      case 0:
        throw new Error("cannot handle this");
      case 1: {
        const resume = pause();
        void pass(dice.from(PAUSES_MS)).then(() => call(`${who} resumes`, () => resume()));
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
      case 5:
        await call(`${who} commits all`, () => consumer.commitOffsets());
        return;
      default:
        return;
    }
  };
  const partitionsConsumedConcurrently = 1 + dice.below(3);
  if (dice.oneIn(2)) {
    return {
      partitionsConsumedConcurrently,
      eachMessage: async ({ topic, partition, message, pause }: MessagePayload) => {
        note(`${who} is given`, [topic, partition, message.offset, message.timestamp]);
        await amid({ topic, partition }, message.offset, pause);
        note(`${who} has handled`, message.offset);
      },
    };
  }
  return {
    partitionsConsumedConcurrently,
    ...(dice.oneIn(3) ? { eachBatchAutoResolve: false } : {}),
    eachBatch: async ({ batch, resolveOffset, heartbeat, pause, ...rest }: BatchPayload) => {
      const { topic, partition, messages, highWatermark } = batch;
      const facts = [batch.firstOffset(), batch.lastOffset(), batch.offsetLag(), highWatermark];
      note(`${who} is given`, [topic, partition, messages.length, ...facts]);
      for (const { offset } of messages) {
        await amid({ topic, partition }, offset, pause);
        if (rest.isStale() || !rest.isRunning()) {
          note(`${who} is out of date`, [rest.isStale(), rest.isRunning()]);
          if (!dice.oneIn(3)) return;
        }
        if (!dice.oneIn(5)) resolveOffset(offset, ...(dice.oneIn(4) ? [dice.below(2)] : []));
        await heartbeat();
      }
      if (dice.oneIn(2)) await rest.commitOffsetsIfNecessary();
    },
  };
}

type Run = NonNullable<Parameters<Consumer["run"]>[0]>;
type MessagePayload = Parameters<NonNullable<Run["eachMessage"]>>[0];
type BatchPayload = Parameters<NonNullable<Run["eachBatch"]>>[0];

async function consume(actor: Client): Promise<void> {
  const { client, dice, call, pass, note } = actor;
  for (let round = 1; ; round += 1) {
    const who = `consumer ${round}`;
    const consumer = client.consumer(configOf(actor, who));
    if (dice.oneIn(8))
      await call(`${who} subscribes early`, () => consumer.subscribe({ topic: TOPIC }));
    await call(`${who} connects`, () => consumer.connect());
    const wanted = dice.from([{ topic: TOPIC }, { topics: [TOPIC] }, { topics: [/^orders/] }]);
    const isLate = dice.oneIn(6);
    if (!isLate) await call(`${who} subscribes`, () => consumer.subscribe(wanted));
    if (dice.oneIn(6))
      await call(`${who} seeks early`, () => consumer.seek({ ...placeFrom(dice), offset: "1" }));
    if (dice.oneIn(6)) await pass(dice.from(PAUSES_MS));
    await call(`${who} runs`, () => consumer.run(handlersOf(actor, who, consumer)));
    if (isLate) {
      await pass(dice.from(PAUSES_MS));
      await call(`${who} subscribes late`, () => consumer.subscribe(wanted));
    }
    for (let left = 2 + dice.below(10); left > 0; left -= 1) {
      await pass(dice.from(PAUSES_MS));
      await turn(actor, who, consumer);
    }
    const ending = call(`${who} disconnects`, () => consumer.disconnect());
    if (dice.oneIn(2)) {
      await pass(dice.below(5));
      await call(`${who} disconnects meanwhile`, () => consumer.disconnect());
    }
    await ending;
    note("open", consumer.isOpen);
    for (let left = dice.below(3); left > 0; left -= 1) await turn(actor, who, consumer);
    if (dice.oneIn(2)) await call(`${who} disconnects again`, () => consumer.disconnect());
    await pass(dice.from(PAUSES_MS));
  }
}

async function turn({ dice, call, pass }: Client, who: string, consumer: Consumer): Promise<void> {
  const at = placeFrom(dice);
  const places = [{ topic: at.topic, ...(dice.oneIn(2) ? {} : { partitions: [at.partition] }) }];
  switch (dice.below(12)) {
    case 0:
    case 1:
      await call(`${who} seeks`, () => consumer.seek({ ...at, offset: dice.from(OFFSETS) }));
      return;
    case 2: {
      const resume = await call(`${who} pauses`, () => {
        const again = consumer.pause(places);
        return { again, toJSON: () => typeof again };
      });
      await call(`${who} has paused`, () => consumer.paused());
      if (!dice.oneIn(3)) return;
      await pass(dice.from(PAUSES_MS));
      await call(`${who} resumes those`, () => resume?.again());
      return;
    }
    case 3:
    case 4:
      await call(`${who} resumes`, () => consumer.resume(places));
      return;
    case 5:
      await call(`${who} commits`, () =>
        dice.oneIn(2)
          ? consumer.commitOffsets()
          : consumer.commitOffsets([
              { ...at, offset: String(dice.below(6)), metadata: "m", leaderEpoch: dice.below(2) },
            ]),
      );
      return;
    case 6:
      await call(`${who} has committed`, () => consumer.committed(dice.oneIn(2) ? null : [at]));
      return;
    case 8:
      await call(`${who} names no topic`, () =>
        dice.oneIn(2)
          ? consumer.pause([{ topic: 7 as never }])
          : consumer.seek({ ...at, partition: "0" as never, offset: "1" }),
      );
      return;
    case 7:
      await call(`${who} is assigned`, () => [consumer.assignment(), consumer.rebalanceProtocol()]);
      return;
    case 9:
      await call(`${who} subscribes again`, () =>
        consumer.subscribe({ topics: [dice.from(TOPICS)], replace: dice.oneIn(2) }),
      );
      return;
    default:
      return;
  }
}

async function produce({ client, dice, call, pass, publish }: Client): Promise<void> {
  for (;;) {
    const producer = client.producer(
      dice.from([
        {},
        { kafkaJS: { retry: { retries: dice.below(3) } } },
        { kafkaJS: { idempotent: true } },
        { "message.timeout.ms": 4_000, "retry.backoff.ms": 50 },
      ]),
    );
    const admin = dice.oneIn(2) ? client.admin() : producer.dependentAdmin();
    await call("connects", () => producer.connect());
    await call("connects its admin", () => admin.connect());
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
      const sent = [record(), record()] as never;
      switch (dice.below(7)) {
        case 0:
          void call("sends and goes on", () => producer.send(record() as never));
          break;
        case 1:
          await call("sends many", () => producer.sendBatch({ topicMessages: sent }));
          break;
        case 2:
          await call("flushes", () => producer.flush({ timeout: dice.from([1, 500]) }));
          break;
        case 3:
          await call("topics", () => admin.listTopics());
          break;
        case 4:
          await call("ends", () => admin.fetchTopicOffsets(dice.from(TOPICS)));
          break;
        case 5:
          await call("offsets", () => admin.fetchOffsets({ groupId: "triggerer" }));
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
  name: "confluent",
  createWorld: (dice) => ({
    model: confluentKafka({ partitions: 1 + dice.below(3) }),
    actors: { one: consume, two: consume, sender: produce },
  }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 14,
});
