import { pubsubClientOf, PUBSUB_STAND_IN, startStandIn } from "../pubsub-server.ts";
import { bodyOf, type CrashBroker, refOfBody } from "./crash-broker.ts";

const SUBSCRIPTIONS = { orders: "orders", "dead-orders": "operator" };

export const BROKER: CrashBroker = {
  name: PUBSUB_STAND_IN.name,
  commands: PUBSUB_STAND_IN.commands,
  correct: "pubsub",
  naive: "naive-pubsub",
  silenceMs: 12_000,
  keepsData: false,
  start: startStandIn,
  async open({ port }) {
    const client = pubsubClientOf(port);
    for (const [name, subscription] of Object.entries(SUBSCRIPTIONS)) {
      const topic = client.topic(name);
      await client
        .subscription(subscription)
        .delete()
        .catch(() => undefined);
      await topic.delete().catch(() => undefined);
      await topic.create();
      await topic.createSubscription(subscription, { ackDeadlineSeconds: 10 });
    }
    const dead = new Set<string>();
    const reader = client.subscription("operator");
    reader.on("error", () => undefined);
    reader.on("message", (message) => {
      dead.add(refOfBody(message.data));
      message.ack();
    });
    return {
      async publish(refs) {
        const orders = client.topic("orders");
        const all = refs.map((ref) => orders.publishMessage({ data: Buffer.from(bodyOf(ref)) }));
        await Promise.all(all);
      },
      deadLetters: () => Promise.resolve(dead),
      async close() {
        await reader.close();
        await client.close();
      },
    };
  },
  connect: (port) => Promise.resolve(() => pubsubClientOf(port)),
};
