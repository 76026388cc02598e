import { expect, test } from "vitest";
import { RABBITMQ_CORRECT } from "./producers/rabbitmq/bugs.ts";

test("a RabbitMQ producer that does it right holds", async () => {
  const { runs } = await RABBITMQ_CORRECT.check(100);
  expect(runs).toBe(100);
});
