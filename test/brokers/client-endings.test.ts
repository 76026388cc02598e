import { expect, test } from "vitest";
import { Transaction } from "../../sim/brokers/outbox/transaction.ts";
import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import { rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import { redis } from "../../sim/brokers/redis/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

test("who waits for a transaction is called when it ends, or at once if it has", () => {
  const transaction = new Transaction(0, "one");
  const called: string[] = [];
  transaction.onEnd(() => called.push("waited"));
  expect([transaction.isOver, called]).toEqual([false, []]);
  transaction.rollBack();
  transaction.onEnd(() => called.push("came late"));
  expect([transaction.isOver, called]).toEqual([true, ["waited", "came late"]]);
});

test("a subscription of Pub/Sub is open as long as somebody listens for messages", async () => {
  const stage = new BrokerStage(pubsub());
  stage.publish(1);
  const seen = await stage.play(async (client, life) => {
    const subscription = client.subscription("orders");
    const told: unknown[] = [subscription.isOpen];
    const [one, two] = [(): void => undefined, (): void => undefined];
    subscription.on("message", one).on("message", two);
    subscription.on("close", () => told.push("closed"));
    told.push(subscription.isOpen);
    subscription.off("message", one);
    await pass(life, 100);
    told.push(subscription.isOpen);
    subscription.off("message", two);
    await pass(life, 100);
    return [...told, subscription.isOpen];
  });
  expect(seen).toEqual([false, true, true, "closed", false]);
});

test("an exchange is deleted if it is unused, where that is asked for", async () => {
  const seen = await new BrokerStage(rabbitmq()).play(async (client, life) => {
    const connection = await client.connect("amqp://localhost");
    connection.on("error", () => undefined);
    const told: unknown[] = [];
    for (const ifUnused of [true, false]) {
      const channel = await connection.createChannel();
      channel.on("error", () => undefined);
      await channel.assertExchange("logs", "fanout");
      await channel.bindQueue("orders", "logs", "");
      const { code = "deleted" } = (await outcomeOf(() =>
        channel.deleteExchange("logs", { ifUnused }),
      )) as { readonly code?: number };
      told.push(code);
      await pass(life, 50);
    }
    return told;
  });
  expect(seen).toEqual([406, "deleted"]);
});

test("a command of ioredis calls back with its result or its error, as well as it resolves", async () => {
  const stage = new BrokerStage(redis());
  stage.publish(2);
  const seen = await stage.play(async (client) => {
    const told: unknown[] = [];
    const back = (error?: Error | null, count?: number): void => {
      told.push([error?.message ?? error, count]);
    };
    const count = await client.xlen("orders", back);
    await client.xack("orders", "triggerer", "none", back).catch(() => told.push("rejected"));
    return [count, ...told];
  });
  const wrong = "ERR Invalid stream ID specified as stream command argument";
  expect(seen).toEqual([2, [null, 2], [wrong, undefined], "rejected"]);
});

test("a queue that deletes itself goes with its last consumer", async () => {
  const seen = await new BrokerStage(rabbitmq()).play(async (client) => {
    const connection = await client.connect("amqp://localhost");
    const channel = await connection.createChannel();
    channel.on("error", () => undefined);
    await channel.assertQueue("brief", { autoDelete: true });
    const consumers = [await channel.consume("brief", () => undefined)];
    consumers.push(await channel.consume("brief", () => undefined));
    const left: unknown[] = [];
    for (const { consumerTag } of consumers) {
      await channel.cancel(consumerTag);
      const found = await outcomeOf(() => channel.checkQueue("brief"));
      left.push((found as { readonly code?: number }).code ?? "there");
    }
    return left;
  });
  expect(seen).toEqual(["there", 404]);
});
