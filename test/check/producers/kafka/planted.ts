import type { KafkaClient } from "../../../../sim/brokers/kafka/kafka-model.ts";
import { brokers } from "../../../../sim/brokers/brokers.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import { loadWithBug } from "../source-bug.ts";
import { KAFKA_BUGS } from "./bugs.ts";
import { createProducer } from "../../../../scenarios/producers/orders.ts";

const broker = brokers.kafka({ partitions: 3 });
const source = new URL("../../../../scenarios/producers/orders.ts", import.meta.url);

export const KAFKA_CORRECT: CorrectProducer = correctOn("three partitions", broker, createProducer);

/** The bugs of the list, each planted in the correct producer when it is asked for. */
export const KAFKA_PLANTED: readonly PlantedBug[] = KAFKA_BUGS.map((bug) => ({
  id: bug.id,
  broker: broker.name,
  guarantees: bug.guarantees,
  async find() {
    const create = await loadWithBug<KafkaClient>(source, bug);
    return await planted(bug.id, bug.guarantees, broker, create, bug.decide).find();
  },
}));
