import { expect, test } from "vitest";
import { confluentKafka } from "../../sim/brokers/kafka/kafka-model.ts";
import { NUMBERS_AS_TEXTS } from "./observed/confluent-limits.ts";
import { observeModel } from "./observed/observation.ts";

test(NUMBERS_AS_TEXTS.name, async () => {
  const { play, real } = NUMBERS_AS_TEXTS;
  expect(await observeModel(confluentKafka({ partitions: 1 }), play)).toEqual(real);
});
