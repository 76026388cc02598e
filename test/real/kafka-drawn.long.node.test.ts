import { Kafka, logLevel } from "kafkajs";
import { kafka, type KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { KAFKA_CALLS } from "../brokers/drawn/kafka.ts";
import { KAFKA_COMMANDS, startKafka } from "./kafka-server.ts";
import { testDrawn } from "./test-drawn.ts";
import { type RealBroker, testReal } from "./test-real.ts";

/** A server whose groups begin at once: each sequence has a group of its own. */
const QUICK: RealBroker<KafkaClient> = {
  name: "Apache Kafka, drawn",
  commands: KAFKA_COMMANDS,
  start: () => startKafka(0),
  stage({ port }) {
    const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
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
testReal({ server: "", observations: [] }, QUICK, drawn);
