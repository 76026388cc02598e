import type { ConfluentKafkaClient } from "../../../sim/brokers/kafka/confluent-client.ts";
import { EPOCHS } from "./confluent-epochs.ts";
import { CONFLUENT_GIVEN } from "./confluent-given.ts";
import { CONFLUENT_GROUPS } from "./confluent-groups.ts";
import { CONFLUENT_LIMITS } from "./confluent-limits.ts";
import { CONFLUENT_READING } from "./confluent-reading.ts";
import { CONFLUENT_SENDING } from "./confluent-sending.ts";
import { CONFLUENT_SLIPS } from "./confluent-slips.ts";
import { CONFLUENT_SLIPS_READING } from "./confluent-slips-reading.ts";
import type { Observed } from "./observation.ts";

/** What the KafkaJS face of Confluent's library showed on an Apache Kafka cluster. */
export const CONFLUENT_KAFKA: Observed<ConfluentKafkaClient> = {
  server: "Apache Kafka 3.9.1 with @confluentinc/kafka-javascript 1.10.1",
  observations: [
    ...CONFLUENT_SENDING,
    ...CONFLUENT_LIMITS,
    ...CONFLUENT_GIVEN,
    ...CONFLUENT_READING,
    ...CONFLUENT_GROUPS,
    ...EPOCHS,
    ...CONFLUENT_SLIPS,
    ...CONFLUENT_SLIPS_READING,
  ],
};
