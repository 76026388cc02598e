import { expect, test } from "vitest";
import { BrokerStage } from "./broker-stage.ts";
import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { NotModelled } from "../../sim/brokers/not-modelled.ts";
import { assertLasting, expiryMsOf } from "../../sim/brokers/rabbitmq/message.ts";

const YEARS_10_MS = 315_360_000_000;

test.each([
  [undefined, undefined],
  ["500", 500],
  [100, 100],
  ["+7", 7],
  ["1", 1],
  [String(YEARS_10_MS), YEARS_10_MS],
])("expiryMsOf() reads %j as %j", (expiration, ms) => {
  expect(expiryMsOf({ expiration })).toBe(ms);
});

test.each([
  ["soon", "no_integer"],
  ["", "no_integer"],
  ["1.5", '{leftover_string,".5"}'],
  ["-5", "{value_negative,-5}"],
  [String(YEARS_10_MS + 1), `{value_too_large,${YEARS_10_MS + 1}}`],
])("expiryMsOf() refuses %j as the server does", (expiration, why) => {
  expect(() => expiryMsOf({ expiration })).toThrow(`invalid expiration '${expiration}': ${why}`);
});

test.each(["0", "00", "+0", "-0"])("assertLasting() says that %j is not modelled", (none) => {
  expect(() => assertLasting({ expiration: none })).toThrow(NotModelled);
});

test.each([undefined, "10", "01", "0.5", "x0"])("assertLasting() leaves %j alone", (some) => {
  expect(() => assertLasting({ expiration: some })).not.toThrow();
});

test("who publishes a message that expires at once is told that this is not modelled", async () => {
  const refused = await new BrokerStage(rabbitmq()).play(async (client) => {
    const channel = await (await client.connect("amqp://x")).createChannel();
    await channel.assertQueue("mine");
    expect(() => channel.sendToQueue("mine", Buffer.from("x"), { expiration: 0 })).toThrow(
      NotModelled,
    );
    const args = { "x-queue-master-locator": "odd" };
    return await channel.assertQueue("ours", { arguments: args }).catch((error: unknown) => error);
  });
  expect(refused).toBeInstanceOf(NotModelled);
});
