import { eventHubs, type EventHubsModule } from "../../../sim/brokers/event-hubs/model.ts";
import type { SubscriptionEventHandlers } from "../../../sim/brokers/event-hubs/pump.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = Actor<EventHubsModule>;
type Consumer = InstanceType<EventHubsModule["EventHubConsumerClient"]>;

const CONNECTION = "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=a";
const PAUSES_MS = [0, 1, 20, 300, 1_100, 4_000, 12_000];

function createConsumer({ client, dice }: Client): Consumer {
  const { EventHubConsumerClient, checkpointStore } = client;
  const loadBalancingOptions = {
    strategy: dice.from(["balanced", "greedy"] as const),
    updateIntervalInMs: dice.from([500, 2_000]),
    partitionOwnershipExpirationIntervalInMs: dice.from([4_000, 9_000]),
  };
  const options = { loadBalancingOptions };
  if (dice.oneIn(6)) return new EventHubConsumerClient("$Default", CONNECTION, "orders", options);
  return new EventHubConsumerClient("$Default", CONNECTION, "orders", checkpointStore, options);
}

function subscribe(actor: Client, consumer: Consumer): { close(): Promise<void> } {
  const { client, dice, note, call, pass } = actor;
  const handlers: SubscriptionEventHandlers = {
    processInitialize: async ({ partitionId }) => {
      note("begins", partitionId);
      if (dice.oneIn(4)) await pass(dice.from(PAUSES_MS));
      if (dice.oneIn(10)) throw new Error("cannot begin");
    },
    processClose: async (reason, { partitionId }) => {
      note("ends", [partitionId, reason]);
      if (dice.oneIn(4)) await pass(dice.from(PAUSES_MS));
      if (dice.oneIn(10)) throw new Error("cannot end");
    },
    processError: async (error, { partitionId }) => {
      note("is told", [partitionId, String(error)]);
      if (dice.oneIn(4)) await pass(dice.from(PAUSES_MS));
    },
    processEvents: async (events, context) => {
      const numbers = events.map(({ sequenceNumber, partitionKey }) => [
        ...[sequenceNumber, partitionKey],
      ]);
      note("is given", [context.partitionId, numbers]);
      await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(8) ? 7 : 5)));
      const some = events.at(-1 - dice.below(2));
      if (some !== undefined && !dice.oneIn(3)) {
        await call("saves", () => context.updateCheckpoint(some));
      }
      if (dice.oneIn(12)) throw new Error("cannot handle this");
    },
  };
  const startPosition = dice.from([
    client.earliestEventPosition,
    client.latestEventPosition,
    { sequenceNumber: dice.below(4), isInclusive: dice.oneIn(2) },
    { enqueuedOn: new Date(1_767_225_600_000 + dice.below(40_000)) },
  ]);
  const options = {
    ...{ maxBatchSize: 1 + dice.below(4), maxWaitTimeInSeconds: dice.from([1, 4]) },
    startPosition,
  };
  if (dice.oneIn(4)) return consumer.subscribe(String(dice.below(3)), handlers, options);
  return consumer.subscribe(handlers, options);
}

async function consume(actor: Client): Promise<void> {
  const { dice, call, note, pass } = actor;
  for (;;) {
    const consumer = createConsumer(actor);
    const subscriptions: { close(): Promise<void> }[] = [];
    for (let left = 2 + dice.below(8); left > 0; left -= 1) {
      await pass(dice.from(PAUSES_MS) * 2);
      switch (dice.below(6)) {
        case 0:
          await call("the hub", () => consumer.getEventHubProperties());
          break;
        case 1:
          await call("a partition", () => consumer.getPartitionProperties(String(dice.below(4))));
          break;
        case 2: {
          const closing = call("stops", () => subscriptions.shift()?.close());
          if (dice.oneIn(2)) await Promise.race([closing, pass(9_000)]);
          break;
        }
        default: {
          const made = await call("subscribes", () => {
            const subscription = subscribe(actor, consumer);
            return { subscription, toJSON: () => "done" };
          });
          if (made !== undefined) subscriptions.push(made.subscription);
        }
      }
    }
    await Promise.race([call("closes", () => consumer.close()), pass(9_000)]);
    note("open", subscriptions.length);
  }
}

async function produce(actor: Client): Promise<void> {
  const { client, dice, call, publish, pass } = actor;
  for (;;) {
    const hub = dice.from(["orders-dead", "orders-dead", "orders"]);
    const producer = new client.EventHubProducerClient(CONNECTION, hub);
    for (let left = 3 + dice.below(9); left > 0; left -= 1) {
      await pass(dice.from(PAUSES_MS.slice(0, 6)));
      publish(dice.below(4), dice.from(["key-1", "key-2", "key-3"]));
      const event = { body: dice.from<unknown>([{ ref: "ref-000001" }, "text", 7, [1]]) };
      const to = dice.from([{}, { partitionKey: "key-1" }, { partitionId: String(dice.below(4)) }]);
      await call("sends", () => producer.sendBatch([event, event].slice(dice.below(3)), to));
    }
    await call("the producer closes", () => producer.close());
  }
}

testTurns({
  name: "event-hubs",
  createWorld: (dice) => ({
    model: eventHubs({ partitions: 2 + dice.below(3) }),
    actors: { one: consume, two: consume, sender: produce },
  }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 12,
  untilMs: 90_000,
});
