import { describe, expect, test } from "vitest";
import { expectFound } from "./producers/expect-found.ts";
import { RABBITMQ_BUGS, RABBITMQ_MEMORY_BUGS } from "./producers/rabbitmq/bugs.ts";

describe("the default settings find in a RabbitMQ producer", () => {
  for (const bug of RABBITMQ_BUGS) test(bug.id, () => expectFound(bug));

  test.each(RABBITMQ_MEMORY_BUGS)("that $id", async (bug) => {
    const { guarantee = "none" } = (await bug.find()) ?? {};
    expect(bug.guarantees).toContain(guarantee);
  });
});
