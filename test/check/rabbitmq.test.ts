import { expect, test } from "vitest";
import { RABBITMQ_CORRECT, RABBITMQ_POLICY_CORRECT } from "./producers/rabbitmq/bugs.ts";

test("a RabbitMQ producer that does it right holds", async () => {
  const { runs } = await RABBITMQ_CORRECT.check(60);
  expect(runs).toBe(60);
});

test("one that leaves dead-lettering to a policy holds on a queue that has one", async () => {
  const { runs } = await RABBITMQ_POLICY_CORRECT.check(60);
  expect(runs).toBe(60);
});
