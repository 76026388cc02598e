import { describe, test } from "vitest";
import { expectFound } from "./producers/expect-found.ts";
import { RABBITMQ_BUGS } from "./producers/rabbitmq/bugs.ts";

describe("the default settings find in a RabbitMQ producer", () => {
  for (const bug of RABBITMQ_BUGS) test(bug.id, () => expectFound(bug));
});
