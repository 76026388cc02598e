import type { NatsClient } from "../../../sim/brokers/nats/client.ts";
import type { NatsMessage } from "../../../sim/brokers/nats/message.ts";
import { nats } from "../../../sim/brokers/nats/model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<NatsClient>;

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
