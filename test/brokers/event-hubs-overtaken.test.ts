import { describe, expect, test } from "vitest";
import { type EventHubsModule, eventHubs } from "../../sim/brokers/event-hubs/model.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const PLACE = {
  fullyQualifiedNamespace: "simulated.servicebus.windows.net",
  eventHubName: "orders",
  consumerGroup: "$Default",
  partitionId: "0",
};
const BEHIND_THE_FIRST = { ...PLACE, sequenceNumber: 0, offset: "0" };
const BEHIND_ALL = { ...PLACE, sequenceNumber: 2, offset: "999999" };

type Script = (hubs: EventHubsModule, life: Life) => Promise<void>;

/** Plays each script with a client of its own; the n-th checkpoint that is asked for is late. */
async function storedWhere(nth: number, ...scripts: readonly Script[]): Promise<readonly string[]> {
  const stage = new BrokerStage(eventHubs({ partitions: 1 }));
  stage.publish(3);
  stage.strike("broker.settle", { kind: "delay", ms: 4_000 }, nth);
  for (const script of scripts) await stage.play(script);
  await stage.play((_, life) => pass(life, 5_000));
  return stage.told("settle", ({ consumer, handle }) => `${consumer} ${handle}`);
}

const askForTheFirst: Script = ({ checkpointStore }) => {
  void checkpointStore.updateCheckpoint(BEHIND_THE_FIRST);
  return Promise.resolve();
};
const storeTheFirst: Script = ({ checkpointStore }) =>
  checkpointStore.updateCheckpoint(BEHIND_THE_FIRST);
const storeAll: Script = ({ checkpointStore }) => checkpointStore.updateCheckpoint(BEHIND_ALL);

describe("a checkpoint that arrives behind a further one", () => {
  test("counts as the other's that was stored while it was on its way", async () => {
    expect(await storedWhere(1, askForTheFirst, storeAll)).toEqual([
      "client-2/2 orders/0@3",
      "overtaken client-1/1 orders/0@1",
    ]);
  });

  test("is its client's own where that has stored the further one itself", async () => {
    const both: Script = async (hubs, life) => {
      await askForTheFirst(hubs, life);
      await storeAll(hubs, life);
    };
    expect(await storedWhere(1, both)).toEqual(["client-1/1 orders/0@3", "client-1/1 orders/0@1"]);
  });

  test("is its client's own where the further one was there when it was asked for", async () => {
    const late: Script = async (hubs, life) => {
      await pass(life, 6_000);
      await hubs.checkpointStore.updateCheckpoint(BEHIND_THE_FIRST);
    };
    expect(await storedWhere(1, storeAll, late)).toEqual([
      "client-1/1 orders/0@3",
      "client-2/2 orders/0@1",
    ]);
  });

  test("is its client's own where it is as far as the other", async () => {
    expect(await storedWhere(2, storeTheFirst, askForTheFirst)).toEqual([
      "client-1/1 orders/0@1",
      "client-2/2 orders/0@1",
    ]);
  });

  test("counts as the other's also where it is as far as what was there when it was asked for", async () => {
    expect(await storedWhere(2, storeTheFirst, askForTheFirst, storeAll)).toEqual([
      "client-1/1 orders/0@1",
      "client-3/3 orders/0@3",
      "overtaken client-2/2 orders/0@1",
    ]);
  });
});
