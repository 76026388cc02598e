import { describe, expect, test } from "vitest";
import { pubsub } from "../../sim/brokers/pubsub/pubsub-broker.ts";
import type { PubSubMessage } from "../../sim/brokers/pubsub/pubsub-message.ts";
import type { PubSubSubscription } from "../../sim/brokers/pubsub/pubsub-subscription.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

const ms = (value: number) => ({ totalOf: () => value });

/** Collects what a subscription brings. */
function collected(subscription: PubSubSubscription): PubSubMessage[] {
  const messages: PubSubMessage[] = [];
  subscription.on("message", (message) => messages.push(message));
  return messages;
}

test("a topic belongs to its client, under both names that the library has for that", async () => {
  const isOwn = await new BrokerStage(pubsub()).play(async (client) => {
    const topic = client.topic("orders");
    return topic.parent === client && topic.pubsub === client;
  });
  expect(isOwn).toBe(true);
});

describe("a subscription", () => {
  test("streams from its first listener on, in bytes that spell the record", async () => {
    const stage = new BrokerStage(pubsub());
    stage.publish(2);
    const seen = await stage.play(async (client, life) => {
      const subscription = client.subscription("orders");
      const states = [subscription.isOpen];
      const messages = collected(subscription);
      states.push(subscription.isOpen);
      await pass(life, 100);
      stage.publish(1);
      await pass(life, 100);
      const bodies = messages.map(({ data }): unknown => JSON.parse(data.toString()));
      for (const message of messages) message.ack();
      await subscription.close();
      states.push(subscription.isOpen);
      return { states, bodies, open: stage.links[0]?.open() };
    });
    expect(seen).toEqual({
      states: [false, true, false],
      bodies: [1, 2, 3].map((n) => ({ ref: `ref-00000${n}`, key: "key-1" })),
      open: [],
    });
    expect(stage.broker.owed()).toEqual([]);
  });

  test("extends its leases by itself, up to the configured limit", async () => {
    for (const [extensionMs, comesAgain] of [
      [3_600_000, false],
      [0, true],
    ] as const) {
      const stage = new BrokerStage(pubsub());
      stage.publish(1);
      const count = await stage.play(async (client, life) => {
        const subscription = client.subscription("orders", { maxExtensionTime: ms(extensionMs) });
        const messages = collected(subscription);
        await pass(life, 60_000);
        return messages.length;
      });
      expect(count > 1).toBe(comesAgain);
      expect(stage.told("lapsed", ({ ref }) => ref).length > 0).toBe(comesAgain);
    }
  });

  test("takes no more than flow control lets it", async () => {
    const stage = new BrokerStage(pubsub());
    stage.publish(5);
    const counts = await stage.play(async (client, life) => {
      const messages = collected(
        client.subscription("orders", { flowControl: { maxMessages: 2 } }),
      );
      await pass(life, 100);
      const before = messages.length;
      messages[0]?.ack();
      await pass(life, 100);
      return [before, messages.length];
    });
    expect(counts).toEqual([2, 3]);
  });

  test("gives back what it holds when it closes, or waits for it", async () => {
    const stage = new BrokerStage(pubsub());
    stage.publish(1);
    const waited = await stage.play(async (client, life) => {
      const first = client.subscription("orders");
      collected(first);
      await pass(life, 100);
      await first.close();
      const closeOptions = { behavior: "WAIT", timeout: ms(5_000) } as const;
      const second = client.subscription("orders", { closeOptions });
      const [message] = await later(life, collected(second));
      const from = life.clock.now();
      life.after(2_000, () => message?.ack());
      await second.close();
      return life.clock.now() - from;
    });
    expect(stage.told("settle", ({ act, handle }) => `${act} ${handle}`)).toEqual([
      "nack ref-000001.1",
      "ack ref-000001.2",
    ]);
    expect(waited).toBeGreaterThanOrEqual(2_000);
    expect(waited).toBeLessThan(3_000);
  });

  test("gives all of one response back when its first listener closes", async () => {
    const stage = new BrokerStage(pubsub());
    stage.publish(3);
    const seen = await stage.play(async (client, life) => {
      const first = client.subscription("orders");
      const acked: string[] = [];
      let closing: Promise<void> | undefined;
      first.on("message", (message) => {
        closing ??= first.close();
        acked.push(message.id);
        message.ack();
      });
      await pass(life, 1_000);
      await closing;
      const second = client.subscription("orders");
      const again: string[] = [];
      second.on("message", (message) => {
        again.push(message.id);
        message.ack();
      });
      await pass(life, 1_000);
      await second.close();
      return [acked, again];
    });
    expect(seen).toEqual([
      ["1", "2", "3"],
      ["1", "2", "3"],
    ]);
  });

  test("reconnects by itself when its stream breaks", async () => {
    const stage = new BrokerStage(pubsub());
    stage.strike("broker.fetch", { kind: "fail", when: "before" }, 1, 3);
    stage.publish(1);
    const count = await stage.play(async (client, life) => {
      const messages = collected(client.subscription("orders"));
      await pass(life, 10_000);
      return messages.length;
    });
    expect(count).toBe(1);
  });
});

describe("an acknowledgement", () => {
  test("after the deadline has no effect, which is not reported", async () => {
    const stage = new BrokerStage(pubsub());
    stage.publish(1);
    const response = await stage.play(async (client, life) => {
      const subscription = client.subscription("orders", { maxExtensionTime: ms(0) });
      const messages = collected(subscription);
      await pass(life, 10_500);
      return messages[0]?.ackWithResponse();
    });
    expect(response).toBe("SUCCESS");
    expect(stage.broker.owed()).toEqual(["ref-000001"]);
    await stage.world.run(stage.world.now + 1_000);
    expect(stage.told("settle", ({ refused }) => refused)).toEqual(["NoEffect"]);
  });

  test("with exactly-once delivery is answered, or refused as invalid", async () => {
    const stage = new BrokerStage(pubsub({ exactlyOnceDelivery: true }));
    stage.publish(2);
    const seen = await stage.play(async (client, life) => {
      const [first, second] = await later(life, collected(client.subscription("orders")));
      const good = await first?.ackWithResponse();
      const twice = await first?.ackWithResponse();
      stage.broker.disturbances.find(({ name }) => name.includes("redelivers"))?.strike();
      const late = await second?.ackWithResponse().catch((error: unknown) => error);
      return { good, twice, late };
    });
    expect(seen.good).toBe("SUCCESS");
    expect(seen.twice).toBe("INVALID");
    expect(seen.late).toMatchObject({ name: "AckError", errorCode: "INVALID" });
  });

  test("of several messages come to nothing one by one, when a disturbance strikes", async () => {
    for (const exactlyOnceDelivery of [true, false]) {
      const stage = new BrokerStage(pubsub({ exactlyOnceDelivery }));
      stage.publish(3);
      const seen = await stage.play(async (client, life) => {
        const messages = await later(life, collected(client.subscription("orders")));
        stage.broker.disturbances.find(({ name }) => name.includes("acks"))?.strike();
        const acks = messages.map((message) => message.ackWithResponse());
        const settled = await Promise.allSettled(acks);
        await pass(life, 100);
        return settled.map(({ status }) => status);
      });
      const reported = exactlyOnceDelivery ? "rejected" : "fulfilled";
      expect(seen).toEqual([reported, reported, "fulfilled"]);
      expect(stage.told("settle", (event) => event.refused)).toEqual(["OTHER", "OTHER", ""]);
      expect(stage.broker.owed()).toEqual(["ref-000001", "ref-000002"]);
    }
  });

  test("of a later message is not final while an earlier one of its key is out", async () => {
    const stage = new BrokerStage(pubsub({ orderingKeys: true }));
    stage.publish(2, "key-1");
    const seen = await stage.play(async (client, life) => {
      const messages = collected(client.subscription("orders"));
      await later(life, messages);
      messages[1]?.ack();
      await pass(life, 100);
      messages[0]?.nack();
      await pass(life, 100);
      return messages.map(({ ackId, orderingKey }) => `${ackId} ${orderingKey}`);
    });
    expect(seen).toEqual([
      "ref-000001.1 key-1",
      "ref-000002.1 key-1",
      "ref-000001.2 key-1",
      "ref-000002.2 key-1",
    ]);
  });

  test("counts attempts and moves the message away when there is a dead-letter policy", async () => {
    const stage = new BrokerStage(pubsub({ maxDeliveryAttempts: 2 }));
    stage.publish(1);
    const attempts = await stage.play(async (client, life) => {
      const messages = collected(client.subscription("orders"));
      for (const n of [0, 1]) {
        await pass(life, 100);
        messages[n]?.nack();
      }
      await pass(life, 100);
      return messages.map(({ deliveryAttempt }) => deliveryAttempt);
    });
    expect(attempts).toEqual([1, 2]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
  });
});

test("a topic takes bytes, keeps dead letters, and fails in gRPC's words", async () => {
  const stage = new BrokerStage(pubsub());
  stage.publish(1);
  const seen = await stage.play(async (client) => {
    const topic = client.topic("dead");
    const data = new TextEncoder().encode("about ref-000001");
    const id = await topic.publishMessage({ data });
    const text = await topic.publishMessage({ data: "text" }).catch((error: unknown) => error);
    stage.strike("broker.produce", { kind: "fail", when: "before" }, 1, 3);
    const away = await topic.publishMessage({ data }).catch((error: unknown) => error);
    return { id, text, away };
  });
  expect(seen.id).toBe("1");
  expect(seen.text).toBeInstanceOf(TypeError);
  expect(seen.away).toMatchObject({ code: 14 });
  expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
});

test("what is refused takes what waits along only where both have an ordering key", async () => {
  const seen: string[][] = [];
  for (const key of [{}, { orderingKey: "k" }]) {
    const stage = new BrokerStage(pubsub());
    stage.strike("broker.produce", { kind: "fail", when: "before" }, 1, 3);
    seen.push(
      await stage.play(async (client, life) => {
        const batching = { maxMessages: 2, maxMilliseconds: 60_000 };
        const topic = client.topic("mine", { batching, messageOrdering: "orderingKey" in key });
        const told: string[] = [];
        const publish = async (name: string): Promise<void> => {
          const message = { data: new Uint8Array([1]), ...key };
          await topic.publishMessage(message).then(
            () => told.push(`${name} is sent`),
            (error: Error) =>
              told.push(`${name} is refused: ${String(Reflect.get(error, "code"))}`),
          );
        };
        const all = ["first", "second", "third"].map(publish);
        await pass(life, 30_000);
        told.push("30 s have passed");
        await Promise.all(all);
        return told;
      }),
    );
  }
  const refused = ["first is refused: 14", "second is refused: 14"];
  expect(seen).toEqual([
    [...refused, "30 s have passed", "third is sent"],
    [...refused, "third is refused: 14", "30 s have passed"],
  ]);
});

async function later<T>(life: Parameters<typeof pass>[0], values: T[]): Promise<T[]> {
  await pass(life, 200);
  return values;
}

test("what the model does not have is refused by name, options that it would ignore too", async () => {
  const stage = new BrokerStage(pubsub());
  stage.publish(1);
  const seen = await stage.play(async (client, life) => {
    const subscription = client.subscription("orders");
    const messages = collected(subscription);
    await pass(life, 100);
    const [message] = messages;
    const topic = client.topic("dead");
    const flowControl = { maxBytes: 1_000 };
    const calls: (() => unknown)[] = [
      () => client.createTopic("more"),
      () => client.auth,
      () => client.topic("dead", { flowControlOptions: {} } as object),
      () => client.subscription("orders", { batching: {} } as object),
      () => client.subscription("orders", { flowControl } as object),
      () => client.subscription("orders", { flowControl: { allowExcessMessages: true } }),
      () => subscription.seek("yesterday"),
      () => subscription.iam.getPolicy(),
      () => topic.flowControlled(),
      () => message?.publishTime.getFullTime(),
    ];
    return Promise.all(calls.map(async (call) => outcomeOf(call)));
  });
  const what = [
    "PubSub.createTopic()",
    "PubSub.auth",
    "PubSub.topic() with flowControlOptions",
    "subscription() with batching",
    "subscription() with flowControl with maxBytes",
    "subscription() with allowExcessMessages",
    "subscription.seek()",
    "subscription.iam.getPolicy()",
    "topic.flowControlled()",
    "publishTime.getFullTime()",
  ];
  const refused = what.map((one) => `Not modelled: ${one}; see brokers.pubsub`);
  expect(seen).toEqual(refused.map((message) => ({ name: "NotModelled", message })));
});

test("names, times, listeners and callbacks are the library's", async () => {
  const stage = new BrokerStage(pubsub());
  stage.publish(1);
  const seen = await stage.play(async (client, life) => {
    const subscription = client.subscription("orders");
    const messages: PubSubMessage[] = [];
    subscription.once("message", (message: PubSubMessage) => messages.push(message));
    await pass(life, 100);
    const [message] = messages;
    const isOpen = [subscription.isOpen];
    const handled = message?.handledPromise.then(() => "handled");
    message?.ack();
    const topic = client.topic("dead");
    const bytes = new TextEncoder().encode("{}");
    const ids: unknown[] = [await topic.publishJSON({ ref: "ref-000001" })];
    topic.publish(bytes, (_error, id) => ids.push(id));
    await topic.flush();
    const waited = (message?.received ?? 0) - (message?.publishTime.getTime() ?? 0);
    await subscription.close();
    await client.close();
    return [
      ...[subscription.name, topic.name, ids, isOpen, client.isOpen],
      ...[await handled, message?.isDispatched(), waited >= 0 && waited < 1_000],
    ];
  });
  const [subscription, topic] = ["subscriptions/orders", "topics/dead"];
  expect(seen).toEqual([
    ...[`projects/simulated-project/${subscription}`, `projects/simulated-project/${topic}`],
    ...[["1", "2"], [false], false, "handled", true, true],
  ]);
});
