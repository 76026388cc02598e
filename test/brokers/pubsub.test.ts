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
      () => client.auth,
      () => client.topic("dead", { flowControlOptions: {} } as object),
      () => client.subscription("orders", { batching: {} } as object),
      () => client.subscription("orders", { flowControl } as object),
      () => client.subscription("orders", { flowControl: { allowExcessMessages: true } }),
      () => subscription.seek("yesterday"),
      () => subscription.iam.getPolicy(),
      () => topic.flowControlled(),
      () => message?.publishTime.setFullTime(),
    ];
    return Promise.all(calls.map(async (call) => outcomeOf(call)));
  });
  const what = [
    "PubSub.auth",
    "PubSub.topic() with flowControlOptions",
    "subscription() with batching",
    "subscription() with flowControl with maxBytes",
    "subscription() with allowExcessMessages",
    "subscription.seek()",
    "subscription.iam.getPolicy()",
    "topic.flowControlled()",
    "publishTime.setFullTime()",
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

describe("what is made", () => {
  const DEADLINE = { ackDeadlineSeconds: 10 };
  const attempt = (call: () => Promise<unknown>): Promise<unknown> => outcomeOf(call);

  test("a first subscription of the workload's topic has its records, a second one copies", async () => {
    const stage = new BrokerStage(pubsub());
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      const topic = client.topic("orders");
      const [first] = await topic.createSubscription("first");
      const [second] = await topic.createSubscription("second");
      const again = await attempt(() => client.createSubscription("orders", "first"));
      stage.publish(1);
      const texts: string[] = [];
      for (const [name, one] of [
        ["first", first],
        ["second", second],
      ] as const) {
        one.on("message", (message) => {
          texts.push(`${name} ${message.id} ${message.data.toString().slice(8, 18)}`);
          message.ack();
        });
      }
      await pass(life, 1_000);
      const deadline = (await first.getMetadata())[0].ackDeadlineSeconds;
      return [texts, (again as { readonly code: number }).code, deadline];
    });
    expect(seen).toEqual([
      ["first 1 ref-000001", "first 2 ref-000002", "second 2 ref-000002"],
      ...[6, 10],
    ]);
    expect(stage.broker.owed()).toEqual([]);
    expect(stage.told("settled", ({ ref }) => ref)).toEqual(["ref-000001", "ref-000002"]);
  });

  test("deleting the workload's subscription loses its records, which stay owed", async () => {
    const stage = new BrokerStage(pubsub({ subscription: "orders", orderingKeys: true }));
    stage.publish(2);
    const texts = await stage.play(async (client, life) => {
      const subscription = client.subscription("orders");
      const events: unknown[] = [];
      subscription.on("error", (error) => events.push((error as { code?: number }).code));
      subscription.on("message", (message) => events.push(message.id));
      await pass(life, 100);
      await client.subscription("orders").delete();
      await pass(life, 1_000);
      stage.publish(1);
      await client.topic("orders").publishMessage({ data: Buffer.from("lost") });
      await client.topic("orders").createSubscription("orders", { enableMessageOrdering: true });
      stage.publish(1);
      await client.topic("orders").publishMessage({ data: Buffer.from("new"), orderingKey: "k" });
      const again: unknown[] = [];
      client.subscription("orders").on("message", (message) => {
        again.push([message.id, message.orderingKey]);
        message.ack();
      });
      await pass(life, 100);
      return [events, again];
    });
    expect(texts).toEqual([
      ["1", "2", 5],
      [
        ["5", "key-1"],
        ["6", "k"],
      ],
    ]);
    expect(stage.broker.owed()).toEqual(["ref-000001", "ref-000002", "ref-000003"]);
  });

  test("a subscription gives up after its attempts, and its topic of dead letters has the rest", async () => {
    const stage = new BrokerStage(pubsub());
    const seen = await stage.play(async (client, life) => {
      const deadLetterTopic = client.topic("given-up").name;
      await client.createSubscription("dead", "made", {
        deadLetterPolicy: { deadLetterTopic },
        retryPolicy: { minimumBackoff: { seconds: 1 }, maximumBackoff: { seconds: 3 } },
      });
      await client.createSubscription("given-up", "rest");
      const got: unknown[] = [];
      const from = life.clock.now();
      client.subscription("made").on("message", (message) => {
        got.push([message.deliveryAttempt, life.clock.now() - from]);
        message.nack();
      });
      const rest: PubSubMessage[] = collected(client.subscription("rest"));
      const attributes = { mine: "1" };
      await client.topic("dead").publishMessage({ data: Buffer.from("x"), attributes });
      await pass(life, 60_000);
      return [got, rest.map((message) => [message.data.toString(), message.attributes])];
    });
    const [got, rest] = seen as [[number, number][], unknown];
    expect(got.map(([attempt]) => attempt)).toEqual([1, 2, 3, 4, 5]);
    const pauses = got.slice(1).map(([, at], n) => Math.round((at - (got[n]?.[1] ?? 0)) / 1_000));
    expect(pauses).toEqual([1, 2, 3, 3]);
    const source = "CloudPubSubDeadLetterSource";
    expect(rest).toEqual([
      [
        "x",
        {
          mine: "1",
          [`${source}DeliveryCount`]: "5",
          [`${source}Subscription`]: "made",
          [`${source}SubscriptionProject`]: "simulated-project",
          [`${source}TopicPublishTime`]: expect.stringMatching(/^20\d\d-.*Z$/) as string,
        },
      ],
    ]);
  });

  test("the workload's own records are given up to a subscription of their dead letters", async () => {
    const stage = new BrokerStage(pubsub());
    const seen = await stage.play(async (client, life) => {
      const topic = client.topic("given-up");
      await topic.createSubscription("rest");
      const deadLetterPolicy = { deadLetterTopic: topic.name, maxDeliveryAttempts: 5 };
      const [made] = await client.topic("orders").createSubscription("made", { deadLetterPolicy });
      stage.publish(1);
      made.on("message", (message) => message.nack());
      const rest = collected(client.subscription("rest"));
      await pass(life, 1_000);
      return rest.map((message) => [message.data.toString(), message.attributes["key"]]);
    });
    expect(seen).toEqual([['{"ref":"ref-000001","key":"key-1"}', "key-1"]]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
    expect(stage.broker.owed()).toEqual([]);
  });

  test("a subscription orders keys, and confirms acks, if it was made so", async () => {
    const stage = new BrokerStage(pubsub());
    const seen = await stage.play(async (client, life) => {
      const topic = client.topic("dead", { messageOrdering: true });
      await topic.createSubscription("made", {
        ...{ enableMessageOrdering: true, enableExactlyOnceDelivery: true },
        retryPolicy: { minimumBackoff: { seconds: 1 } },
      });
      for (const text of ["a", "b"]) {
        await topic.publishMessage({ data: Buffer.from(text), orderingKey: "k" });
      }
      await topic.publishMessage({ data: Buffer.from("c") });
      const got: string[] = [];
      const told: unknown[] = [];
      client.subscription("made").on("message", (message) => {
        got.push(message.data.toString());
        if (got.length === 1) return message.nack();
        void message.ackWithResponse().then(
          (response) => told.push(response),
          (error: { readonly errorCode: string }) => told.push(error.errorCode),
        );
      });
      await pass(life, 3_000);
      return [got, told];
    });
    // What is behind a message that comes again comes again, too; what has no key is behind nothing.
    expect(seen).toEqual([
      ["a", "b", "c", "a", "b"],
      ["INVALID", "SUCCESS", "SUCCESS", "SUCCESS"],
    ]);
  });

  test("what the service does not take is an INVALID_ARGUMENT", async () => {
    const stage = new BrokerStage(pubsub());
    const letters = (maxDeliveryAttempts: number): object => ({
      deadLetterPolicy: { deadLetterTopic: "projects/p/topics/dead", maxDeliveryAttempts },
    });
    const backoff = (minimum: number, maximum: number): object => ({
      retryPolicy: { minimumBackoff: { seconds: minimum }, maximumBackoff: { seconds: maximum } },
    });
    const refused: Readonly<Record<string, object>> = {
      ack_deadline_seconds: { ackDeadlineSeconds: 601 },
      message_retention_duration: { messageRetentionDuration: { seconds: 599 } },
      max_delivery_attempts: letters(101),
      minimum_backoff: backoff(601, 601),
      maximum_backoff: backoff(10, 9),
    };
    const taken = [
      ...[
        { ackDeadlineSeconds: 600 },
        { ackDeadlineSeconds: Number.NaN },
        letters(0),
        letters(100),
      ],
      ...[backoff(0, 600), { retryPolicy: {} }, { expirationPolicy: {} }],
      { messageRetentionDuration: { seconds: "600", nanos: 5 } },
    ];
    const seen = await stage.play(async (client) => {
      const told: unknown[] = [];
      for (const settings of Object.values(refused)) {
        told.push(await attempt(() => client.createSubscription("dead", "made", settings)));
      }
      for (const settings of taken) {
        await client.createSubscription("dead", "made", settings);
        await client.subscription("made").delete();
      }
      return told;
    });
    const wanted = Object.keys(refused).map((field) => ({
      ...{ name: "Error", code: 3 },
      message: expect.stringContaining(
        `3 INVALID_ARGUMENT: Invalid value for ${field}: `,
      ) as string,
    }));
    expect(seen).toEqual(wanted);
  });

  test("metadata has the defaults, also of a subscription that any name is", async () => {
    const stage = new BrokerStage(pubsub({ orderingKeys: true, exactlyOnceDelivery: true }));
    const seen = await stage.play(async (client) => {
      const subscription = client.subscription("any");
      const [before] = await subscription.getMetadata();
      const [after] = await subscription.setMetadata({
        ackDeadlineSeconds: 50,
        deadLetterPolicy: { deadLetterTopic: "projects/p/topics/dead", maxDeliveryAttempts: 7 },
        retryPolicy: {},
      });
      const listed = (await client.getSubscriptions({ topic: "orders" }))[0].map(
        ({ name }) => name,
      );
      const [topic] = await client.topic("any").getMetadata();
      return {
        before,
        after,
        listed,
        topic: topic.name,
        names: (await client.getTopics())[0].length,
      };
    });
    expect(seen).toMatchObject({
      before: {
        ...{ ackDeadlineSeconds: 10, enableMessageOrdering: true, enableExactlyOnceDelivery: true },
        messageRetentionDuration: { seconds: "604800", nanos: 0 },
      },
      after: {
        ...{ ackDeadlineSeconds: 50, enableMessageOrdering: true, enableExactlyOnceDelivery: true },
        deadLetterPolicy: { maxDeliveryAttempts: 7 },
        retryPolicy: {
          minimumBackoff: { seconds: "10", nanos: 0 },
          maximumBackoff: { seconds: "600", nanos: 0 },
        },
      },
      listed: ["projects/simulated-project/subscriptions/any"],
      ...{ topic: "projects/simulated-project/topics/any", names: 1 },
    });
  });

  test("a topic that is deleted takes nothing any more; its subscriptions keep what they have", async () => {
    const stage = new BrokerStage(pubsub());
    const seen = await stage.play(async (client, life) => {
      const topic = client.topic("dead");
      const [made] = await topic.createSubscription("made");
      await topic.publishMessage({ data: Buffer.from("before") });
      await topic.delete();
      const told = [await topic.exists(), (await made.getMetadata())[0].topic];
      await topic.create();
      await topic.publishMessage({ data: Buffer.from("after") });
      const messages = await later(life, collected(made));
      return [told, messages.map(({ data }) => data.toString()), await topic.exists()];
    });
    expect(seen).toEqual([[[false], "_deleted-topic_"], ["before"], [true]]);
  });

  test("what was made in vain is there when it is made again", async () => {
    const stage = new BrokerStage(pubsub());
    stage.strike("broker.session", { kind: "fail", when: "after" });
    const code = await stage.play(async (client) => {
      const told = await attempt(() => client.createTopic("made"));
      return (told as { readonly code: number }).code;
    });
    expect(code).toBe(6);
  });

  test("a name of the options is that of any project, a path is itself", async () => {
    const path = "projects/mine/subscriptions/orders";
    const own = "projects/mine/topics/orders";
    const stage = new BrokerStage(
      pubsub({ subscription: path, topic: own, deadLetterTopics: ["dead"] }),
    );
    const seen = await stage.play(async (client) => {
      const there: unknown[] = [];
      for (const name of [own, "orders", "dead", "projects/mine/topics/dead"]) {
        there.push((await client.topic(name).exists())[0]);
      }
      for (const name of [path, "orders"]) {
        there.push((await client.subscription(name).exists())[0]);
      }
      const of = await client.topic(own).getSubscriptions();
      return [there, of[0].map(({ name }) => name)];
    });
    expect(seen).toEqual([[true, false, true, true, true, false], [path]]);
  });

  test("what would have to be ignored is refused by name", async () => {
    const stage = new BrokerStage(pubsub());
    const seen = await stage.play(async (client) => {
      const create = (settings: object) => () => client.createSubscription("orders", "m", settings);
      const calls: (() => Promise<unknown>)[] = [
        create({ filter: "attributes:a" }),
        create({ ackDeadlineSeconds: "20" }),
        create({ labels: "a" }),
        create({ gaxOpts: { timeout: 1 } }),
        create({ enableExactlyOnceDelivery: true }),
        () => client.createTopic({ name: "m", kmsKeyName: "k" } as object),
        () => client.createTopic("m", { timeout: 1 }),
        () => client.topic("m").create({ timeout: 1 }),
        () => client.topic("m").get({ timeout: 1 } as object),
        () => client.topic("m").getMetadata({ timeout: 1 }),
        () => client.topic("m").setMetadata({}, { timeout: 1 }),
        () => client.topic("m").setMetadata({ labels: 1 } as object),
        () => client.topic("m").delete({ timeout: 1 }),
        () => client.topic("m").getSubscriptions({ pageSize: 1 }),
        () => client.topic("orders").delete(),
        () => client.getTopics({ pageSize: 1 }),
        () => client.getSubscriptions({ pageSize: 1 } as object),
        () => client.subscription("m").get({ timeout: 1 } as object),
        () => client.subscription("m").getMetadata({ timeout: 1 }),
        () => client.subscription("m").setMetadata({}, { timeout: 1 }),
        () => client.subscription("m").setMetadata({ enableMessageOrdering: true }),
        () => client.subscription("m").delete({ timeout: 1 }),
        async () => client.subscription("m").setOptions({ maxExtensionTime: ms(1) }),
        async () => client.topic("m").setPublishOptions({ gaxOpts: {} } as object),
      ];
      return Promise.all(calls.map(attempt));
    });
    const what = [
      "createSubscription() with filter",
      "createSubscription() with ackDeadlineSeconds that is no number",
      "createSubscription() with labels that are no object",
      "createSubscription() with gaxOpts with timeout",
      "createSubscription() with enableExactlyOnceDelivery other than the option exactlyOnceDelivery",
      "PubSub.createTopic() with kmsKeyName",
      "PubSub.createTopic() with timeout",
      ...["create", "get", "getMetadata", "setMetadata"].map(
        (call) => `topic.${call}() with timeout`,
      ),
      "topic.setMetadata() with labels that are no object",
      "topic.delete() with timeout",
      "topic.getSubscriptions() with pageSize",
      "deleting the topic of the workload",
      "PubSub.getTopics() with pageSize",
      "PubSub.getSubscriptions() with pageSize",
      ...["get", "getMetadata", "setMetadata"].map((call) => `subscription.${call}() with timeout`),
      "subscription.setMetadata() with enableMessageOrdering",
      "subscription.delete() with timeout",
      "subscription.setOptions() with maxExtensionTime",
      "PubSub.topic() with gaxOpts",
    ];
    const refused = what.map((one) => `Not modelled: ${one}; see brokers.pubsub`);
    expect(seen).toEqual(refused.map((message) => ({ name: "NotModelled", message })));
  });

  test("a subscription that is none tells so to all who ask", async () => {
    const stage = new BrokerStage(pubsub({ subscription: "orders" }));
    const seen = await stage.play(async (client) => {
      const [made] = await client.topic("orders").createSubscription("made", DEADLINE);
      const got = await client.topic("orders").subscription("auto").get({ autoCreate: true });
      const listed = await client.getSubscriptions({ topic: client.topic("orders") });
      await made.delete();
      return [got.length, got[0].metadata?.name, listed[0].length, await made.exists()];
    });
    expect(seen).toEqual([2, "projects/simulated-project/subscriptions/auto", 3, [false]]);
  });
});
