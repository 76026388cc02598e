import type { Admin, Consumer, Kafka, Producer } from "kafkajs";
import { expectTypeOf, test } from "vitest";
import type { KafkaAdmin, RefusedAdminCall } from "../../sim/brokers/kafka/kafka-admin.ts";
import type { KafkaConsumer } from "../../sim/brokers/kafka/kafka-consumer.ts";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import type { KafkaProducer } from "../../sim/brokers/kafka/kafka-producer.ts";

/** The members by name that the library publishes and the model does not have. */
type Missing<Library, Model> = Exclude<keyof Library & string, keyof Model>;

test("the model has every member that the library publishes", () => {
  expectTypeOf<Missing<Kafka, KafkaClient>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Consumer, KafkaConsumer>>().toEqualTypeOf<never>();
  expectTypeOf<Missing<Producer, KafkaProducer>>().toEqualTypeOf<never>();
  // Those that are refused by name are defined one by one.
  expectTypeOf<Missing<Admin, KafkaAdmin>>().toEqualTypeOf<RefusedAdminCall>();
});
