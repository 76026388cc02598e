import { describe, expect, test } from "vitest";
import { availablePartitions } from "../../sim/brokers/event-hubs/balancing.ts";
import { InMemoryCheckpointStore } from "../../sim/brokers/event-hubs/checkpoint-store.ts";
import { eventHubs } from "../../sim/brokers/event-hubs/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const HOST = "simulated.servicebus.windows.net";
const FIRST = { startPosition: { offset: "-1" } };
const never = (): Promise<void> => new Promise(() => undefined);
const PLACE = { fullyQualifiedNamespace: HOST, eventHubName: "orders", consumerGroup: "$Default" };

function ownershipsOf(owners: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(owners).flatMap(([ownerId, ids]) =>
    ids.map((partitionId) => ({ ...PLACE, ownerId, partitionId, lastModifiedTimeInMs: 0 })),
  );
}

describe("an Event Hubs client", () => {
  test("without a store claims all partitions at once", async () => {
    const opened = await new BrokerStage(eventHubs({ partitions: 3 })).play(async (hubs, life) => {
      const consumer = new hubs.EventHubConsumerClient("$Default", HOST, "orders");
      const ids: string[] = [];
      const processInitialize = async ({ partitionId }: { readonly partitionId: string }) =>
        void ids.push(partitionId);
      const processEvents = async (): Promise<void> => undefined;
      const handlers = { processInitialize, processEvents, processError: processEvents };
      consumer.subscribe(handlers, FIRST);
      await pass(life, 1_000);
      return ids.toSorted();
    });
    expect(opened).toEqual(["0", "1", "2"]);
  });

  test("closes while a handler of errors never returns", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const closed = await stage.play(async (hubs, life) => {
      const { EventHubConsumerClient, checkpointStore } = hubs;
      const consumer = new EventHubConsumerClient("$Default", HOST, "orders", checkpointStore);
      stage.strike("broker.session", { kind: "fail", when: "before" }, 1, 1);
      const processEvents = async (): Promise<void> => undefined;
      consumer.subscribe({ processEvents, processError: never }, FIRST);
      await pass(life, 1_000);
      let isClosed = false;
      void consumer.close().then(() => (isClosed = true));
      await pass(life, 60_000);
      return isClosed;
    });
    expect(closed).toBe(true);
  });

  test("looks after a single partition a whole interval after it last did, however long that took", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const openedAt = await stage.play(async (hubs, life) => {
      const loadBalancingOptions = { updateIntervalInMs: 10_000 };
      const options = { loadBalancingOptions };
      const consumer = new hubs.EventHubConsumerClient("$Default", HOST, "orders", options);
      const times: number[] = [];
      const startedAt = stage.world.now;
      const processInitialize = async (): Promise<void> => {
        times.push(Math.round((stage.world.now - startedAt) / 1_000));
        await pass(life, 4_000);
      };
      const processEvents = () => Promise.reject(new Error("mine"));
      const processError = () => Promise.resolve();
      consumer.subscribe("0", { processInitialize, processEvents, processError }, FIRST);
      stage.publish(1);
      await pass(life, 30_000);
      return times;
    });
    expect(openedAt).toEqual([0, 14, 28]);
  });

  test("takes one of each owner that has more than its share", () => {
    const claimed = ownershipsOf({ most: ["0", "1", "2", "3"], more: ["4", "5", "6"] });
    const partitionIds = claimed.map(({ partitionId }) => partitionId);
    const seen = { us: "us", claimed, partitionIds, wallNow: 1, expiryMs: 60_000, pick: () => 0 };
    expect(availablePartitions(seen)).toEqual(["0", "4"]);
  });

  test("without a store is granted what it renews, and nothing by an old version", async () => {
    const store = new InMemoryCheckpointStore();
    const [mine] = ownershipsOf({ me: ["0"] });
    if (mine === undefined) throw new Error("unreachable");
    const [first] = await store.claimOwnership([mine]);
    const [renewed] = await store.claimOwnership([{ ...mine, ...first }]);
    expect(renewed?.etag).not.toBe(first?.etag);
    expect(await store.claimOwnership([{ ...mine, ...first }])).toEqual([]);
    expect(await store.listOwnership()).toEqual([renewed]);
  });
});
