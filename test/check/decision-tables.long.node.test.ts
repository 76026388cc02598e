import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/mod.ts";
import type { DecisionTableName } from "../../sim/checkers/producer/decision-tables.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { AdvanceItem } from "../../src/shared-stream/mod.ts";
import { type PubSubPayload, PubSubProducer } from "./producers/pubsub/pubsub-producer.ts";
import { type QueuePayload, QueueProducer } from "./producers/service-bus/queue-producer.ts";
import { rejectingScenario } from "./rejecting-scenario.ts";

const PUBSUB = { subscription: "orders-triggers", deadLetterTopic: "orders-dead" };
const SERVICE_BUS = { queue: "orders", renewalMs: 3_600_000 };

type Batch<Payload> = readonly AdvanceItem<Payload>[];

/** As Airflow's documents have it: nacks what was rejected, at once, and acknowledges the rest. */
class NacksWhatWasRejected extends PubSubProducer {
  override async advance(batch: Batch<PubSubPayload>): Promise<void> {
    for (const item of batch) {
      if (item.outcome.rejected > 0) item.brokerPayload.message.nack();
      else await super.advance([item]);
    }
  }
}

/** As Airflow's documents have it: dead-letters what was rejected, also where it failed as well. */
class DeadLettersFirst extends QueueProducer {
  override async advance(batch: Batch<QueuePayload>): Promise<void> {
    for (const item of batch) {
      if (item.outcome.rejected > 0) await this.reject(item.brokerPayload.message);
      else await super.advance([item]);
    }
  }
}

/** Acknowledges what was rejected, and keeps no copy. */
class DropsWhatWasRejected extends PubSubProducer {
  override async reject(message: Parameters<PubSubProducer["reject"]>[0]): Promise<void> {
    await this.ack(message);
  }
}

/** Leaves what was rejected to its lease. */
class ForgetsWhatWasRejected extends PubSubProducer {
  override reject(): Promise<void> {
    return Promise.resolve();
  }
}

const nacks = (decide: DecisionTableName | undefined, numRuns: number) =>
  checkProducer({
    broker: brokers.pubsub(),
    createProducer: ({ client }) => new NacksWhatWasRejected(client, PUBSUB),
    decide,
    numRuns,
  });

const deadLettersFirst = (decide: DecisionTableName | undefined, numRuns: number) =>
  checkProducer({
    broker: brokers.serviceBus(),
    createProducer: ({ client }) => new DeadLettersFirst(client, SERVICE_BUS),
    decide,
    numRuns,
  });

describe("the table airflow, which is the default,", () => {
  test("accepts a producer that nacks what was rejected, on a broker without dead letters", async () => {
    const { runs, situations } = await nacks(undefined, 25);
    expect(runs).toBe(25);
    expect(new Map(situations).get("an event was rejected")).toBeGreaterThan(0);
  });

  test("accepts one that dead-letters what was rejected and failed", async () => {
    const { runs, situations } = await deadLettersFirst("airflow", 60);
    expect(runs).toBe(60);
    const mixed = "an event was rejected by one subscriber and failed by another";
    expect(new Map(situations).get(mixed)).toBeGreaterThan(0);
  });

  test.each([
    ["settles what was rejected, without a dead letter", DropsWhatWasRejected, "G3"],
    ["leaves what was rejected to its lease", ForgetsWhatWasRejected, "progress"],
  ] as const)("accuses one that %s", async (_, Producer, guarantee) => {
    const check = checkProducer({
      broker: brokers.pubsub(),
      createProducer: ({ client }) => new Producer(client, PUBSUB),
      numRuns: 40,
    });
    await expect(check).rejects.toMatchObject({ guarantee });
  });
});

test.each(["dead-letter", "failed-first"] as const)(
  "the table %s accuses a producer that nacks what was rejected, in a scenario that names the table",
  async (decide) => {
    const error: unknown = await nacks(decide, 40).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ guarantee: "G3" });
    expect((error as { readonly scenario: string }).scenario).toContain(`decide: ${decide}\n`);
  },
);

test("the table failed-first accuses a producer that dead-letters what failed as well", async () => {
  await expect(deadLettersFirst("failed-first", 100)).rejects.toMatchObject({ guarantee: "G3" });
  expect(await deadLettersFirst("dead-letter", 15)).toMatchObject({ runs: 15 });
});

describe("a scenario file", () => {
  const brokenIn = async (decide: string): Promise<readonly string[]> => {
    const scenario = parseScenario(rejectingScenario(decide), "rejects");
    if (scenario.world !== "producer") throw new TypeError("Another world");
    const createProducer = ({ client }: { readonly client: never }): PubSubProducer =>
      new NacksWhatWasRejected(client, PUBSUB);
    const { violations } = await simulate(scenario, { producer: { createProducer } });
    return violations.map(({ checker }) => checker);
  };

  test("names its table, and by default airflow's", async () => {
    expect(await brokenIn("")).toEqual([]);
    expect(await brokenIn("decide: airflow")).toEqual([]);
    expect(await brokenIn("decide: dead-letter")).toContain("G3");
  });
});
