// What @azure/service-bus 7 and @azure/event-hubs 6 answer, by their documentation and their source.
import { describe, expect, test } from "vitest";
import { validatePositions } from "../../sim/brokers/event-hubs/event.ts";
import { isCheckpointStore } from "../../sim/brokers/event-hubs/checkpoint-store.ts";
import { eventHubs, type EventHubsModule } from "../../sim/brokers/event-hubs/model.ts";
import {
  serviceBus,
  serviceBusSessions,
} from "../../sim/brokers/service-bus/service-bus-broker.ts";
import type { ServiceBusMessage } from "../../sim/brokers/service-bus/service-bus-message.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

const UNRENEWED = { maxAutoLockRenewalDurationInMs: 0 };

const refOf = ({ body }: ServiceBusMessage): string => body.ref;

async function failure(call: () => unknown): Promise<unknown> {
  const { name, code, message } = (await outcomeOf(call)) as Record<string, unknown>;
  return [name, code ?? message];
}

describe("Service Bus", () => {
  test("an iterator locks one message at a time, and ends with its receiver", async () => {
    const stage = new BrokerStage(serviceBus());
    stage.publish(3);
    const seen = await stage.play(async (client) => {
      const [mine, other] = [client.createReceiver("orders"), client.createReceiver("orders")];
      const read: string[] = [];
      let left: readonly string[] = [];
      for await (const message of mine.getMessageIterator()) {
        read.push(refOf(message));
        await mine.completeMessage(message);
        if (read.length === 1) left = (await other.receiveMessages(2)).map(refOf);
        await mine.close();
      }
      return { read, left, again: await failure(() => mine.receiveMessages(1)) };
    });
    expect(seen).toMatchObject({ read: ["ref-000001"], left: ["ref-000002", "ref-000003"] });
    const [name, message] = seen.again as readonly string[];
    expect([name, message?.includes("has been closed and can no longer be used")]).toEqual([
      "Error",
      true,
    ]);
  });

  test("each settlement does what it says, and nothing else", async () => {
    const stage = new BrokerStage(serviceBus());
    stage.publish(4);
    const seen = await stage.play(async (client) => {
      const receiver = client.createReceiver("orders", UNRENEWED);
      const messages = await receiver.receiveMessages(4);
      const [done, back, put, dead] = messages as [
        ServiceBusMessage,
        ServiceBusMessage,
        ServiceBusMessage,
        ServiceBusMessage,
      ];
      await receiver.completeMessage(done);
      await receiver.abandonMessage(back);
      await receiver.deferMessage(put);
      await receiver.deadLetterMessage(dead);
      const again = await receiver.receiveMessages(4, { maxWaitTimeInMs: 1_000 });
      const deferred = await receiver.receiveDeferredMessages(put.sequenceNumber);
      const twice: unknown[] = [];
      for (const message of [done, put, dead]) {
        twice.push(await failure(() => receiver.completeMessage(message)));
      }
      const [number] = messages.map(({ sequenceNumber }) => sequenceNumber);
      return {
        again: again.map((one) => [refOf(one), one.deliveryCount, one.state]),
        deferred: deferred.map((one) => [refOf(one), one.state]),
        twice: twice.map((one) => (one as readonly unknown[])[1]),
        number: [String(number), number?.toNumber()],
      };
    });
    expect(seen).toEqual({
      again: [["ref-000002", 1, "active"]],
      deferred: [["ref-000003", "deferred"]],
      twice: ["MessageLockLost", "MessageLockLost", "MessageLockLost"],
      number: ["1", 1],
    });
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000004"]);
    expect(stage.broker.owed()).toEqual(["ref-000002", "ref-000003"]);
  });

  test.each([0, -1, 301, Number.NaN])("does not lock messages for %d s", (lockDurationSeconds) => {
    expect(() => serviceBus({ lockDurationSeconds })).toThrow(RangeError);
    expect(() => serviceBusSessions({ lockDurationSeconds })).toThrow(RangeError);
  });

  test.each([1, 300])("locks messages for %d s", async (lockDurationSeconds) => {
    const stage = new BrokerStage(serviceBus({ lockDurationSeconds }));
    stage.publish(1);
    const counts = await stage.play(async (client, life) => {
      const receiver = client.createReceiver("orders", UNRENEWED);
      const [first] = await receiver.receiveMessages(1);
      const left =
        (first?.lockedUntilUtc?.getTime() ?? 0) - (first?.enqueuedTimeUtc?.getTime() ?? 0);
      await pass(life, lockDurationSeconds * 1_000 - 100);
      const early = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10 });
      await pass(life, 200);
      const late = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10 });
      return [Math.round(left / 1_000), early.length, late.length];
    });
    expect(counts).toEqual([lockDurationSeconds, 0, 1]);
  });
});

const HOST = "simulated.servicebus.windows.net";

function consumerOf(hubs: EventHubsModule, group = "$Default") {
  const { EventHubConsumerClient, checkpointStore } = hubs;
  return new EventHubConsumerClient(group, HOST, "orders", checkpointStore, {});
}

describe("Event Hubs", () => {
  test("positions are one field each", () => {
    const at = new Date(0);
    for (const good of [
      { offset: "1" },
      { sequenceNumber: 0 },
      { enqueuedOn: at },
      { "0": { offset: "1" }, "1": undefined as never },
    ]) {
      expect(() => validatePositions(good)).not.toThrow();
    }
    for (const bad of [
      {},
      { offset: "1", sequenceNumber: 0 },
      { "0": {} },
      { "0": { offset: "1" }, "1": { sequenceNumber: 1, enqueuedOn: at } },
    ]) {
      expect(() => validatePositions(bad)).toThrow(/^Invalid value for EventPosition found\. /);
    }
  });

  test("a checkpoint store is what has all four calls", async () => {
    const stage = new BrokerStage(eventHubs());
    const seen = await stage.play(async ({ checkpointStore }) => {
      const { claimOwnership, listCheckpoints, listOwnership, updateCheckpoint } = checkpointStore;
      const whole = { claimOwnership, listCheckpoints, listOwnership, updateCheckpoint };
      const parts = Object.keys(whole).map((name) => ({ ...whole, [name]: undefined }));
      return [whole, ...parts, null, undefined, "store", 5].map(isCheckpointStore);
    });
    expect(seen).toEqual([true, ...Array<boolean>(8).fill(false)]);
  });

  test("a group that there is not is told to the handler of errors", async () => {
    const told = await new BrokerStage(eventHubs({ partitions: 1 })).play(async (hubs, life) => {
      const codes: unknown[] = [];
      consumerOf(hubs, "nobody").subscribe(
        {
          processEvents: async () => undefined,
          processError: async (error) => void codes.push(Reflect.get(error, "code")),
        },
        { startPosition: { offset: "-1" } },
      );
      await pass(life, 5_000);
      return codes;
    });
    expect(told[0]).toBe("MessagingEntityNotFoundError");
  });

  test("the last enqueued event is told with each batch, where it is asked for", async () => {
    const stage = new BrokerStage(eventHubs({ partitions: 1 }));
    stage.publish(3);
    const told = await stage.play(async (hubs, life) => {
      const facts: unknown[] = [];
      for (const trackLastEnqueuedEventProperties of [true, false]) {
        const subscription = consumerOf(hubs).subscribe(
          {
            processEvents: async (events, { lastEnqueuedEventProperties: last }) => {
              facts.push([
                events.length,
                last?.sequenceNumber,
                last?.offset,
                typeof last?.retrievedOn,
              ]);
            },
            processError: async () => undefined,
          },
          { startPosition: { offset: "-1" }, maxBatchSize: 2, trackLastEnqueuedEventProperties },
        );
        await pass(life, 2_000);
        await subscription.close();
      }
      return facts;
    });
    const [first, second] = told as [readonly unknown[], readonly unknown[]];
    expect([first[0], first[1], second[0], second[1]]).toEqual([2, 2, 1, 2]);
    expect(first[3]).toBe("object");
    expect(told.slice(2).map((one) => (one as readonly unknown[])[1])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("a client of producers that is closed sends nothing any more", async () => {
    const seen = await new BrokerStage(eventHubs()).play(async ({ EventHubProducerClient }) => {
      const producer = new EventHubProducerClient(HOST, "orders", {});
      await producer.sendBatch([{ body: { ref: "ref-000009" } }]);
      await producer.close();
      return failure(() => producer.sendBatch([{ body: { ref: "ref-000009" } }]));
    });
    expect(seen).toEqual(["Error", "The underlying AMQP connection is closed."]);
  });
});
