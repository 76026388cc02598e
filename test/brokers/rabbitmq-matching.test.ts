import { expect, test } from "vitest";
import { isMatch } from "../../sim/brokers/rabbitmq/exchange.ts";
import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

type Headers = Readonly<Record<string, unknown>>;

/** Arguments of a binding, headers of a message, and whether they match. Source: RabbitMQ, headers exchange */
const HEADERS: readonly (readonly [Headers, Headers, boolean])[] = [
  [{}, {}, true],
  [{}, { a: 1 }, true],
  [{ "x-match": "any" }, { a: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ a: 1, b: 2, "x-match": "all" }, { a: 1, b: 2 }, true],
  [{ a: 1, b: 2, "x-match": "any" }, { b: 2 }, true],
  [{ a: 1, b: 2, "x-match": "any" }, { b: 3 }, false],
  [{ a: null }, { a: 7 }, true],
  [{ a: undefined }, { a: 7 }, true],
  [{ a: null }, { b: 7 }, false],
  [{ a: null, b: null, "x-match": "any" }, { b: 7 }, true],
  // Of the names that begin with "x-" only some kinds of match take notice.
  [{ "x-mine": 1 }, {}, true],
  [{ "x-mine": 1, "x-match": "all" }, {}, true],
  [{ "x-mine": 1, "x-match": "all-with-x" }, {}, false],
  [{ "x-mine": 1, "x-match": "all-with-x" }, { "x-mine": 1 }, true],
  [{ "x-mine": 1, a: 1, "x-match": "any" }, { "x-mine": 1 }, false],
  [{ "x-mine": 1, a: 1, "x-match": "any-with-x" }, { "x-mine": 1 }, true],
  [{ "not-x-": 1 }, {}, false],
  [{ "mine-x-": 1, a: 1, "x-match": "any" }, { "mine-x-": 1 }, true],
];

test.each(HEADERS)("a binding of %j and headers of %j match: %s", (args, headers, is) => {
  const binding = { pattern: "", args } as unknown as Parameters<typeof isMatch>[1];
  const message = { routingKey: "any", headers } as Parameters<typeof isMatch>[2];
  expect(isMatch("headers", binding, message)).toBe(is);
});

test.each([
  [1_000, 5_000, 1_000],
  [5_000, 1_000, 1_000],
  [2_000, undefined, 2_000],
  [undefined, 2_000, 2_000],
  [undefined, undefined, Infinity],
])("of a queue's %s ms and a message's %s ms the shorter is how long it lives", async (...row) => {
  const [messageTtl, expiration, livesMs] = row;
  const counts = await new BrokerStage(rabbitmq()).play(async (client, life) => {
    const connection = await client.connect("amqp://localhost");
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue("mine", messageTtl === undefined ? {} : { messageTtl });
    channel.sendToQueue("mine", Buffer.from("1"), expiration === undefined ? {} : { expiration });
    await channel.waitForConfirms();
    const seen: number[] = [];
    for (const untilMs of [500, 1_500, 2_500, 6_000]) {
      await pass(life, untilMs - (seen.length === 0 ? 0 : [500, 1_500, 2_500][seen.length - 1]!));
      seen.push((await channel.checkQueue("mine")).messageCount);
    }
    await connection.close();
    return seen;
  });
  expect(counts).toEqual([500, 1_500, 2_500, 6_000].map((ms) => Number(ms < livesMs)));
});
