import { describe, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { expectSourceBugFound } from "./producers/source-bug-found.ts";

describe("a check finds a producer that takes for granted", () => {
  test("that what the leader of a partition has is durable", () =>
    expectSourceBugFound(
      "orders.ts",
      {
        id: "waits-for-the-leader-alone",
        what: "commits past a rejected order whose dead letter the leader alone has",
        guarantees: ["G3"],
        edits: [
          ["        topic: DEAD_LETTERS,\n", "        topic: DEAD_LETTERS,\n        acks: 1,\n"],
        ],
      },
      brokers.kafka(),
    ));

  test("that each message has an id", () =>
    expectSourceBugFound(
      "rabbitmq-retry.ts",
      {
        id: "knows-orders-by-ids-that-they-lack",
        what: "takes any order without an id for a copy of one that waits",
        guarantees: ["G1", "G2", "G3"],
        edits: [["    if (messageId === undefined) return;\n", ""]],
      },
      brokers.rabbitmq(),
    ));

  test("that rows are seen in the order of their ids", () =>
    expectSourceBugFound(
      "outbox.ts",
      {
        id: "asks-for-higher-ids-only",
        what: "looks for new orders behind the last id, where one that was committed late never is",
        guarantees: ["G8"],
        edits: [
          ["  readonly #held =", '  #last = "0";\n  readonly #held ='],
          [
            "WHERE visible_at <= now() ORDER",
            "WHERE visible_at <= now() AND (id > $4 OR attempts > 0) ORDER",
          ],
          ["LEASE, BATCH_MAX]);\n", "LEASE, BATCH_MAX, this.#last]);\n"],
          [
            "      return rows;\n",
            `      for (const { id } of rows) if (BigInt(id) > BigInt(this.#last)) this.#last = id;
      return rows;
`,
          ],
        ],
      },
      brokers.outbox(),
    ));

  test("that what is published is JSON", () =>
    expectSourceBugFound(
      "sqs.ts",
      {
        id: "parses-whatever-comes",
        what: "ends its stream by the error of its parser",
        guarantees: ["G10"],
        edits: [["yield [orderFrom(", "yield [JSON.parse("]],
      },
      brokers.sqs(),
    ));
});
