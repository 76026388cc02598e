import { CONFLUENT_BINARY, confluentClientOf } from "../confluent-library.ts";
import type { CrashBroker } from "./crash-broker.ts";
import { BROKER as KAFKA } from "./kafka.ts";

/** The topics and the operator are those of the test by kafkajs. */
export const BROKER: CrashBroker = {
  ...KAFKA,
  name: "Apache Kafka, by Confluent's library",
  commands: [...KAFKA.commands, CONFLUENT_BINARY],
  correct: "confluent",
  naive: "naive-confluent",
  connect: (port) => Promise.resolve(() => confluentClientOf(port)),
};
