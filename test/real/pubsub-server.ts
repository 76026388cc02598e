import { join } from "node:path";
import { PubSub } from "@google-cloud/pubsub";
import type { PubSubClient } from "../../sim/brokers/pubsub/pubsub-client.ts";
import { bytesFrom } from "../../sim/brokers/text-bytes.ts";
import { INSTALLED } from "./installed.ts";
import { type RunningServer, startServer } from "./loopback-server.ts";
import type { RealBroker } from "./test-real.ts";

const PROGRAM = join(INSTALLED, "pubsub-stand-in");
const TOPICS = ["orders", "dead-orders"] as const;

export function startStandIn(): Promise<RunningServer> {
  return startServer({
    command: PROGRAM,
    arguments: ({ port }) => ["-port", String(port)],
  });
}

/** Each lane is a project of its own; the first is called as the model's. */
export function pubsubClientOf(port: number, lane = 0): PubSub {
  const project = "simulated-project";
  return new PubSub({
    projectId: lane === 0 ? project : `${project}-${lane}`,
    apiEndpoint: `127.0.0.1:${port}`,
    emulatorMode: true,
    // Without any, the library looks for a metadata server in the network.
    credentials: { client_email: "nobody@localhost", private_key: "none" },
  });
}

/** Has the topics and the subscription of the model made anew. */
async function arrange(client: PubSub): Promise<void> {
  await client
    .subscription("orders")
    .delete()
    .catch(() => undefined);
  for (const name of TOPICS) {
    const topic = client.topic(name);
    await topic.delete().catch(() => undefined);
    await topic.create();
  }
  await client.topic("orders").createSubscription("orders", { ackDeadlineSeconds: 10 });
}

/** A client of its own does what operators and publishers do. */
export const PUBSUB_STAND_IN: RealBroker<PubSubClient> = {
  name: "the fake of Pub/Sub",
  commands: [PROGRAM],
  start: startStandIn,
  async stage({ port }, lane = 0) {
    const operator = pubsubClientOf(port, lane);
    await arrange(operator);
    const orders = operator.topic("orders", { batching: { maxMessages: 1 } });
    const client = pubsubClientOf(port, lane);
    return {
      // The model's client is typed as the part of the library that it has.
      client: client as unknown as PubSubClient,
      async publish(ref, key) {
        const data = bytesFrom(JSON.stringify({ ref, key }));
        await orders.publishMessage({ data, attributes: { key } });
      },
      operations: {
        async "other topics refuse what is sent"() {
          await operator.topic("dead-orders").setMetadata({ labels: { refusing: "yes" } });
        },
        async "the account may not consume for a while"() {
          await operator.subscription("orders").setMetadata({ labels: { refusing: "yes" } });
        },
      },
      async close() {
        await client.close();
        await operator.subscription("orders").delete();
        await operator.close();
      },
    };
  },
};
