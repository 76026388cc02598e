import { describe } from "vitest";
import { kafka } from "../../../sim/brokers/kafka/kafka-model.ts";
import { KAFKA } from "./kafka.ts";
import { testObserved } from "./observation.ts";

describe("the Kafka model behaves as the server", () => {
  testObserved(KAFKA, () => kafka({ partitions: 1 }));
});
