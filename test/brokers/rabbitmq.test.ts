import { describe, expect, test } from "vitest";
import { type AmqpClient, rabbitmq } from "../../sim/brokers/rabbitmq/model.ts";
import type { AmqpChannel } from "../../sim/brokers/rabbitmq/channel.ts";
import type { AmqpMessage } from "../../sim/brokers/rabbitmq/message.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

type Channel = Pick<AmqpChannel, "purgeQueue" | "deleteQueue" | "get">;

const bytes = (text: string): Buffer => Buffer.from(text);

/** A channel with a consumer that keeps what it is sent, and what the channel says of itself. */
async function consuming(client: AmqpClient, prefetch = 0) {
  const connection = await client.connect("amqp://localhost");
  const told: string[] = [];
  connection.on("error", (error: Error) => told.push(`connection error: ${error.message}`));
  connection.on("close", () => told.push("connection close"));
  const channel = await connection.createConfirmChannel();
  channel.on("error", (error: Error & { code: number }) => told.push(`error ${error.code}`));
  channel.on("close", () => told.push("close"));
  if (prefetch > 0) await channel.prefetch(prefetch);
  const messages: AmqpMessage[] = [];
  const onMessage = (message: AmqpMessage | null): void => {
    if (message === null) told.push("cancelled");
    else messages.push(message);
  };
  await channel.consume("orders", onMessage);
  return { connection, channel, messages, told };
}

const words = (messages: readonly AmqpMessage[]): string[] =>
  messages.map(({ content, fields }) => {
    const { ref } = JSON.parse(content.toString()) as { ref: string };
    return `${fields.deliveryTag} ${ref}${fields.redelivered ? " again" : ""}`;
  });

async function twice(
  stage: BrokerStage<AmqpClient>,
  first: (parts: Awaited<ReturnType<typeof consuming>>, life: Life) => Promise<void>,
): Promise<{ before: string[]; after: string[]; told: string[] }> {
  const one = await stage.play(async (client, life) => {
    const parts = await consuming(client);
    await pass(life, 100);
    const before = words(parts.messages);
    await first(parts, life);
    return { before, told: parts.told };
  });
  const after = await stage.play(async (client, life) => {
    const parts = await consuming(client);
    await pass(life, 5_000);
    return words(parts.messages);
  });
  return { ...one, after };
}

describe("a RabbitMQ queue", () => {
  test("delivers with tags per channel, and gives back what a closed channel had", async () => {
    const stage = new BrokerStage(rabbitmq());
    stage.publish(3);
    const seen = await twice(stage, async ({ channel, connection, messages }) => {
      channel.ack(messages[1] as AmqpMessage);
      await channel.close();
      await connection.close();
    });
    expect(seen).toEqual({
      before: ["1 ref-000001", "2 ref-000002", "3 ref-000003"],
      after: ["1 ref-000001 again", "2 ref-000003 again"],
      told: ["close", "connection close"],
    });
    expect(stage.links[0]?.open()).toEqual([]);
    expect(stage.links[1]?.open()).toEqual(["a connection"]);
    expect(stage.broker.owed()).toEqual(["ref-000001", "ref-000003"]);
  });

  test("closes the channel with 406 when a tag is settled twice; all unacked comes again", async () => {
    const stage = new BrokerStage(rabbitmq());
    stage.publish(3);
    const seen = await twice(stage, async ({ channel, messages }, life) => {
      channel.ack(messages[0] as AmqpMessage);
      channel.ack(messages[0] as AmqpMessage);
      channel.ack(messages[1] as AmqpMessage);
      await pass(life, 100);
      expect(() => channel.ack(messages[2] as AmqpMessage)).toThrow("Channel closed");
    });
    expect(seen.after).toEqual(["1 ref-000002 again", "2 ref-000003 again"]);
    expect(seen.told).toEqual(["error 406", "close"]);
    const attempts = stage.told("settle", ({ ref, handle, refused }) =>
      [ref, handle, refused].join(" "),
    );
    expect(attempts).toEqual([
      "ref-000001 channel-1#1 ",
      "ref-000001 channel-1#1 PRECONDITION_FAILED",
    ]);
  });

  test("takes multiple for all up to the tag, and tag 0 for all", async () => {
    const upTo = new BrokerStage(rabbitmq());
    upTo.publish(4);
    await upTo.play(async (client, life) => {
      const { channel, messages } = await consuming(client);
      await pass(life, 100);
      channel.ack(messages[2] as AmqpMessage, true);
      await pass(life, 100);
    });
    expect(upTo.broker.owed()).toEqual(["ref-000004"]);
    const all = new BrokerStage(rabbitmq());
    all.publish(4);
    await all.play(async (client, life) => {
      const { channel } = await consuming(client);
      await pass(life, 100);
      channel.ackAll();
      await pass(life, 100);
    });
    expect(all.broker.owed()).toEqual([]);
  });

  test("a close whose reply is lost has closed, and says so once", async () => {
    const stage = new BrokerStage(rabbitmq());
    const told = await stage.play(async (client, life) => {
      const { connection, told: seen } = await consuming(client);
      stage.strike("broker.session", { kind: "fail", when: "after" });
      await connection.close();
      await pass(life, 5_000);
      return seen;
    });
    expect(told).toEqual(["close", "connection close"]);
  });

  test("rejects a consume whose reply comes when its channel is closed already", async () => {
    const stage = new BrokerStage(rabbitmq());
    const outcome = await stage.play(async (client) => {
      const connection = await client.connect("amqp://localhost");
      const channel = await connection.createChannel();
      const consumed = channel.consume("orders", () => undefined);
      void channel.close();
      return consumed.then(
        () => "consumes",
        (error: Error) => error.message,
      );
    });
    expect(outcome).toBe("Channel ended, no reply will be forthcoming");
  });

  test("requeues in the old place, and discards without or with a dead-letter policy", async () => {
    for (const hasDeadLetterPolicy of [false, true]) {
      const stage = new BrokerStage(rabbitmq({ hasDeadLetterPolicy }));
      stage.publish(3);
      const refs = await stage.play(async (client, life) => {
        const { channel, messages } = await consuming(client, 2);
        await pass(life, 100);
        channel.reject(messages[1] as AmqpMessage, false);
        channel.nack(messages[0] as AmqpMessage);
        await pass(life, 100);
        return words(messages);
      });
      expect(refs).toEqual(["1 ref-000001", "2 ref-000002", "3 ref-000003", "4 ref-000001 again"]);
      expect(stage.told("settled", ({ ref }) => ref)).toEqual(["ref-000002"]);
      const dead = stage.told("dead-lettered", ({ ref }) => ref);
      expect(dead).toEqual(hasDeadLetterPolicy ? ["ref-000002"] : []);
    }
  });

  test("drops dead letters where their queue keeps so many, or for so long", async () => {
    const dropped = async (
      limits: Readonly<Record<string, unknown>>,
    ): Promise<readonly string[]> => {
      const stage = new BrokerStage(rabbitmq());
      stage.publish(3);
      await stage.play(async (client, life) => {
        const channel = await (await client.connect()).createConfirmChannel();
        const named = { persistent: true };
        await channel.assertQueue("mine.older", { durable: true });
        await channel.assertQueue("mine.dead", { durable: true, ...limits });
        for (const ref of ["ref-000001", "ref-000002", "ref-000001"]) {
          channel.sendToQueue("mine.dead", bytes(ref), named);
        }
        await channel.waitForConfirms();
        await pass(life, 2_000);
      });
      return stage.told("dead-letter-dropped", ({ ref }) => ref);
    };
    expect(await dropped({ maxLength: 1 })).toEqual(["ref-000001", "ref-000002"]);
    expect(await dropped({ maxLength: 3 })).toEqual([]);
    expect(await dropped({ messageTtl: 1_000 })).toEqual(["ref-000002", "ref-000001"]);
    const deadLetterExchange = "";
    const kept = { maxLength: 1, deadLetterExchange, deadLetterRoutingKey: "mine.older" };
    expect(await dropped(kept)).toEqual([]);
  });

  test("confirms what was published; an exchange that is missing closes the channel", async () => {
    const stage = new BrokerStage(rabbitmq());
    stage.publish(1);
    const told = await stage.play(async (client, life) => {
      const { channel, told: heard } = await consuming(client);
      channel.publish("orders.dead", "any", bytes("ref-000001"), { persistent: true }, () =>
        heard.push("confirmed"),
      );
      await channel.waitForConfirms();
      channel.publish("nowhere", "any", bytes("ref-000001"), {}, (error) =>
        heard.push(error === null ? "confirmed" : error.message),
      );
      await expect(channel.waitForConfirms()).rejects.toThrow("channel closed");
      await pass(life, 10);
      return heard;
    });
    expect(told).toEqual(["confirmed", "error 404", "channel closed", "close"]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
  });

  test("breaks the connection when a frame is lost; what was unacked comes again", async () => {
    const stage = new BrokerStage(rabbitmq());
    stage.publish(2);
    stage.strike("broker.settle", { kind: "drop", what: "request" });
    const seen = await twice(stage, async ({ channel, messages }, life) => {
      channel.ack(messages[0] as AmqpMessage);
      await pass(life, 15_000);
    });
    expect(seen.after).toEqual(["1 ref-000001 again", "2 ref-000002 again"]);
    expect(seen.told).toEqual(["connection error: Unexpected close", "close", "connection close"]);
    expect(stage.links[0]?.open()).toEqual([]);
  });

  test("gives back what a dead process had, at once", async () => {
    const stage = new BrokerStage(rabbitmq());
    stage.publish(2);
    stage.strike("broker.settle", { kind: "crash", when: "before" });
    const seen = await twice(stage, async ({ channel, messages }) => {
      const settled = new Promise<void>((resolve) => {
        stage.world.schedule(200, { lane: "test" }, resolve);
      });
      channel.ack(messages[0] as AmqpMessage);
      await settled;
    });
    expect(seen.after).toEqual(["1 ref-000001 again", "2 ref-000002 again"]);
  });

  test("closes a channel that holds a delivery beyond the consumer timeout", async () => {
    const stage = new BrokerStage(rabbitmq({ consumerTimeoutMs: 3_000 }));
    stage.publish(1);
    const told = await stage.play(async (client, life) => {
      const parts = await consuming(client);
      await pass(life, 4_000);
      return parts.told;
    });
    expect(told).toEqual(["error 406", "close"]);
    expect(stage.told("lapsed", ({ ref, consumer }) => `${ref} ${consumer}`)).toEqual([
      "ref-000001 client-1/channel-1",
    ]);
  });

  test("reports disturbances to each kind of consumer", async () => {
    const told: string[][] = [];
    for (const nth of [0, 1, 2]) {
      const stage = new BrokerStage(rabbitmq());
      stage.publish(1);
      told.push(
        await stage.play(async (client, life) => {
          const parts = await consuming(client);
          await pass(life, 100);
          stage.broker.disturbances[nth]?.strike();
          await pass(life, 100);
          return parts.told.map((line) => line.split(":")[0] as string);
        }),
      );
    }
    expect(told).toEqual([["close", "connection close"], ["error 406", "close"], ["cancelled"]]);
  });

  test("tells a consumer that it is cancelled, also before the reply that names it", async () => {
    const stage = new BrokerStage(rabbitmq());
    const told: unknown[] = [];
    await stage.play(async (client, life) => {
      const channel = await (await client.connect("amqp://localhost")).createChannel();
      const onMessage = (message: AmqpMessage | null): void => void told.push(message);
      stage.strike("broker.session", { kind: "delay", what: "reply", ms: 100 });
      const asked = channel.consume("orders", onMessage).then(() => told.push("reply"));
      await pass(life, 50);
      stage.broker.disturbances[2]?.strike();
      await pass(life, 100);
      await asked;
    });
    expect(told).toEqual([null, "reply"]);
  });

  test("opens no channel on a connection that ends before the reply", async () => {
    const stage = new BrokerStage(rabbitmq());
    const told: string[] = [];
    await stage.play(async (client, life) => {
      const connection = await client.connect("amqp://localhost");
      connection.on("close", () => told.push("close"));
      stage.strike("broker.session", { kind: "delay", what: "reply", ms: 100 });
      const asked = connection.createConfirmChannel().then(
        () => told.push("a channel"),
        (error: Error) => told.push(error.message),
      );
      await pass(life, 50);
      stage.broker.disturbances[0]?.strike();
      await asked;
      await pass(life, 100);
    });
    expect(told).toEqual(["close", "Channel ended, no reply will be forthcoming"]);
  });
});

describe("amqplib's objects that the model hands out", () => {
  test("refuse by name what the model does not have", async () => {
    const stage = new BrokerStage(rabbitmq());
    const refusal = await stage.play(async (client) => {
      const connection = await client.connect("amqp://localhost");
      return connection
        .updateSecret(bytes("new"), "rotated")
        .catch((error: Error) => error.message);
    });
    expect(refusal).toBe("Not modelled: connection.updateSecret(); see brokers.rabbitmq");
  });

  test("refuse by name a consumer's options that the model does not have", async () => {
    const stage = new BrokerStage(rabbitmq());
    const refusals = await stage.play(async (client) => {
      const channel = await (await client.connect("amqp://localhost")).createChannel();
      const refusalOf = (options: object): Promise<unknown> =>
        channel
          .consume("orders", () => undefined, options)
          .then(
            ({ consumerTag }) => consumerTag,
            (error: Error) => error.message,
          );
      return [
        await refusalOf({ priority: 1.5 }),
        await refusalOf({ arguments: { "x-stream-offset": "first" } }),
        await refusalOf({ consumerTag: "mine", arguments: {} }),
      ];
    });
    expect(refusals).toEqual([
      "Not modelled: consume() with a priority that is no integer; see brokers.rabbitmq",
      "Not modelled: consume() with x-stream-offset; see brokers.rabbitmq",
      "mine",
    ]);
  });

  test("register listeners as an event emitter does", async () => {
    const stage = new BrokerStage(rabbitmq());
    const seen = await stage.play(async (client) => {
      const connection = await client.connect("amqp://localhost");
      const calls: string[] = [];
      const first = (): unknown => calls.push("first");
      connection.on("blocked", () => calls.push("second"));
      connection.prependOnceListener("blocked", first);
      expect(connection.listeners("blocked")[0]).toBe(first);
      connection.emit("blocked");
      connection.emit("blocked");
      const names = connection.eventNames();
      return { calls, names, most: connection.setMaxListeners(3).getMaxListeners() };
    });
    expect(seen).toEqual({ calls: ["first", "second", "second"], names: ["blocked"], most: 3 });
  });
});

test("a publisher sends again, each second, what a full queue has refused", async () => {
  const stage = new BrokerStage(rabbitmq());
  const counts = await stage.play(async (client, life) => {
    const connection = await client.connect("amqp://localhost");
    const channel = await connection.createChannel();
    await channel.deleteQueue("orders");
    const overflow = { "x-overflow": "reject-publish" };
    await channel.assertQueue("orders", { maxLength: 1, arguments: overflow });
    stage.publish(3);
    const seen: unknown[] = [];
    for (const ms of [0, 1_100, 1_100, 1_100]) {
      await pass(life, ms);
      const { messageCount } = await channel.checkQueue("orders");
      const got = await channel.get("orders", { noAck: true });
      const { messageId } = got === false ? { messageId: "none" } : got.properties;
      seen.push([messageCount, messageId]);
    }
    return seen;
  });
  const refs = ["ref-000001", "ref-000002", "ref-000003"];
  expect(counts).toEqual([...refs.map((ref) => [1, ref]), [0, "none"]]);
});

test("nackAll() gives back all that is not acknowledged, unless told to drop it", async () => {
  for (const requeue of [undefined, true, false]) {
    const stage = new BrokerStage(rabbitmq());
    stage.publish(2);
    const seen = await stage.play(async (client, life) => {
      const { connection, channel, messages } = await consuming(client);
      await pass(life, 100);
      channel.nackAll(...(requeue === undefined ? [] : [requeue]));
      await pass(life, 100);
      await connection.close();
      return words(messages);
    });
    const again = requeue === false ? [] : ["3 ref-000001 again", "4 ref-000002 again"];
    expect(seen).toEqual(["1 ref-000001", "2 ref-000002", ...again]);
  }
});

test("the publisher of one key names no message ids", async () => {
  const stage = new BrokerStage(rabbitmq());
  for (const key of ["key-1", "key-2", "key-3", "key-4"]) stage.publish(1, key);
  const ids = await stage.play(async (client, life) => {
    const { messages } = await consuming(client);
    await pass(life, 100);
    return messages.map(({ properties }) => properties.messageId);
  });
  expect(ids).toEqual(["ref-000001", "ref-000002", undefined, "ref-000004"]);
});

test.each([
  ["its queue is purged", (channel: Channel) => channel.purgeQueue("orders")],
  ["its queue is deleted", (channel: Channel) => channel.deleteQueue("orders")],
  ["it is delivered with noAck", (channel: Channel) => channel.get("orders", { noAck: true })],
])("says of what is not acknowledged that %s", async (why, settle) => {
  const stage = new BrokerStage(rabbitmq());
  stage.publish(1);
  await stage.play(async (client) => {
    const connection = await client.connect("amqp://localhost");
    await settle(await connection.createChannel());
    await connection.close();
  });
  expect(stage.told("settled", (event) => event.why ?? "")).toEqual([why]);
});
