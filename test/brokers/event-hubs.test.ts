import { describe, expect, test } from "vitest";
import type { PartitionOwnership } from "../../sim/brokers/event-hubs/checkpoint-blobs.ts";
import type { ReceivedEventData } from "../../sim/brokers/event-hubs/event.ts";
import { eventHubs, type EventHubsModule } from "../../sim/brokers/event-hubs/model.ts";
import type { SubscribeOptions } from "../../sim/brokers/event-hubs/pump.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const HOST = "simulated.servicebus.windows.net";
const PLACE = [HOST, "orders", "$Default"] as const;
const FIRST = { startPosition: { offset: "-1" }, maxBatchSize: 10 };

type Consumer = InstanceType<EventHubsModule["EventHubConsumerClient"]>;

function consumerOf(hubs: EventHubsModule, options: object = {}): Consumer {
  const { EventHubConsumerClient, checkpointStore } = hubs;
  return new EventHubConsumerClient("$Default", HOST, "orders", checkpointStore, options);
}

const refOf = ({ body }: ReceivedEventData): string => (body as { ref: string }).ref;

/** Subscribes, and keeps what the handlers are called with, in a few words each. */
function listen(
  consumer: Consumer,
  options: SubscribeOptions = FIRST,
  doWith: (event: ReceivedEventData) => void = () => undefined,
): { readonly calls: string[]; readonly events: ReceivedEventData[] } {
  const calls: string[] = [];
  const events: ReceivedEventData[] = [];
  consumer.subscribe(
    {
      processInitialize: async ({ partitionId }) => void calls.push(`open ${partitionId}`),
      processEvents: async (batch, { partitionId }) => {
        calls.push(`${partitionId}: ${batch.map(refOf).join(" ")}`);
        events.push(...batch);
        for (const event of batch) doWith(event);
      },
      processError: async (error, { partitionId }) =>
        void calls.push(`${partitionId}! ${String(Reflect.get(error, "code") ?? error.message)}`),
      processClose: async (reason, { partitionId }) => void calls.push(`${partitionId} ${reason}`),
    },
    options,
  );
  return { calls, events };
}

/** Stores a checkpoint at an event, through a store that asks nobody who owns the partition. */
function save({ checkpointStore }: EventHubsModule, event: ReceivedEventData): Promise<void> {
  const { sequenceNumber, offset } = event;
  const [fullyQualifiedNamespace, eventHubName, consumerGroup] = PLACE;
  const place = { fullyQualifiedNamespace, eventHubName, consumerGroup, partitionId: "0" };
  return checkpointStore.updateCheckpoint({ ...place, sequenceNumber, offset });
}

describe("a consumer of Event Hubs", () => {
  test("begins behind the checkpoint of the group, also one that was moved back", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    stage.publish(4);
    const read = (at: number) =>
      stage.play(async (hubs, life) => {
        const consumer = consumerOf(hubs);
        const { calls, events } = listen(consumer);
        await pass(life, 1_000);
        await save(hubs, events[at] as ReceivedEventData);
        await consumer.close();
        return calls;
      });
    const one = "0: ref-000001 ref-000002 ref-000003 ref-000004";
    expect(await read(1)).toEqual(["open 0", one, "0 Shutdown"]);
    expect(stage.broker.owed()).toEqual(["ref-000003", "ref-000004"]);
    expect(await read(1)).toEqual(["open 0", "0: ref-000003 ref-000004", "0 Shutdown"]);
    expect(stage.broker.owed()).toEqual([]);
    await stage.play(async (hubs, life) => {
      const consumer = consumerOf(hubs);
      const second = { sequenceNumber: 1, offset: "80" } as ReceivedEventData;
      await save(hubs, second);
      const { events } = listen(consumer);
      await pass(life, 1_000);
      expect(events.map(refOf)).toEqual(["ref-000003", "ref-000004"]);
      await consumer.close();
    });
    expect(stage.links.flatMap((link) => link.open())).toEqual([]);
  });

  test("begins behind the newest event where nothing else is said", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    stage.publish(2);
    const seen = await stage.play(async (hubs, life) => {
      const { events } = listen(consumerOf(hubs), {});
      await pass(life, 1_000);
      stage.publish(1);
      await pass(life, 1_000);
      return events.map(refOf);
    });
    expect(seen).toEqual(["ref-000003"]);
  });

  test("gets the fields of an event, and no events when none came in time", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    stage.publish(2);
    const seen = await stage.play(async (hubs, life) => {
      const options = { ...FIRST, maxWaitTimeInSeconds: 5 };
      const { calls, events } = listen(consumerOf(hubs), options);
      await pass(life, 5_500);
      const [event] = events;
      expect(() => event?.getRawAmqpMessage()).toThrow("Not modelled");
      return [calls.at(-1), { ...event, getRawAmqpMessage: undefined }];
    });
    expect(seen).toEqual([
      "0: ",
      {
        body: { ref: "ref-000001", key: "key-1" },
        offset: "0",
        sequenceNumber: 0,
        enqueuedTimeUtc: new Date("2026-01-01T00:00:00Z"),
        partitionKey: "key-1",
        systemProperties: {},
        getRawAmqpMessage: undefined,
      },
    ]);
  });

  test("closes a partition whose handler throws, and opens it when its ownership expired", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    stage.publish(1);
    const calls = await stage.play(async (hubs, life) => {
      let times = 0;
      const heard = listen(consumerOf(hubs), FIRST, () => {
        times += 1;
        if (times === 1) throw new Error("mine");
      });
      await pass(life, 59_000);
      expect(heard.calls).toEqual(["open 0", "0: ref-000001", "0! mine", "0 Shutdown"]);
      await pass(life, 20_000);
      return heard.calls.slice(4);
    });
    expect(calls).toEqual(["open 0", "0: ref-000001"]);
  });

  test("tells of each error of its store, but of what was aborted", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const calls = await stage.play(async (hubs, life) => {
      const { checkpointStore: store, EventHubConsumerClient } = hubs;
      const names = ["AbortError", "Mine"];
      const own: typeof store = {
        listOwnership: async (...place) => {
          const name = names.shift();
          if (name !== undefined) throw Object.assign(new Error(`${name} is thrown`), { name });
          return await store.listOwnership(...place);
        },
        claimOwnership: (...args) => store.claimOwnership(...args),
        updateCheckpoint: (...args) => store.updateCheckpoint(...args),
        listCheckpoints: (...args) => store.listCheckpoints(...args),
      };
      const consumer = new EventHubConsumerClient("$Default", HOST, "orders", own);
      const heard = listen(consumer, FIRST);
      await pass(life, 60_000);
      await consumer.close();
      return heard.calls;
    });
    expect(calls).toEqual(["! Mine is thrown", "open 0", "0 Shutdown"]);
  });

  test("rejects close() while the store is out of reach, and has closed at the second", async () => {
    const stage = new BrokerStage(eventHubs());
    const seen = await stage.play(async (hubs, life) => {
      const consumer = consumerOf(hubs);
      listen(consumer);
      await pass(life, 1_000);
      stage.strike("broker.session", { kind: "fail", when: "before" }, 1, 40);
      const first = await consumer.close().catch((error: Error) => error.name);
      const open = stage.links[0]?.open();
      await consumer.close();
      return [first, open, stage.links[0]?.open()];
    });
    expect(seen).toEqual(["RestError", ["the connection of a consumer client"], []]);
  });

  test("reads one partition without an ownership, and two subscriptions not the same", async () => {
    const stage = new BrokerStage(eventHubs());
    stage.publish(1, "key-1");
    stage.publish(1, "key-2");
    const seen = await stage.play(async (hubs, life) => {
      const consumer = consumerOf(hubs);
      const calls: string[] = [];
      const handlers = {
        processEvents: async (events: ReceivedEventData[]) => void calls.push(...events.map(refOf)),
        processError: async () => undefined,
      };
      const ids = await consumer.getPartitionIds();
      for (const id of ids) consumer.subscribe(id, handlers, FIRST);
      expect(() => consumer.subscribe("0", handlers)).toThrow("already has a subscriber");
      expect(() => consumer.subscribe(handlers)).toThrow("already has a subscriber");
      await pass(life, 1_000);
      return [ids, calls.toSorted(), await hubs.checkpointStore.listOwnership(...PLACE)];
    });
    expect(seen).toEqual([["0", "1"], ["ref-000001", "ref-000002"], []]);
  });
});

describe("the load balancing of Event Hubs", () => {
  test("claims one partition in a round, or all with greedy", async () => {
    const after = (strategy: string) =>
      new BrokerStage(eventHubs({ partitions: 4 })).play(async (hubs, life) => {
        const { calls } = listen(consumerOf(hubs, { loadBalancingOptions: { strategy } }));
        await pass(life, 11_000);
        return calls.length;
      });
    expect([await after("balanced"), await after("greedy")]).toEqual([2, 4]);
  });

  test("takes from an owner that has more, which loses its link and hears of it", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 2 }));
    const seen = await stage.play(async (hubs, life) => {
      const rich = listen(consumerOf(hubs, { identifier: "rich" }));
      await pass(life, 21_000);
      const poor = listen(consumerOf(hubs, { identifier: "poor" }));
      await pass(life, 15_000);
      const owners = await hubs.checkpointStore.listOwnership(...PLACE);
      return [rich.calls.slice(2), poor.calls, owners.map(({ ownerId }) => ownerId).toSorted()];
    });
    const [lost, gained, owners] = seen as [string[], string[], string[]];
    const [id] = (lost[0] ?? "").split("!");
    expect(lost).toEqual([`${id}! ReceiverDisconnectedError`, `${id} OwnershipLost`]);
    expect([gained, owners]).toEqual([[`open ${id}`], ["poor", "rich"]]);
  });

  test("waits a minute for the ownership of one that crashed", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const openAfter = (ms: number, life: Life, calls: readonly string[]): Promise<boolean> =>
      pass(life, ms).then(() => calls.includes("open 0"));
    await stage
      .play(async (hubs, life) => {
        listen(consumerOf(hubs));
        await pass(life, 1_000);
        life.host.crash();
      }, 2_000)
      .catch(() => undefined);
    const seen = await stage.play(async (hubs, life) => {
      const { calls } = listen(consumerOf(hubs));
      return [await openAfter(50_000, life, calls), await openAfter(20_000, life, calls)];
    });
    expect(seen).toEqual([false, true]);
  });

  test("loses the ownership to a rival for a moment, as a disturbance", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const calls = await stage.play(async (hubs, life) => {
      const heard = listen(consumerOf(hubs));
      await pass(life, 1_000);
      stage.broker.disturbances.find(({ name }) => name.includes("rival"))?.strike();
      await pass(life, 12_000);
      return heard.calls;
    });
    const stolen = ["0! ReceiverDisconnectedError", "0 OwnershipLost"];
    expect(calls).toEqual(["open 0", ...stolen, "open 0"]);
  });

  test("grants a claim with the stored etag, and one without any", async () => {
    const stage = new BrokerStage(eventHubs());
    const seen = await stage.play(async ({ checkpointStore: store }) => {
      const [fullyQualifiedNamespace, eventHubName, consumerGroup] = PLACE;
      const place = { fullyQualifiedNamespace, eventHubName, consumerGroup, partitionId: "0" };
      const claim = (ownerId: string, version: object = {}): Promise<PartitionOwnership[]> =>
        store.claimOwnership([{ ...place, ownerId, ...version }]);
      const [one] = await claim("one");
      const etag = { etag: one?.etag ?? "" };
      const granted = [await claim("two", etag), await claim("three", etag), await claim("four")];
      return granted.map(([ownership]) => ownership?.ownerId);
    });
    expect(seen).toEqual(["two", undefined, "four"]);
  });
});

describe("the owner levels of Event Hubs", () => {
  test("a higher one ends the link of a lower one, which is refused from then on", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const seen = await stage.play(async (hubs, life) => {
      const { EventHubConsumerClient } = hubs;
      const make = (): Consumer => new EventHubConsumerClient("$Default", HOST, "orders");
      const low = listen(make(), { ownerLevel: 1 });
      await pass(life, 1_000);
      const high = listen(make(), { ownerLevel: 2 });
      await pass(life, 1_000);
      const none = listen(make(), {});
      await pass(life, 1_000);
      return [low.calls.slice(1), high.calls, none.calls.slice(1)];
    });
    const refused = ["0! ReceiverDisconnectedError", "0 OwnershipLost"];
    expect(seen).toEqual([refused, ["open 0"], refused]);
  });

  test("of receivers without one, a sixth is refused", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const calls = await stage.play(async ({ EventHubConsumerClient }, life) => {
      const heard = Array.from({ length: 6 }, () =>
        listen(new EventHubConsumerClient("$Default", HOST, "orders"), {}),
      );
      await pass(life, 2_000);
      return heard.flatMap((one) => one.calls).filter((words) => words !== "open 0");
    });
    expect(calls).toEqual(["0! QuotaExceededError", "0 Shutdown"]);
  });
});

describe("the hub", () => {
  test("says what it has, and what retention has removed", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    stage.publish(3);
    stage.broker.disturbances.find(({ name }) => name.startsWith("retention"))?.strike();
    const seen = await stage.play(async (hubs, life) => {
      const consumer = consumerOf(hubs);
      const { isEmpty, ...properties } = await consumer.getPartitionProperties("0");
      const { beginningSequenceNumber: from, lastEnqueuedSequenceNumber: to } = properties;
      const { events } = listen(consumer);
      await pass(life, 1_000);
      const { partitionIds } = await consumer.getEventHubProperties();
      return [isEmpty, from, to, partitionIds, events.map(refOf)];
    });
    expect(seen).toEqual([false, 1, 2, ["0"], ["ref-000002", "ref-000003"]]);
    expect(stage.told("expired", ({ ref }) => ref)).toEqual(["ref-000001"]);
  });

  test("retention leaves a client's own events alone where nothing is owed", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    const seen = await stage.play(async (hubs) => {
      const producer = new hubs.EventHubProducerClient(HOST, "orders");
      await producer.sendBatch([{ body: "mine" }]);
      await producer.close();
      stage.broker.disturbances.find(({ name }) => name.startsWith("retention"))?.strike();
      const consumer = consumerOf(hubs);
      const { isEmpty } = await consumer.getPartitionProperties("0");
      await consumer.close();
      return isEmpty;
    });
    expect(seen).toBe(false);
  });

  test("takes dead letters in another hub, unless that is throttled", async () => {
    const stage = new BrokerStage(eventHubs());
    const send = () =>
      stage.play(async ({ EventHubProducerClient }) => {
        const dead = new EventHubProducerClient(HOST, "dead");
        const sent = await dead.sendBatch([{ body: { ref: "ref-000007" } }]).then(
          () => "",
          (error: Error) => String(Reflect.get(error, "code")),
        );
        await dead.close();
        return sent;
      });
    expect(await send()).toBe("");
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000007"]);
    stage.broker.disturbances.find(({ name }) => name.includes("throttled"))?.strike();
    expect(await send()).toBe("ServerBusyError");
  });
});

/** The members of @azure/event-hubs 6.0.4, without those that begin with an underscore. */
const CONSUMER = [
  ...["eventHubName", "fullyQualifiedNamespace", "identifier", "close", "getPartitionIds"],
  ...["getPartitionProperties", "getEventHubProperties", "subscribe"],
];
const PRODUCER = [
  ...CONSUMER.filter((name) => name !== "subscribe"),
  ...["createBatch", "sendBatch"],
];
/** Without what has no state: `MessagingError`, `RetryMode` and `logger`. */
const MODULE = [
  ...["EventHubConsumerClient", "EventHubProducerClient", "EventHubBufferedProducerClient"],
  ...["earliestEventPosition", "latestEventPosition", "CloseReason"],
  ...["parseEventHubConnectionString", "createEventDataAdapter"],
];

test("what the library has is there, or is refused by name", async () => {
  const stage = new BrokerStage(eventHubs());
  const missing = await stage.play((hubs) => {
    const consumer = consumerOf(hubs);
    const producer = new hubs.EventHubProducerClient(HOST, "dead");
    const refusals = [
      () => (producer as unknown as { createBatch(): void }).createBatch(),
      () => hubs.EventHubBufferedProducerClient(),
      () => consumerOf(hubs, { retryOptions: {} }),
      () => listen(consumer, { skipParsingBodyAsJson: true } as SubscribeOptions),
    ];
    for (const refusal of refusals) expect(refusal).toThrow("Not modelled: ");
    return Promise.resolve([
      ...CONSUMER.filter((name) => !(name in consumer)),
      ...PRODUCER.filter((name) => !(name in producer)),
      ...MODULE.filter((name) => !(name in hubs)),
    ]);
  });
  expect(missing).toEqual([]);
});
