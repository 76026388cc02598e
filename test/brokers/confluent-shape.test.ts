import { expect, test } from "vitest";
import type { ConfluentKafkaClient } from "../../sim/brokers/kafka/confluent-client.ts";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { BrokerStage } from "./broker-stage.ts";
import { CONFLUENT_MEMBERS, ONLY_IN_TYPES } from "./observed/confluent-members.ts";

/** What the model itself needs besides. */
const OWN = new Set(["constructor", "isOpen", ...ONLY_IN_TYPES]);

function partsOf(client: ConfluentKafkaClient): Readonly<Record<string, object>> {
  const consumer = client.consumer({ kafkaJS: { groupId: "triggerer" } });
  return { kafka: client, consumer, producer: client.producer(), admin: client.admin() };
}

test("the model has every member of Confluent's library, and no other", async () => {
  const stage = new BrokerStage(confluentKafka());
  const parts = await stage.play((client) => Promise.resolve(partsOf(client)));
  const found = Object.entries(parts).map(([name, part]) => {
    const members = [part, Object.getPrototypeOf(part) as object]
      .filter((one) => one !== Object.prototype)
      .flatMap((one) => Object.getOwnPropertyNames(one));
    return [name, members.filter((member) => !OWN.has(member)).toSorted()];
  });
  expect(Object.fromEntries(found)).toEqual(CONFLUENT_MEMBERS);
});

test("what the model does not have is refused by name", async () => {
  const stage = new BrokerStage(confluentKafka());
  const told = await stage.play((client) => {
    const { admin, producer, consumer } = partsOf(client);
    const call = (part: object | undefined, name: string): string => {
      try {
        (part as Record<string, () => void>)[name]?.();
        return "no error";
      } catch (error) {
        return (error as Error).message;
      }
    };
    return Promise.resolve([
      call(admin, "deleteTopics"),
      call(producer, "transaction"),
      call(consumer, "storeOffsets"),
    ]);
  });
  expect(told).toEqual([
    "Not modelled: kafka.admin().deleteTopics(); see brokers.confluentKafka",
    "Not modelled: producer.transaction(); see brokers.confluentKafka",
    "Not modelled: consumer.storeOffsets(); see brokers.confluentKafka",
  ]);
});

test("a property that the model would have to ignore is refused", async () => {
  const stage = new BrokerStage(confluentKafka());
  const connect = (config: object) => (client: ConfluentKafkaClient) =>
    client.consumer({ kafkaJS: { groupId: "triggerer" }, ...config }).connect();
  await expect(stage.play(connect({ "isolation.level": "read_committed" }))).rejects.toThrow(
    "Not modelled: the property isolation.level; see brokers.confluentKafka",
  );
  await expect(
    stage.play(connect({ "partition.assignment.strategy": "cooperative-sticky" })),
  ).rejects.toThrow(
    "Not modelled: partitions assigned by cooperative-sticky and not by roundrobin",
  );
});
