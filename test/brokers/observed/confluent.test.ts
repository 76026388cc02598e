import { describe } from "vitest";
import { confluentKafka } from "../../../sim/brokers/kafka/kafka-model.ts";
import { CONFLUENT_KAFKA } from "./confluent.ts";
import { testObserved } from "./observation.ts";

describe("the Kafka model behaves as the server, through Confluent's library", () => {
  testObserved(CONFLUENT_KAFKA, () => confluentKafka({ partitions: 1 }));
});
