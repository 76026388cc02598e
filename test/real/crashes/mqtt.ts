import * as mqtt from "mqtt";
import { MOSQUITTO, startMosquitto, urlOf } from "../mosquitto-server.ts";
import { bodyOf, type CrashBroker, refOfBody } from "./crash-broker.ts";

const RETRY_MS = 200;
const ALWAYS = { clean: false, reconnectPeriod: RETRY_MS } as const;
const PRODUCER = "orders-triggerer";
const CLIENTS = [PRODUCER, "operator", "publisher"];

export const BROKER: CrashBroker = {
  name: "mosquitto",
  commands: [MOSQUITTO],
  correct: "mqtt",
  naive: "naive-mqtt",
  silenceMs: 3_500,
  // The library has one message at a time in hand, so this takes longer than elsewhere.
  orders: 100,
  start: () => startMosquitto("each change"),
  async open(server) {
    const url = urlOf(server);
    for (const clientId of CLIENTS) {
      await (await mqtt.connectAsync(url, { clientId })).endAsync();
    }
    // Without a session the server would drop what is published before the producer subscribes.
    await keepSession(url, PRODUCER, "orders/#");
    const dead = new Set<string>();
    const operator = mqtt.connect(url, { ...ALWAYS, clientId: "operator" });
    operator.on("message", (_topic, payload) => dead.add(refOfBody(payload)));
    await operator.subscribeAsync("dead/#", { qos: 1 });
    const publisher = mqtt.connect(url, { ...ALWAYS, clientId: "publisher" });
    return {
      // What is not confirmed goes out again with the next connection.
      async publish(refs) {
        for (const ref of refs) {
          await publisher.publishAsync("orders/key-1", bodyOf(ref), { qos: 1 });
        }
      },
      deadLetters: () => Promise.resolve(dead),
      async close() {
        await Promise.all([operator.endAsync(true), publisher.endAsync(true)]);
      },
    };
  },
  connect(port) {
    const url = urlOf({ port });
    const module = {
      connect: (_url: string, options: mqtt.IClientOptions) => mqtt.connect(url, options),
      connectAsync: (_url: string, options: mqtt.IClientOptions) => mqtt.connectAsync(url, options),
    };
    return Promise.resolve(() => module);
  },
};

async function keepSession(url: string, clientId: string, filter: string): Promise<void> {
  const properties = { sessionExpiryInterval: 3_600 };
  const options = { ...ALWAYS, clientId, protocolVersion: 5, properties } as const;
  const session = await mqtt.connectAsync(url, options);
  await session.subscribeAsync(filter, { qos: 1 });
  await session.endAsync();
}
