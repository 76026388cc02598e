import { expect, test } from "vitest";
import { InMemoryCheckpointStore } from "../../sim/brokers/event-hubs/checkpoint-store.ts";
import type { ReceivedEventData } from "../../sim/brokers/event-hubs/event.ts";
import { eventHubs, type EventHubsModule } from "../../sim/brokers/event-hubs/model.ts";
import type { SubscribeOptions } from "../../sim/brokers/event-hubs/pump.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

const HOST = "simulated.servicebus.windows.net";
const CONNECTION = `Endpoint=sb://${HOST}/;SharedAccessKeyName=me;SharedAccessKey=a=b==`;
const PLACE = { fullyQualifiedNamespace: HOST, eventHubName: "orders", consumerGroup: "$Default" };
const nothing = async (): Promise<void> => undefined;

type Names = Pick<
  InstanceType<EventHubsModule["EventHubConsumerClient"]>,
  "fullyQualifiedNamespace" | "eventHubName" | "identifier"
>;

async function readFrom(
  hubs: EventHubsModule,
  wait: () => Promise<void>,
  startPosition: SubscribeOptions["startPosition"],
): Promise<ReceivedEventData[]> {
  const consumer = new hubs.EventHubConsumerClient("$Default", HOST, "orders");
  const seen: ReceivedEventData[] = [];
  const processEvents = async (batch: ReceivedEventData[]) => void seen.push(...batch);
  const options = { maxBatchSize: 10, ...(startPosition === undefined ? {} : { startPosition }) };
  consumer.subscribe({ processEvents, processError: nothing }, options);
  await wait();
  await consumer.close();
  return seen;
}

const refOf = ({ body }: ReceivedEventData): string => (body as { ref: string }).ref.slice(-1);

test("a subscription starts where it is told to", async () => {
  const stage = new BrokerStage(eventHubs({ partitions: 1 }));
  stage.publish(2);
  await stage.world.run(5_000);
  stage.publish(2);
  const seen = await stage.play(async (hubs, life) => {
    const read = async (position: SubscribeOptions["startPosition"]) =>
      (await readFrom(hubs, () => pass(life, 1_000), position)).map(refOf).join("");
    const all = await readFrom(hubs, () => pass(life, 1_000), { offset: "-1" });
    const [, second] = all;
    const { offset = "", sequenceNumber = 0, enqueuedTimeUtc: at = new Date() } = second ?? {};
    return [
      all.map(refOf).join(""),
      await read({ offset }),
      await read({ offset, isInclusive: true }),
      await read({ sequenceNumber }),
      await read({ sequenceNumber, isInclusive: true }),
      await read({ enqueuedOn: at }),
      await read({ enqueuedOn: at.getTime() - 1 }),
      await read({ offset: "@latest" }),
      await read({ "0": { sequenceNumber } }),
      await read({ "1": { sequenceNumber } }),
      await read(undefined),
    ];
  });
  expect(seen).toEqual(["1234", "34", "234", "34", "234", "34", "1234", "", "34", "", ""]);
});

test("a start position sets one of its three fields", async () => {
  const seen = await new BrokerStage(eventHubs()).play(async (hubs) => {
    const consumer = new hubs.EventHubConsumerClient("$Default", HOST, "orders");
    const handlers = { processEvents: nothing, processError: nothing };
    const positions: readonly object[] = [
      {},
      { offset: "1", sequenceNumber: 1 },
      { "0": { offset: "1" }, "1": { isInclusive: true } },
    ];
    const calls: readonly (() => unknown)[] = [
      ...positions.map((startPosition) => () => consumer.subscribe(handlers, { startPosition })),
      () => consumer.subscribe({} as typeof handlers),
      () => consumer.subscribe("0", {} as typeof handlers),
    ];
    return Promise.all(calls.map(outcomeOf));
  });
  const words = "Invalid value for EventPosition found. ";
  const one = `${words}Set exactly one of offset, sequenceNumber or enqueuedOn.`;
  const overload = "Unhandled subscribe() overload";
  const messages = [`${words}Pass an object with a position.`, one, one, overload, overload];
  expect(seen).toEqual(messages.map((message) => ({ name: "TypeError", message })));
});

test("clients are made from a host or a connection string, with what they need behind it", async () => {
  const seen = await new BrokerStage(eventHubs()).play(async (hubs) => {
    const credential = { getToken: async () => null };
    const options = { identifier: "me" };
    // Some forms are for those who write JavaScript.
    const { EventHubConsumerClient: Consumer, EventHubProducerClient: Producer } =
      hubs as unknown as Readonly<Record<string, new (...args: readonly unknown[]) => Names>>;
    if (Consumer === undefined || Producer === undefined) return undefined;
    const made: readonly (() => Names)[] = [
      () => new Consumer("$Default", HOST, "orders", credential, options),
      () => new Consumer("$Default", CONNECTION, "orders", options),
      () => new Consumer("$Default", `${CONNECTION};EntityPath=orders`, options),
      () => new Consumer("$Default", HOST, "orders", { name: "n", key: "k" }, options),
      () => new Consumer("$Default", HOST, "orders", { signature: "s" }, options),
      () => new Producer(`${CONNECTION};EntityPath=dead`, options),
      () => new Producer(`sb://${HOST}/`, "dead", credential, options),
    ];
    const names = made.map((make) => {
      const { fullyQualifiedNamespace, eventHubName, identifier } = make();
      return [fullyQualifiedNamespace, eventHubName, identifier].join(" ");
    });
    const own = [1, 2].map(() => new Consumer("$Default", HOST, "orders").identifier);
    const refused = await Promise.all(
      [
        () => new Consumer("$Default", CONNECTION),
        () => new Producer(HOST, "dead", { loadBalancingOptions: { strategy: "x", other: 1 } }),
        () => new Producer(HOST, "dead", { retryOptions: {} }),
      ].map(outcomeOf),
    );
    return { names, own: new Set(own).size, refused };
  });
  const not = (what: string) => ({
    name: "NotModelled",
    message: `Not modelled: new EventHubProducerClient() with ${what}; see brokers.eventHubs`,
  });
  expect(seen).toEqual({
    names: [
      ...Array.from({ length: 5 }, () => `${HOST} orders me`),
      ...Array.from({ length: 2 }, () => `${HOST} dead me`),
    ],
    own: 2,
    refused: [
      {
        name: "TypeError",
        message: `Either provide "eventHubName" or the "connectionString": "${CONNECTION}", must contain "EntityPath=<your-event-hub-name>".`,
      },
      not("other"),
      not("retryOptions"),
    ],
  });
});

test("what a producer sends to the hub of the records is read as it was", async () => {
  const bodies = [{ a: [1] }, "text", 5, null, undefined];
  const seen = await new BrokerStage(eventHubs({ partitions: 2 })).play(async (hubs, life) => {
    const producer = new hubs.EventHubProducerClient(HOST, "orders");
    const named = { messageId: "m", correlationId: 7, contentType: "text", properties: { p: 1 } };
    await producer.sendBatch(
      bodies.map((body) => ({ body })),
      { partitionId: "1" },
    );
    await producer.sendBatch([{ body: "named", ...named }], { partitionId: "1" });
    await producer.sendBatch([{ body: "keyed" }, { body: "too" }], { partitionKey: "k" });
    const all = await readFrom(hubs, () => pass(life, 1_000), { offset: "-1" });
    const errors = [
      () => producer.sendBatch([{ body: 1 }], { partitionId: "1", partitionKey: "k" }),
      () => producer.sendBatch([{ body: 1 }], { partitionId: "2" }),
      () => producer.sendBatch({} as []),
      () => producer.sendBatch([{ body: 1, other: 1 } as { body: number }]),
      () => producer.sendBatch([], { tracingOptions: {} } as object),
      () => producer.getPartitionProperties("0", { abortSignal: 1 }),
      () => producer.getEventHubProperties({ abortSignal: 1 }),
    ];
    const refused = await Promise.all(errors.map(outcomeOf));
    const ids = await producer.getPartitionIds();
    const [last, properties] = [await producer.getPartitionProperties("1"), ids];
    await producer.close();
    const closed = await outcomeOf(() => producer.sendBatch([{ body: 1 }]));
    return { all, refused, last, properties, closed };
  });
  const plain = seen.all.filter(({ partitionKey }) => partitionKey === null);
  expect(plain.map(({ body }) => body as unknown)).toEqual([...bodies.slice(0, 4), null, "named"]);
  expect(plain.at(-1)).toMatchObject({ messageId: "m", correlationId: 7, contentType: "text" });
  expect(plain.at(-1)?.properties).toEqual({ p: 1 });
  expect(plain[0]).not.toHaveProperty("messageId");
  const keyed = seen.all.filter(({ partitionKey }) => partitionKey === "k");
  expect(keyed.map(({ body }) => body as unknown)).toEqual(["keyed", "too"]);
  expect(seen.properties).toEqual(["0", "1"]);
  expect(seen.last).toMatchObject({ eventHubName: "orders", partitionId: "1", isEmpty: false });
  const not = (what: string) => ({
    name: "NotModelled",
    message: `Not modelled: ${what}; see brokers.eventHubs`,
  });
  expect(seen.refused).toEqual([
    { name: "TypeError", message: "Partition key and partition id cannot both be set" },
    expect.objectContaining({ name: "MessagingError", code: "InvalidOperationError" }),
    not("sendBatch() with an EventDataBatch"),
    not("sendBatch() with other"),
    not("sendBatch() with tracingOptions"),
    not("getPartitionProperties() with abortSignal"),
    not("getEventHubProperties() with abortSignal"),
  ]);
  expect(seen.closed).toEqual({
    name: "Error",
    message: "The underlying AMQP connection is closed.",
  });
});

test("a hub says of an empty partition that it is empty, and nothing of another hub", async () => {
  const seen = await new BrokerStage(eventHubs({ partitions: 1 })).play(async (hubs) => {
    const consumer = new hubs.EventHubConsumerClient("$Default", HOST, "orders");
    const other = new hubs.EventHubConsumerClient("$Default", HOST, "others");
    return [
      await consumer.getPartitionProperties("0"),
      await outcomeOf(() => consumer.getPartitionProperties("1")),
      await outcomeOf(() => other.getEventHubProperties()),
      await outcomeOf(() => other.getPartitionProperties("0")),
    ];
  });
  const unknown = { name: "MessagingError", code: "MessagingEntityNotFoundError" };
  expect(seen).toMatchObject([
    {
      ...{ isEmpty: true, beginningSequenceNumber: 0, lastEnqueuedSequenceNumber: -1 },
      ...{ lastEnqueuedOffset: "-1", partitionId: "0" },
    },
    { name: "MessagingError", code: "InvalidOperationError" },
    unknown,
    unknown,
  ]);
});

test("a partition has one subscriber of a client, and what is newest in it on request", async () => {
  const stage = new BrokerStage(eventHubs({ partitions: 2 }));
  stage.publish(2);
  const seen = await stage.play(async (hubs, life) => {
    const consumer = new hubs.EventHubConsumerClient("$Default", HOST, "orders");
    const handlers = { processEvents: nothing, processError: nothing };
    const first = consumer.subscribe("0", handlers);
    const refused = [
      await outcomeOf(() => consumer.subscribe("0", handlers)),
      await outcomeOf(() => consumer.subscribe(handlers)),
    ];
    const running = [first.isRunning];
    await first.close();
    running.push(first.isRunning);
    const newest: unknown[] = [];
    const options = { startPosition: { offset: "-1" } };
    for (const trackLastEnqueuedEventProperties of [true, false]) {
      const one = consumer.subscribe(
        {
          processEvents: async (batch, { lastEnqueuedEventProperties: last }) =>
            void newest.push([batch.length, last?.sequenceNumber, last?.offset !== undefined]),
          processError: nothing,
        },
        { ...options, trackLastEnqueuedEventProperties },
      );
      await pass(life, 1_000);
      await one.close();
    }
    await consumer.close();
    return { refused, running, newest, open: stage.links[0]?.open() };
  });
  const taken = { name: "Error", message: "Partition already has a subscriber." };
  expect(seen).toEqual({
    refused: [taken, taken],
    running: [true, false],
    newest: [
      [1, 1, true],
      [1, 1, true],
      [1, undefined, false],
      [1, undefined, false],
    ],
    open: [],
  });
});

test("checkpoints and ownerships are kept by hub and group, and what is missing is named", async () => {
  const stage = new BrokerStage(eventHubs({ partitions: 1 }));
  stage.publish(2);
  const seen = await stage.play(async (hubs) => {
    const { checkpointStore: store } = hubs;
    const [, eventHub, group] = [HOST, "orders", "$Default"] as const;
    const at = { sequenceNumber: 1, offset: "999999", partitionId: "0" };
    await store.updateCheckpoint({ ...PLACE, ...at, consumerGroup: "other" });
    await store.updateCheckpoint({ ...PLACE, ...at, eventHubName: "others" });
    await store.claimOwnership([
      { ...PLACE, consumerGroup: "other", partitionId: "0", ownerId: "x" },
    ]);
    const before = [
      await store.listCheckpoints(HOST, eventHub, group),
      await store.listOwnership(HOST, eventHub, group),
    ];
    const early = stage.broker.owed();
    await store.updateCheckpoint({ ...PLACE, ...at, eventHubName: "ORDERS" });
    const listed = await store.listCheckpoints(HOST, eventHub, group);
    const memory = new InMemoryCheckpointStore();
    const { offset: _offset, ...withoutOffset } = { ...PLACE, ...at };
    const { sequenceNumber: _number, ...withoutNumber } = { ...PLACE, ...at };
    const refused = [
      await outcomeOf(() => store.updateCheckpoint(withoutOffset as never)),
      await outcomeOf(() => store.updateCheckpoint(withoutNumber as never)),
      await outcomeOf(() => memory.updateCheckpoint(withoutOffset as never)),
    ];
    await memory.updateCheckpoint({ ...PLACE, ...at });
    const kept = (await memory.listCheckpoints()).map(({ offset }) => offset);
    return { before, early, listed: listed.length, owed: stage.broker.owed(), refused, kept };
  });
  const missing = (name: string) => ({
    name: "TypeError",
    message: `updateCheckpoint called without required argument "${name}"`,
  });
  expect(seen).toEqual({
    before: [[], []],
    early: ["ref-000001", "ref-000002"],
    listed: 1,
    owed: [],
    refused: [missing("offset"), missing("sequenceNumber"), missing("offset")],
    kept: ["999999"],
  });
});
