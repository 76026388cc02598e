import { pubsub } from "../../../sim/brokers/pubsub/pubsub-broker.ts";
import type { PubSubClient } from "../../../sim/brokers/pubsub/pubsub-client.ts";
import type { PubSubMessage } from "../../../sim/brokers/pubsub/pubsub-message.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<PubSubClient>;

/** Settles each message in another way, by how many came before it. */
async function settle({ call, pass }: Stage, message: PubSubMessage, nth: number): Promise<void> {
  const isFirst = message.deliveryAttempt < 2;
  if (nth % 5 === 0) await call("acks", () => message.ack());
  if (nth % 5 === 1) await call("acks and waits", () => message.ackWithResponse());
  if (nth % 5 === 2) {
    if (isFirst) await call("nacks", () => message.nack());
    else await call("nacks and waits", () => message.nackWithResponse());
  }
  if (nth % 5 === 3) {
    await call("extends", () => message.modAck(20));
    await pass(9_000);
    await call("acks late", () => message.ackWithResponse());
  }
  if (nth % 5 === 4) await call("gives back", () => message.modAckWithResponse(0));
}

async function work(stage: Stage): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(4);
  publish(3, "key-2");
  const flowControl = { maxMessages: 3, allowExcessMessages: false };
  const subscription = client.subscription("orders", { flowControl });
  let nth = 0;
  const handle = async (message: PubSubMessage): Promise<void> => {
    const { orderingKey, deliveryAttempt, data } = message;
    note("is given", [orderingKey, deliveryAttempt, new TextDecoder().decode(data)]);
    const mine = nth;
    nth += 1;
    await pass(500);
    await settle(stage, message, mine);
  };
  subscription.on("message", (message: PubSubMessage) => void handle(message));
  for (const event of ["error", "close", "debug"]) {
    subscription.on(event, (about: unknown) => note(event, String(about)));
  }
  await pass(15_000);
  const topic = client.topic("dead");
  const data = new TextEncoder().encode('{"ref":"ref-000001"}') as Buffer;
  await call("publishes", () => topic.publishMessage({ data, attributes: { why: "rejected" } }));
  publish(3);
  await pass(25_000);
  await call("closes the subscription", () => subscription.close());
  await pass(5_000);
  await call("closes", () => client.close());
}

const models = {
  pubsub: () => pubsub(),
  "pubsub-exactly-once": () => pubsub({ exactlyOnceDelivery: true, maxDeliveryAttempts: 5 }),
  "pubsub-ordered": () => pubsub({ orderingKeys: true }),
};
for (const [name, createModel] of Object.entries(models)) {
  testTroubles({
    ...{ name, createModel, work },
    sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  });
}
