import { pubsub } from "../../../sim/brokers/pubsub/pubsub-broker.ts";
import type { PubSubClient } from "../../../sim/brokers/pubsub/pubsub-client.ts";
import type { PubSubMessage } from "../../../sim/brokers/pubsub/pubsub-message.ts";
import { type Actor, testTurns } from "./turns.ts";

type Client = Actor<PubSubClient>;
type Settling = (message: PubSubMessage) => unknown;

const PAUSES_MS = [0, 1, 20, 300, 1_100, 4_000, 12_000];
const SETTLINGS: Readonly<Record<string, Settling>> = {
  acks: (message) => message.ack(),
  "acks and waits": (message) => message.ackWithResponse(),
  nacks: (message) => message.nack(),
  "nacks and waits": (message) => message.nackWithResponse(),
  extends: (message) => message.modAck(20),
  "gives back": (message) => message.modAckWithResponse(0),
};

async function work(actor: Client): Promise<void> {
  const { client, dice, publish, pass, call, note } = actor;
  publish(4);
  publish(3, "key-2");
  const data = Buffer.from('{"ref":"ref-000001"}');
  for (;;) {
    const closeMs = dice.from([0, 900, 6_000]);
    const closeOptions = {
      behavior: dice.from(["NACK", "WAIT"] as const),
      timeout: { totalOf: () => closeMs },
    };
    const subscription = client.subscription("orders", {
      ...(dice.oneIn(2) ? { closeOptions } : {}),
      flowControl: {
        ...dice.from([{}, { maxMessages: 1 + dice.below(4) }]),
        ...(dice.oneIn(3) ? { allowExcessMessages: false } : {}),
      },
    });
    const handle = async (message: PubSubMessage): Promise<void> => {
      const { orderingKey, deliveryAttempt } = message;
      note("is given", [orderingKey, deliveryAttempt, message.data.toString()]);
      for (let left = 1 + dice.below(2); left > 0; left -= 1) {
        await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(6) ? 7 : 5)));
        const what = dice.oneIn(3) ? "acks" : dice.from(Object.keys(SETTLINGS));
        await call(what, () => SETTLINGS[what]?.(message));
      }
    };
    subscription.on("message", (message: PubSubMessage) => void handle(message));
    for (const event of ["error", "close", "debug"]) {
      subscription.on(event, (about: unknown) => note(event, String(about)));
    }
    for (let left = 2 + dice.below(8); left > 0; left -= 1) {
      await pass(dice.from(PAUSES_MS));
      publish(dice.below(4), dice.from(["key-1", "key-2", "key-3"]));
      if (!dice.oneIn(3)) continue;
      const topic = client.topic(dice.from(["dead", "dead", "orders"]));
      const attributes = dice.from([{}, { why: "rejected" }]);
      const order = dice.oneIn(4) ? { orderingKey: "key-1" } : {};
      await call("publishes", () => topic.publishMessage({ data, attributes, ...order }));
    }
    const closing = call("closes", () => subscription.close());
    if (!dice.oneIn(4)) await Promise.race([closing, pass(20_000)]);
    if (dice.oneIn(8)) await call("ends", () => client.close(() => note("has ended")));
  }
}

for (const exactlyOnceDelivery of [false, true]) {
  testTurns<PubSubClient>({
    name: exactlyOnceDelivery ? "pubsub-exactly-once" : "pubsub",
    createWorld: (dice) => ({
      model: pubsub({
        ...{ exactlyOnceDelivery, orderingKeys: dice.oneIn(2) },
        ...(dice.oneIn(2) ? { maxDeliveryAttempts: 5 } : {}),
      }),
      actors: { one: work, two: work },
    }),
    sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
    worlds: 10,
    untilMs: 90_000,
  });
}
