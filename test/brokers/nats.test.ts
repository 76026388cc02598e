import { describe, expect, test } from "vitest";
import type { NatsClient } from "../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../sim/brokers/nats/message.ts";
import { nats } from "../../sim/brokers/nats/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

async function fetched(client: NatsClient, expires = 1_000): Promise<NatsMessage[]> {
  const consumer = await client.consumers.get("ORDERS", "triggerer");
  const messages: NatsMessage[] = [];
  for await (const message of await consumer.fetch({ max_messages: 10, expires })) {
    messages.push(message);
  }
  return messages;
}

const words = (messages: readonly NatsMessage[]): string[] =>
  messages.map((message) => {
    const { ref } = message.json<{ ref: string }>();
    return `${message.seq} ${ref}${message.redelivered ? ` ${message.info.deliveryCount}` : ""}`;
  });

describe("a JetStream consumer", () => {
  test("redelivers after AckWait, unless the client reports that it is working", async () => {
    const stage = new BrokerStage(nats({ ackWaitMs: 5_000 }));
    stage.publish(3);
    const seen = await stage.play(async (client, life) => {
      const first = await fetched(client);
      first[0]?.ack();
      for (let n = 0; n < 4; n += 1) {
        first[1]?.working();
        await pass(life, 2_000);
      }
      const again = await fetched(client);
      await pass(life, 6_000);
      return { first: words(first), again: words(again), late: words(await fetched(client)) };
    });
    expect(seen).toEqual({
      first: ["1 ref-000001", "2 ref-000002", "3 ref-000003"],
      again: ["3 ref-000003 2"],
      late: ["2 ref-000002 2", "3 ref-000003 3"],
    });
    expect(stage.told("lapsed", ({ ref }) => ref)).toEqual([
      "ref-000003",
      "ref-000002",
      "ref-000003",
    ]);
    expect(stage.broker.owed()).toEqual(["ref-000002", "ref-000003"]);
    expect(stage.links[0]?.open()).toEqual([]);
  });

  test("delivers again after the delay of a nak, and never after a term", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(3);
    const seen = await stage.play(async (client, life) => {
      const first = await fetched(client);
      first[0]?.nak();
      first[1]?.nak(3_000);
      first[2]?.term("of no use");
      await pass(life, 500);
      const soon = await fetched(client);
      for (const message of soon) message.ack();
      await pass(life, 3_000);
      return { soon: words(soon), later: words(await fetched(client)) };
    });
    expect(seen).toEqual({ soon: ["1 ref-000001 2"], later: ["2 ref-000002 2"] });
    expect(stage.told("settled", ({ ref }) => ref)).toEqual(["ref-000003", "ref-000001"]);
  });

  test("sends one final word a message; what says nothing new changes nothing", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      const [first] = await fetched(client);
      await pass(life, 6_000);
      const [second] = await fetched(client);
      const taken = await second?.ackAck();
      second?.nak();
      const again = await second?.ackAck();
      first?.ack();
      await pass(life, 100);
      return { taken, again };
    });
    expect(seen).toEqual({ taken: true, again: false });
    const attempts = stage.told("settle", ({ handle, act, refused }) =>
      [handle, act, refused].join(" "),
    );
    expect(attempts).toEqual(["1#2 ack ", "1#1 ack NoEffect"]);
  });

  test("loses messages without a reply silently, and rejects requests without a reply", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(2);
    stage.strike("broker.settle", { kind: "drop", what: "request" }, 1, 2);
    const name = await stage.play(async (client) => {
      const [first, second] = await fetched(client);
      first?.ack();
      return second?.ackAck().catch((error: Error) => error.name);
    });
    expect(name).toBe("TimeoutError");
    expect(stage.broker.owed()).toEqual(["ref-000001", "ref-000002"]);
  });

  test("gives up after MaxDeliver, and gives out no more than MaxAckPending", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(3);
    const seen = await stage.play(async (client, life) => {
      const { consumers } = await client.jetstreamManager();
      const durable_name = "triggerer";
      const limits = { max_deliver: 2, max_ack_pending: 1, ack_wait: 2_000_000_000 };
      await consumers.update("ORDERS", durable_name, limits);
      const deliveries: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        deliveries.push(...words(await fetched(client)));
        await pass(life, 2_000);
      }
      return deliveries;
    });
    expect(seen).toEqual([
      ...["1 ref-000001", "1 ref-000001 2", "2 ref-000002", "2 ref-000002 2"],
      "3 ref-000003",
    ]);
    expect(stage.told("settled", ({ ref }) => ref)).toEqual(["ref-000001", "ref-000002"]);
  });

  test("takes a configuration without a policy for one that asks for no acknowledgement", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(1);
    await stage.play(async (client) => {
      const { consumers } = await client.jetstreamManager();
      const add = consumers.add("ORDERS", { durable_name: "triggerer" });
      await expect(add).rejects.toMatchObject({ name: "JetStreamApiError" });
      const { name } = await consumers.add("ORDERS", { durable_name: "other" });
      const consumer = await client.consumers.get("ORDERS", name);
      await consumer.next({ expires: 1_000 });
    });
    expect(stage.broker.owed()).toEqual([]);
  });

  test("acknowledges all before with the policy all", async () => {
    const stage = new BrokerStage(nats({ ackPolicy: "all" }));
    stage.publish(3);
    await stage.play(async (client, life) => {
      const messages = await fetched(client);
      messages[1]?.ack();
      await pass(life, 100);
    });
    expect(stage.broker.owed()).toEqual(["ref-000003"]);
    expect(stage.told("delivered", ({ unit }) => unit)).toEqual(["ORDERS", "ORDERS", "ORDERS"]);
  });

  test("keeps a subscription running until it is closed", async () => {
    const stage = new BrokerStage(nats());
    stage.strike("broker.fetch", { kind: "fail", when: "before" });
    stage.world.schedule(3_000, { lane: "test" }, () => stage.publish(2));
    const refs = await stage.play(async (client) => {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const messages = await consumer.consume();
      const seen: NatsMessage[] = [];
      for await (const message of messages) {
        seen.push(message);
        if (seen.length === 1) expect(stage.links[0]?.open()).toEqual(["a subscription"]);
        if (seen.length === 2) break;
      }
      await messages.closed();
      return words(seen);
    });
    expect(refs).toEqual(["1 ref-000001", "2 ref-000002"]);
    expect(stage.links[0]?.open()).toEqual([]);
  });

  test("pulls again when its reader has made room, and finds messages that arrived unannounced", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const times: number[] = [];
      for await (const message of await consumer.consume({ max_messages: 1 })) {
        times.push(life.world.now);
        message.nak();
        if (times.length === 8) break;
      }
      return (times.at(-1) ?? 0) - (times[0] ?? 0);
    });
    expect(seen).toBeLessThan(500);
  });

  test("publishes a dead letter once for one id; a subject without a stream is refused", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(1);
    const seen = await stage.play(async (client) => {
      const first = await client.publish("dead.orders", "ref-000001", { msgID: "one" });
      const second = await client.publish("dead.orders", "ref-000001", { msgID: "one" });
      const failure = await client.publish("nowhere", "").catch((error: Error) => error.name);
      return [first.duplicate, second.duplicate, failure];
    });
    expect(seen).toEqual([false, true, "JetStreamNotEnabled"]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
  });
});

describe("a consumer that is deleted when nobody uses it", () => {
  const THRESHOLD = { ack_policy: "explicit", inactive_threshold: 1_000_000_000 } as const;
  const isThere = async (client: NatsClient, name: string): Promise<boolean> => {
    const { consumers } = await client.jetstreamManager();
    return consumers.info("ORDERS", name).then(
      () => true,
      () => false,
    );
  };

  test("is there until the time is over, and a tenth of a second more", async () => {
    const seen = await new BrokerStage(nats()).play(async (client, life) => {
      const { consumers } = await client.jetstreamManager();
      await consumers.add("ORDERS", { name: "short", ...THRESHOLD });
      const first = await consumers.add("ORDERS", { ack_policy: "explicit" });
      const second = await consumers.add("ORDERS", { ack_policy: "explicit" });
      const there: boolean[] = [];
      for (const [ms, name] of [
        ...([
          [1_070, "short"],
          [40, "short"],
        ] as const),
        ...([
          [3_960, first.name],
          [60, first.name],
        ] as const),
      ]) {
        await pass(life, ms);
        there.push(await isThere(client, name));
      }
      return [first.name, second.name, ...there];
    });
    expect(seen).toEqual(["unnamed1", "unnamed2", true, false, true, false]);
  });

  test("lives as long again after each request, and after an acknowledgement", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      const { consumers } = await client.jetstreamManager();
      await consumers.add("ORDERS", { name: "short", ...THRESHOLD });
      const consumer = await client.consumers.get("ORDERS", "short");
      const message = await consumer.next({ expires: 1_000 });
      await pass(life, 10_000);
      const there = [await isThere(client, "short")];
      message?.ack();
      await pass(life, 1_050);
      there.push(await isThere(client, "short"));
      expect(await consumer.next({ expires: 1_000 })).toBeNull();
      there.push((await consumer.info()).num_waiting === 0);
      await pass(life, 1_150);
      there.push(await isThere(client, "short"));
      return there;
    });
    expect(seen).toEqual([true, true, true, false]);
  });

  test("counts from the last request, not from what arrives while it waits", async () => {
    const seen = await new BrokerStage(nats()).play(async (client, life) => {
      const { consumers } = await client.jetstreamManager();
      const filter = { filter_subject: "orders.a" };
      await consumers.add("ORDERS", { name: "short", ...THRESHOLD, ...filter });
      const consumer = await client.consumers.get("ORDERS", "short");
      await pass(life, 500);
      const next = consumer.next({ expires: 1_000 });
      await pass(life, 700);
      await client.publish("orders.b", "for another");
      expect(await next).toBeNull();
      await pass(life, 50);
      const there = await isThere(client, "short");
      await pass(life, 100);
      return [there, await isThere(client, "short")];
    });
    expect(seen).toEqual([true, false]);
  });

  test("lives while a reader that lives waits", async () => {
    const seen = await new BrokerStage(nats()).play(async (client, life) => {
      const { consumers } = await client.jetstreamManager();
      await consumers.add("ORDERS", { name: "short", ...THRESHOLD });
      const consumer = await client.consumers.get("ORDERS", "short");
      const messages = await consumer.consume({ expires: 30_000, callback: () => undefined });
      await pass(life, 5_000);
      const there = [await isThere(client, "short"), (await consumer.info()).num_waiting === 1];
      messages.stop();
      await pass(life, 1_200);
      return [...there, await isThere(client, "short")];
    });
    expect(seen).toEqual([true, true, false]);
  });
});

describe("what the model of NATS does not have", () => {
  const refusal = (call: () => unknown): Promise<unknown> =>
    outcomeOf(call).then((outcome) => (outcome as { message?: string }).message);

  test("is refused by name, and so are options that would be ignored", async () => {
    const stage = new BrokerStage(nats());
    const seen = await stage.play(async (client) => {
      const manager = await client.jetstreamManager();
      const consumer = await client.consumers.get("ORDERS", "triggerer");
      const short = { durable_name: "short", headers_only: true } as object;
      const replayed = { name: "named", replay_policy: "original" } as object;
      return [
        await refusal(() => client.startBatch("orders.one", "first")),
        await refusal(() => client.consumers.get("ORDERS")),
        await refusal(() => client.consumers.getPushConsumer("ORDERS", "pushed")),
        await refusal(() => manager.streams.purge("ORDERS")),
        await refusal(() => manager.direct.getMessage("ORDERS", { seq: 1 })),
        await refusal(() => manager.consumers.reset("ORDERS", "triggerer")),
        await refusal(() => manager.consumers.add("ORDERS", short)),
        await refusal(() => manager.consumers.add("ORDERS", replayed)),
        await refusal(() => client.publish("dead.one", "", { ttl: "1s" } as object)),
        await refusal(() => consumer.consume({ max_bytes: 1_000 })),
        await refusal(() => consumer.fetch({ expires: 1_000, idle_heartbeat: 900 })),
      ];
    });
    const what = [
      "JetStreamClient.startBatch()",
      "an ordered consumer",
      "consumers.getPushConsumer()",
      "JetStreamManager.streams.purge()",
      "JetStreamManager.direct.getMessage()",
      "JetStreamManager.consumers.reset()",
      "consumers.add() with headers_only",
      'consumers.add() with replay_policy "original"',
      "publish() with ttl",
      "consume() with max_bytes",
      "fetch() with an idle_heartbeat of over half of expires",
    ];
    expect(seen).toEqual(what.map((one) => `Not modelled: ${one}; see brokers.nats`));
  });

  test("headers are read and changed as the library's", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(1);
    const seen = await stage.play(async (client) => {
      const [message] = await fetched(client);
      const { headers } = message as NatsMessage;
      headers?.append("Tried", " 1 ");
      headers?.append("Tried", "2");
      headers?.set("Kept", "yes");
      headers?.delete("Nats-Msg-Id");
      const matched = await refusal(() => headers?.get("tried", "insensitive"));
      return [[...(headers ?? [])], headers?.get("Tried"), headers?.last("Tried"), matched];
    });
    const refused = 'Not modelled: headers matched by "insensitive"; see brokers.nats';
    const entries = [
      ["Tried", ["1", "2"]],
      ["Kept", ["yes"]],
    ];
    expect(seen).toEqual([entries, "1", "2", refused]);
  });

  test("a reply that comes after the caller's own timeout is none", async () => {
    const stage = new BrokerStage(nats());
    stage.publish(1);
    stage.strike("broker.produce", { kind: "delay", ms: 900 });
    stage.strike("broker.settle", { kind: "delay", ms: 900 });
    const seen = await stage.play(async (client, life) => {
      const failures = [await outcomeOf(() => client.publish("dead.one", "", { timeout: 500 }))];
      const [message] = await fetched(client);
      failures.push(await outcomeOf(() => message?.ackAck({ timeout: 500 })));
      await pass(life, 1_000);
      return failures;
    });
    expect(seen).toMatchObject([{ name: "TimeoutError" }, { name: "TimeoutError" }]);
    expect(stage.told("settled", ({ ref }) => ref)).toEqual(["ref-000001"]);
  });
});

test.each([
  ["none", "its consumer needs no ack"],
  ["explicit", ""],
] as const)("a delivery with the ack policy %s is settled, and why: %o", async (ackPolicy, why) => {
  const stage = new BrokerStage(nats({ ackPolicy }));
  stage.publish(1);
  await stage.play(async (client) => {
    const [message] = await fetched(client);
    if (ackPolicy === "explicit") await message?.ackAck();
  });
  expect(stage.told("settled", (event) => event.why ?? "")).toEqual([why]);
});
