import { eventHubs, type EventHubsModule } from "../../../sim/brokers/event-hubs/model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<EventHubsModule>;
type Consumer = InstanceType<EventHubsModule["EventHubConsumerClient"]>;

const CONNECTION = "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=a";
const BALANCING = {
  updateIntervalInMs: 2_000,
  partitionOwnershipExpirationIntervalInMs: 9_000,
} as const;

function consumerOf({ client }: Stage, strategy: "balanced" | "greedy"): Consumer {
  const { EventHubConsumerClient, checkpointStore } = client;
  const options = { loadBalancingOptions: { ...BALANCING, strategy } };
  return new EventHubConsumerClient("$Default", CONNECTION, "orders", checkpointStore, options);
}

function subscribe(stage: Stage, who: string, consumer: Consumer): { close(): Promise<void> } {
  const { client, note, call, pass } = stage;
  return consumer.subscribe(
    {
      processInitialize: async ({ partitionId }) => note(`${who} begins`, partitionId),
      processClose: async (reason, { partitionId }) => note(`${who} ends`, [partitionId, reason]),
      processError: async (error, { partitionId }) => {
        note(`${who} is told`, [partitionId, String(error)]);
      },
      processEvents: async (events, context) => {
        const seen = events.map(({ sequenceNumber, partitionKey, body }): unknown => [
          sequenceNumber,
          partitionKey,
          body as unknown,
        ]);
        note(`${who} is given`, [context.partitionId, seen]);
        await pass(500);
        const last = events.at(-1);
        if (last !== undefined) await call("saves", () => context.updateCheckpoint(last));
        if (last?.sequenceNumber === 4) throw new Error("cannot handle this");
      },
    },
    { maxBatchSize: 3, maxWaitTimeInSeconds: 4, startPosition: client.earliestEventPosition },
  );
}

async function work(stage: Stage): Promise<void> {
  const { client, publish, pass, call } = stage;
  publish(4);
  publish(2, "key-2");
  const one = consumerOf(stage, "greedy");
  const first = subscribe(stage, "one", one);
  await pass(12_000);
  const two = consumerOf(stage, "balanced");
  subscribe(stage, "two", two);
  publish(3, "key-3");
  await call("the hub", async () => (await two.getEventHubProperties()).partitionIds);
  await call("a partition", async () => {
    const about = await two.getPartitionProperties("0");
    return [about.beginningSequenceNumber, about.lastEnqueuedSequenceNumber, about.isEmpty];
  });
  const producer = new client.EventHubProducerClient(CONNECTION, "orders-dead");
  const dead = { body: { ref: "ref-000001" } };
  await call("sends", () => producer.sendBatch([dead], { partitionKey: "key-1" }));
  await call("sends to one", () => producer.sendBatch([dead], { partitionId: "1" }));
  await pass(15_000);
  publish(4);
  await pass(15_000);
  await call("one leaves", () => first.close());
  await pass(15_000);
  await call("one closes", () => one.close());
  await call("two closes", () => two.close());
  await call("the producer closes", () => producer.close());
}

testTroubles({
  name: "event-hubs",
  createModel: () => eventHubs({ partitions: 3 }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
