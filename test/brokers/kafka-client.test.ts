import { expect, test } from "vitest";
import { kafka, type KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const GROUP = "triggerer";
const TOPIC = "orders";

function strike(stage: BrokerStage<KafkaClient>, name: string): void {
  const found = stage.broker.disturbances.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No disturbance "${name}"`);
  found.strike();
}

test("a group's offsets are listed where it has committed, unless topics are named", async () => {
  const stage = new BrokerStage(kafka({ partitions: 2 }));
  stage.publish(3);
  const seen = await stage.play(async (client, life) => {
    const admin = client.admin();
    await admin.connect();
    const before = await admin.fetchOffsets({ groupId: GROUP });
    const consumer = client.consumer({ groupId: GROUP });
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() });
    await pass(life, 8_000);
    await consumer.commitOffsets([{ topic: TOPIC, partition: 1, offset: "0" }]);
    const committed = await admin.fetchOffsets({ groupId: GROUP });
    const named = await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] });
    await consumer.disconnect();
    await admin.disconnect();
    return { before, committed, named };
  });
  const none = { partition: 0, offset: "-1", metadata: null };
  const one = { partition: 1, offset: "0", metadata: null };
  expect(seen.before).toEqual([]);
  expect(seen.committed).toMatchObject([
    { topic: TOPIC, partitions: [{ partition: 1, offset: "0" }] },
  ]);
  expect(seen.committed[0]?.partitions).toHaveLength(1);
  expect(seen.named.map(({ topic }) => topic)).toEqual([TOPIC]);
  expect(seen.named[0]?.partitions).toMatchObject([
    { partition: none.partition, offset: none.offset },
    { partition: one.partition, offset: one.offset },
  ]);
});

test("a batch is never empty, and a commit of nothing is no event", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  stage.publish(2);
  const seen = await stage.play(async (client, life) => {
    const consumer = client.consumer({ groupId: GROUP });
    let commits = 0;
    consumer.on(consumer.events.COMMIT_OFFSETS, () => {
      commits += 1;
    });
    const batches: boolean[] = [];
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    await consumer.run({
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, commitOffsetsIfNecessary }) => {
        batches.push(batch.isEmpty());
        await commitOffsetsIfNecessary({ topics: [] });
      },
    });
    await pass(life, 8_000);
    await consumer.disconnect();
    return { commits, batches: [...new Set(batches)] };
  });
  expect(seen).toEqual({ commits: 0, batches: [false] });
});

test("a handler that fails crashes its consumer, once the other partitions are handled", async () => {
  const stage = new BrokerStage(kafka({ partitions: 2 }));
  const seen = await stage.play(async (client, life) => {
    const producer = client.producer();
    await producer.connect();
    const messages = [0, 1].map((partition) => ({ partition, value: "{}" }));
    await producer.send({ topic: TOPIC, messages });
    const consumer = client.consumer({ groupId: GROUP, retry: { retries: 0 } });
    const crashes: string[] = [];
    consumer.on(consumer.events.CRASH, ({ payload }: { payload: { error: Error } }) => {
      crashes.push(payload.error.message);
    });
    const handled: number[] = [];
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: ({ partition }) => {
        handled.push(partition);
        return Promise.reject(new Error(`cannot handle ${partition}`));
      },
    });
    await pass(life, 8_000);
    await consumer.disconnect();
    await producer.disconnect();
    return { handled: handled.slice(0, 2).toSorted((a, b) => a - b), crash: crashes[0] };
  });
  expect(seen).toEqual({ handled: [0, 1], crash: "cannot handle 0" });
});

test("retention strikes where records are unsettled, whatever the other partitions hold", async () => {
  const stage = new BrokerStage(kafka({ partitions: 4 }));
  stage.publish(3, "one-key");
  const lost = await stage.play(async (client, life) => {
    const consumer = client.consumer({ groupId: GROUP });
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() });
    await pass(life, 8_000);
    strike(stage, "retention deletes the oldest records");
    await consumer.disconnect();
    return stage.told("expired", ({ ref }) => ref);
  });
  expect(lost).toEqual(["ref-000001"]);
});

test("a consumer that crashes commits nothing any more while it leaves, and does not say so", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  stage.publish(1);
  const seen = await stage.play(async (client, life) => {
    const consumer = client.consumer({ groupId: GROUP, retry: { retries: 0 } });
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    const told: string[] = [];
    consumer.on(consumer.events.CRASH, () => told.push("crash"));
    const eachMessage = async (): Promise<void> => {
      stage.strike("broker.session", { kind: "delay", ms: 3_000 });
      throw new TypeError("no such field");
    };
    await consumer.run({ autoCommit: false, eachMessage });
    await pass(life, 2_000);
    told.push(String(await consumer.commitOffsets([{ topic: TOPIC, partition: 0, offset: "1" }])));
    await pass(life, 5_000);
    const admin = client.admin();
    await admin.connect();
    const committed = await admin.fetchOffsets({ groupId: GROUP });
    await admin.disconnect();
    return [told, committed];
  });
  expect(seen).toEqual([["undefined", "crash"], []]);
});

test("a send names the first message that has no value", async () => {
  const seen = await new BrokerStage(kafka()).play(async (client) => {
    const producer = client.producer();
    await producer.connect();
    const messages = [{ value: "{}" }, { key: "first" }, { key: "last" }];
    return producer
      .send({ topic: TOPIC, messages: messages as { value: string }[] })
      .catch((error: Error) => error.message);
  });
  expect(seen).toBe(`Invalid message without value for topic "orders": {"key":"first"}`);
});

test("an admin client tells who listens that it is connected, and that it is not any more", async () => {
  const seen = await new BrokerStage(kafka()).play(async (client) => {
    const admin = client.admin();
    const { CONNECT, DISCONNECT } = admin.events;
    const told: string[] = [];
    for (const event of [CONNECT, DISCONNECT] as string[])
      admin.on(event, ({ type }: { type: string }) => told.push(type));
    await admin.connect();
    const before = [...told];
    await admin.disconnect();
    return [before, told];
  });
  expect(seen).toEqual([["admin.connect"], ["admin.connect", "admin.disconnect"]]);
});

test("the coordinator forgets no group that there is not", async () => {
  const stage = new BrokerStage(kafka());
  const groups = await stage.play(async (client) => {
    const admin = client.admin();
    await admin.connect();
    strike(stage, "the coordinator forgets its members");
    return admin.listGroups();
  });
  expect(groups).toEqual({ groups: [] });
});

test("a consumer that runs again has nothing paused", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  const seen = await stage.play(async (client, life) => {
    const consumer = client.consumer({ groupId: GROUP });
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    const handled: string[] = [];
    const eachMessage = ({ message }: { readonly message: { readonly offset: string } }) =>
      Promise.resolve(void handled.push(message.offset));
    await consumer.run({ eachMessage });
    await pass(life, 8_000);
    consumer.pause([{ topic: TOPIC }]);
    stage.publish(1);
    await pass(life, 8_000);
    const whilePaused = [...handled];
    await consumer.stop();
    await consumer.run({ eachMessage });
    await pass(life, 8_000);
    const paused = consumer.paused();
    await consumer.disconnect();
    return { whilePaused, handled, paused };
  });
  expect(seen).toEqual({ whilePaused: [], handled: ["0"], paused: [] });
});

test("a batch is refused from one byte beyond what the server takes", async () => {
  const seen = await new BrokerStage(kafka({ partitions: 1 })).play(async (client) => {
    const producer = client.producer({ retry: { retries: 0 } });
    await producer.connect();
    // Two records, of 7 bytes each beside what is in them, in a batch of 61.
    const most = 1_048_588 - 61 - 2 * 7 - "key".length;
    const send = (bytes: number): Promise<string> =>
      producer
        .send({
          topic: TOPIC,
          messages: [{ key: "key", value: "x".repeat(9) }, { value: "x".repeat(bytes - 9) }],
        })
        .then(
          () => "taken",
          (error: Error) => error.message,
        );
    const ends = [await send(most), await send(most + 1)];
    await producer.disconnect();
    return ends;
  });
  expect(seen[0]).toBe("taken");
  expect(seen[1]).toContain("larger than the max message size");
});

test("what a client has open is what it has connected and not disconnected", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  const seen = await stage.play(async (client) => {
    const open = (): number => stage.links[0]?.open().length ?? 0;
    const parts = [client.admin(), client.producer(), client.consumer({ groupId: GROUP })];
    const counts = [open()];
    for (const part of parts) {
      await part.connect();
      counts.push(open());
    }
    for (const part of parts) {
      await part.disconnect();
      counts.push(open());
    }
    return counts;
  });
  expect(seen).toEqual([0, 1, 2, 3, 2, 1, 0]);
});

test("what a handler throws that is no error is the cause of the crash, and its text", async () => {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  stage.publish(1);
  const [crash] = await stage.play(async (client, life) => {
    const retry = { retries: 0, restartOnFailure: () => Promise.resolve(false) };
    const consumer = client.consumer({ groupId: GROUP, retry });
    const crashes: unknown[] = [];
    consumer.on(consumer.events.CRASH, ({ payload }: { payload: { readonly error: unknown } }) => {
      crashes.push(payload.error);
    });
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    await consumer.run({ eachMessage: () => Promise.reject("text") });
    await pass(life, 10_000);
    await consumer.disconnect();
    return crashes;
  });
  expect(crash).toMatchObject({
    ...{ name: "KafkaJSNumberOfRetriesExceeded", message: "text", cause: "text" },
    ...{ retriable: false, retryCount: 0 },
  });
});

/** Sends the letter of a record, and tells what comes of it while the leader crashes after `ms`. */
async function letterSent(acks: number, ms: number): Promise<readonly string[]> {
  const stage = new BrokerStage(kafka({ partitions: 1 }));
  await stage.play(async (client, life) => {
    const producer = client.producer();
    await producer.connect();
    const messages = [{ value: JSON.stringify({ ref: "ref-000001" }) }];
    await producer.send({ topic: "orders.dead-letter", acks, messages });
    await pass(life, ms);
    const crash = { kind: "host", state: "crash", incarnation: 1 } as const;
    stage.world.trace.emit("broker", crash);
    await pass(life, 1_000);
  });
  return stage.world.trace
    .events()
    .flatMap(({ kind }) => (kind === "on-leader-alone" || kind === "dead-lettered" ? [kind] : []));
}

test("what the leader of a partition confirms alone is lost when it crashes before others have it", async () => {
  expect(await letterSent(-1, 0)).toEqual(["dead-lettered"]);
  for (const acks of [0, 1]) {
    expect(await letterSent(acks, 100)).toEqual(["on-leader-alone"]);
    expect(await letterSent(acks, 700)).toEqual(["on-leader-alone", "dead-lettered"]);
  }
});
