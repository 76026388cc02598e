import { headers as createHeaders } from "@nats-io/transport-node";
import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import { nats } from "../../../sim/brokers/nats/model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<NatsClient>;
type NatsConsumer = Awaited<ReturnType<NatsClient["consumers"]["get"]>>;

const seen = ({ seq, subject, redelivered, info }: NatsMessage): readonly unknown[] => [
  ...[seq, subject, redelivered, info.deliveryCount, info.pending],
];

/** Settles each message in another way, by its number and how often it came. */
async function settle(stage: Stage, message: NatsMessage): Promise<void> {
  const isFirst = message.info.deliveryCount === 1;
  switch (message.seq % 5) {
    case 0:
      message.ack();
      return;
    case 1:
      await stage.call("confirms", () => message.ackAck());
      return;
    case 2:
      if (isFirst) message.nak(2_000);
      else message.ack();
      return;
    case 3:
      if (isFirst) message.working();
      else message.ack();
      return;
    default:
      if (isFirst) message.nak();
      else message.term("no use");
  }
}

/** What an administrator does, and messages that say more of themselves. */
async function administer({ client, call, note, pass }: Stage): Promise<void> {
  const headers = createHeaders();
  headers.append("about", "one");
  headers.append("about", "two");
  await call("publishes with headers", () => client.publish("dead.orders", "x", { headers }));
  await call("retries to nobody", () => client.publish("nobody", "x", { retries: 3 }));
  const manager = await call("the manager", () => client.jetstreamManager());
  if (manager === undefined) return;
  const { streams, consumers } = manager;
  await call("the streams", async () => (await streams.list().next()).map((one) => one.config));
  await call("their names", () => streams.names().next());
  await call("a stream", async () => {
    const stream = await streams.get("ORDERS");
    const { state } = await stream.info(true);
    const consumer = (await stream.getConsumer("triggerer")) as NatsConsumer;
    return [state.messages, state.last_seq, (await consumer.info(true)).name];
  });
  await call("no stream", () => streams.get("NOTHING"));
  const wanted: readonly (readonly [name: string, config: object])[] = [
    ["all", {}],
    ["new", { deliver_policy: "new", max_deliver: 0 }],
    ["last", { deliver_policy: "last" }],
    ["of-each", { deliver_policy: "last_per_subject", filter_subjects: ["orders.>"] }],
    ["from-3", { deliver_policy: "by_start_sequence", opt_start_seq: 3 }],
    ["from-0", { deliver_policy: "by_start_sequence" }],
    ["late", { deliver_policy: "by_start_time", opt_start_time: "2026-01-01T00:00:05.000Z" }],
    ["never", { deliver_policy: "by_start_time", opt_start_time: "someday" }],
    ["untimed", { deliver_policy: "by_start_time" }],
    ["mistimed", { deliver_policy: "all", opt_start_time: "2026-01-01T00:00:05.000Z" }],
    ["misplaced", { deliver_policy: "all", opt_start_seq: 3 }],
    ["triggerer", { ack_policy: "all" }],
  ];
  for (const [name, config] of wanted) {
    await call(`adds ${name}`, async () => {
      const given = { durable_name: name, ack_policy: "explicit", ...config };
      const about = await consumers.add("ORDERS", given as Parameters<typeof consumers.add>[1]);
      return [about.name, about.num_pending, about.config];
    });
  }
  await call("the consumers", async () =>
    (await consumers.list("ORDERS").next()).map(({ name, num_pending }) => [name, num_pending]),
  );
  const late = await call("gets late", () => client.consumers.get("ORDERS", "late"));
  const message = await call("late's next", async () => {
    const next = await late?.next({ expires: 2_000 });
    return next === null || next === undefined ? undefined : next;
  });
  if (message !== undefined) {
    const { time, timestampNanos, headers: told } = message;
    note("says of itself", [time, String(timestampNanos), told?.keys() ?? [], message.sid]);
    await call("confirms late", () => message.ackAck({ timeout: 500 }));
    await call("confirms again", () => message.ackAck());
  }
  await call("deletes late", () => consumers.delete("ORDERS", "late"));
  await call("deletes it again", () => consumers.delete("ORDERS", "late"));
  await call("purges", () => streams.purge("DEAD"));
  await pass(1_000);
}

async function work(stage: Stage): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(6);
  const consumer = await call("gets", () => client.consumers.get("ORDERS", "triggerer"));
  const again = consumer ?? (await client.consumers.get("ORDERS", "triggerer"));
  await call("info", async () => {
    const { num_pending, num_ack_pending, num_redelivered, delivered } = await again.info();
    return [num_pending, num_ack_pending, num_redelivered, delivered];
  });
  const messages = await call("consumes", () => again.consume({ max_messages: 4 }));
  const statuses = async (): Promise<void> => {
    for await (const status of messages?.status() ?? []) note("status", status);
  };
  void statuses();
  const consuming = (async (): Promise<void> => {
    for await (const message of messages ?? []) {
      note("is given", seen(message));
      await pass(500);
      await settle(stage, message);
    }
    note("all is consumed");
  })();
  await pass(12_000);
  publish(4, "key-2");
  const first = { msgID: "once" };
  await call("publishes", () => client.publish("dead.orders", "one", first));
  await call("publishes again", () => client.publish("dead.orders", "one", first));
  await call("publishes to nobody", () => client.publish("nobody.listens", "one"));
  await call("expects", () =>
    client.publish("dead.orders", "x", { expect: { lastSequence: 7 }, timeout: 1_000 }),
  );
  await pass(20_000);
  note("pending", [messages?.getPending(), messages?.getReceived(), messages?.getProcessed()]);
  messages?.stop();
  await pass(5_000);
  const batch = await call("fetches", () => again.fetch({ max_messages: 3, expires: 4_000 }));
  publish(2);
  for await (const message of batch ?? []) {
    note("is fetched", seen(message));
    message.ack();
  }
  await call("next", async () => {
    const message = await again.next({ expires: 2_000 });
    return message === null ? "nothing" : seen(message);
  });
  await administer(stage);
  await pass(40_000);
  await call("closes", () => messages?.close());
  await Promise.race([consuming, pass(10_000)]);
}

testTroubles({
  name: "nats",
  createModel: () => nats({ ackWaitMs: 8_000, maxAckPending: 5, maxDeliver: 4 }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
