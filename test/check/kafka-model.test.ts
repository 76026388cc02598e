import { describe, expect, test } from "vitest";
import { kafka, type KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import type { Broker } from "../../sim/brokers/broker.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { Host } from "../../sim/hosts/host.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { Network } from "../../sim/hosts/network.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { World } from "../../sim/kernel/world.ts";

/** One host with a client of a one-partition broker. */
class Bench {
  readonly world = new World(new CalmChoices(), { keepTrace: true });
  readonly broker: Broker<KafkaClient> = kafka({ partitions: 1 }).start(this.world, "broker");
  readonly host: Host;
  readonly seen: string[] = [];

  constructor(act: (client: KafkaClient, bench: Bench, life: Life) => Promise<void>) {
    const network = new Network<Host>(this.world);
    this.host = new Host(this.world, network, "triggerer", (life) => {
      const { client } = this.broker.connect(life);
      act(client, this, life).catch((error: unknown) => this.world.fail(error));
    });
    for (let n = 1; n <= 3; n += 1) this.broker.publish({ ref: `ref-00000${n}`, key: "key-1" });
    this.host.start();
  }

  settled(): readonly string[] {
    return this.world.trace.events().flatMap((event) => (isSettled(event) ? [event.ref] : []));
  }
}

function isSettled(event: TraceEvent): event is Extract<TraceEvent, { kind: "settled" }> {
  return event.kind === "settled";
}

type Consumer = ReturnType<KafkaClient["consumer"]>;

async function reading(client: KafkaClient, bench: Bench, autoCommit = false): Promise<Consumer> {
  const consumer = client.consumer({ groupId: "g", retry: { retries: 0 } });
  await consumer.connect();
  await consumer.subscribe({ topic: "orders", fromBeginning: true });
  await consumer.run({
    autoCommit,
    eachBatch: async ({ batch }) => {
      await Promise.resolve();
      for (const { offset } of batch.messages) bench.seen.push(offset);
    },
  });
  return consumer;
}

function disturb({ broker }: Bench, name: string): void {
  broker.disturbances.find((one) => one.name === name)?.strike();
}

const pause = (life: Life, ms: number): Promise<void> =>
  new Promise((resolve) => void life.clock.setTimer(ms, resolve));

describe("the Kafka model", () => {
  test("commits are cumulative and name the next offset to read", async () => {
    const bench = new Bench(async (client, here) => {
      const consumer = await reading(client, here);
      await consumer.commitOffsets([{ topic: "orders", partition: 0, offset: "2" }]);
    });
    await bench.world.run(2_000);
    expect(bench.seen).toEqual(["0", "1", "2"]);
    expect(bench.settled()).toEqual(["ref-000001", "ref-000002"]);
    expect(bench.broker.owed()).toEqual(["ref-000003"]);
  });

  test("what is not committed comes again only after a seek, a rebalance or a restart", async () => {
    const bench = new Bench(async (client, here, life) => {
      const consumer = await reading(client, here);
      await pause(life, 20_000);
      expect(here.seen).toEqual(["0", "1", "2"]);
      consumer.seek({ topic: "orders", partition: 0, offset: "1" });
      await pause(life, 10_000);
      expect(here.seen).toEqual(["0", "1", "2", "1", "2"]);
      disturb(here, "the coordinator forgets its members");
    });
    await bench.world.run(60_000);
    expect(bench.seen).toEqual(["0", "1", "2", "1", "2", "0", "1", "2"]);
  });

  test("auto-commit settles what a handler has returned from", async () => {
    const bench = new Bench(async (client, here) => void (await reading(client, here, true)));
    await bench.world.run(2_000);
    expect(bench.settled()).toEqual(["ref-000001", "ref-000002", "ref-000003"]);
  });

  test("a commit of a member that was put out is refused, with the library's error", async () => {
    const errors: unknown[] = [];
    const bench = new Bench(async (client, here, life) => {
      const consumer = await reading(client, here);
      await pause(life, 100);
      disturb(here, "the coordinator forgets its members");
      await consumer
        .commitOffsets([{ topic: "orders", partition: 0, offset: "1" }])
        .catch((error: unknown) => errors.push(error));
    });
    await bench.world.run(200);
    expect(errors).toMatchObject([
      {
        name: "KafkaJSNonRetriableError",
        cause: { name: "KafkaJSProtocolError", type: "UNKNOWN_MEMBER_ID", code: 25 },
      },
    ]);
    expect(bench.settled()).toEqual([]);
  });

  test("a commit is accepted in the current generation, whoever owns the partition", async () => {
    const bench = new Bench(async (client, here, life) => {
      const consumer = client.consumer({ groupId: "g" });
      await consumer.connect();
      await consumer.subscribe({ topic: "orders", fromBeginning: true });
      await consumer.run({ autoCommit: false, eachBatch: () => Promise.resolve() });
      await pause(life, 100);
      disturb(here, "the coordinator forgets its members");
      disturb(here, "another consumer joins the group");
      await pause(life, 30_000);
      await consumer.commitOffsets([{ topic: "orders", partition: 0, offset: "1" }]);
    });
    await bench.world.run(60_000);
    const commits = bench.world.trace
      .events()
      .flatMap((event) => (event.kind === "settle" ? [[event.handle, event.refused]] : []));
    // The rival has settled all three, and the late commit takes the position back.
    expect(commits).toEqual([
      ["orders/0@1", ""],
      ["orders/0@2", ""],
      ["orders/0@3", ""],
      ["orders/0@1", ""],
    ]);
  });

  test("retention removes a position, and the reset policy decides where reading continues", async () => {
    const bench = new Bench(async (client, here, life) => {
      const consumer = await reading(client, here);
      await pause(life, 100);
      disturb(here, "retention deletes the oldest records");
      consumer.seek({ topic: "orders", partition: 0, offset: "0" });
      await pause(life, 1_000);
    });
    await bench.world.run(30_000);
    expect(bench.seen).toEqual(["0", "1", "2", "1", "2"]);
    expect(bench.broker.owed()).toEqual(["ref-000002", "ref-000003"]);
  });

  test("a topic that refuses a message says so for each send, and keeps what it took", async () => {
    const errors: unknown[] = [];
    const bench = new Bench(async (client, here) => {
      await reading(client, here);
      const producer = client.producer();
      const record = { topic: "dead", messages: [{ value: "ref-000001" }] };
      await producer.send(record).catch((error: unknown) => errors.push(error));
      await producer.connect();
      await producer.send(record);
      disturb(here, "other topics refuse what is sent");
      await producer.send(record).catch((error: unknown) => errors.push(error));
    });
    await bench.world.run(5_000);
    expect(errors).toMatchObject([
      { name: "KafkaJSError", message: "The producer is disconnected" },
      { name: "KafkaJSProtocolError", type: "MESSAGE_TOO_LARGE", code: 10 },
    ]);
    const letters = bench.world.trace.events().filter(({ kind }) => kind === "dead-lettered");
    expect(letters).toHaveLength(1);
  });

  test("a client says what it holds open", async () => {
    const world = new World(new CalmChoices(), { keepTrace: false });
    const broker = kafka().start(world, "broker");
    const open: (readonly string[])[] = [];
    const host = new Host(world, new Network<Host>(world), "triggerer", (life) => {
      const link = broker.connect(life);
      const consumer = link.client.consumer({ groupId: "g" });
      void consumer
        .connect()
        .then(() => open.push(link.open()))
        .then(() => consumer.disconnect())
        .then(() => open.push(link.open()));
    });
    host.start();
    await world.run(1_000);
    expect(open).toEqual([['a consumer of group "g"'], []]);
  });

  test("misuse fails as in the library", async () => {
    const world = new World(new CalmChoices(), { keepTrace: false });
    const { client } = kafka()
      .start(world, "broker")
      .connect({ clock: { wallNow: () => 0 } } as unknown as Life);
    const consumer = client.consumer({ groupId: "g" });
    const place = { topic: "orders", partition: 0, offset: "1" };
    expect(() => client.consumer({ groupId: "" })).toThrow("non-empty string");
    expect(() => consumer.seek(place)).toThrow("consumer#run must be called first");
    expect(() => consumer.seek({ ...place, offset: "-3" })).toThrow("must not be a negative");
    await expect(consumer.commitOffsets([{ ...place, offset: "x" }])).rejects.toThrow(
      "Invalid offset, expected a long received x",
    );
    expect(() => kafka({ partitions: 0 })).toThrow("Cannot make a topic of 0 partitions");
  });
});
