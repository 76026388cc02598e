import { Kafka, logLevel } from "kafkajs";
import { kafka, type KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { KAFKA_SLIPS } from "../brokers/drawn/kafka-slips.ts";
import { KAFKA_CALLS } from "../brokers/drawn/kafka.ts";
import { KAFKA_COMMANDS, startKafka } from "./kafka-server.ts";
import { testSlips } from "./test-slips.ts";
import { testDrawn } from "./test-drawn.ts";
import { type RealBroker, testReal } from "./test-real.ts";

/** One client for each lane: connecting costs more than a sequence. */
const clients = new Map<number, Kafka>();

function clientOf(port: number, lane: number): Kafka {
  const known = clients.get(lane);
  if (known !== undefined) return known;
  const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
  clients.set(lane, client);
  return client;
}

/** A server whose groups begin at once: each sequence has a group of its own. */
const QUICK: RealBroker<KafkaClient> = {
  name: "Apache Kafka, drawn",
  commands: KAFKA_COMMANDS,
  start: () => startKafka(0),
  stage({ port }, lane = 0) {
    const client = clientOf(port, lane);
    return Promise.resolve({
      // The model's client is typed as the part of kafkajs that it has.
      client: client as unknown as KafkaClient,
      publish: () => Promise.reject(new Error("Drawn sequences send by a producer")),
      operations: {},
      close: () => Promise.resolve(),
    });
  },
};

const drawn = testDrawn(KAFKA_CALLS, QUICK, () => kafka(), { numRuns: 60, lanes: 20 });
const slips = testSlips(KAFKA_SLIPS, QUICK, () => kafka(), { numRuns: 12, lanes: 12 });
testReal({ server: "", observations: [] }, QUICK, (running) => {
  drawn(running);
  slips(running);
});
