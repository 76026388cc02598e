import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import type { Observation } from "./observation.ts";

interface Received {
  readonly cmd: string;
  readonly length?: number;
}

/** What arrives, with its fields and its length on the wire. */
async function received(client: MqttModelClient, act: () => Promise<unknown>) {
  const seen: unknown[] = [];
  client.on("packetreceive", (packet: Received) =>
    seen.push([packet.cmd, packet.length, Object.keys(packet).join(" ")]),
  );
  await act();
  return seen;
}

const PUBLISH = "cmd retain qos dup length topic payload";
const CARRIED = {
  payloadFormatIndicator: true,
  contentType: "text/plain",
  responseTopic: "answers/é",
  correlationData: Buffer.from("12"),
  userProperties: { a: "1", b: ["2", "33"] },
  messageExpiryInterval: 100,
};

/** What the packets of a server have, and what goes ahead of `connect`. */
export const MQTT_PACKETS: readonly Observation<MqttModule>[] = [
  {
    name: "the fields of received packets, with their length on the wire",
    async play(stage) {
      const client = await connected(stage, { clientId: "reader" });
      const seen = await received(client, async () => {
        await client.subscribeAsync(["t/+", "u"], { qos: 2 });
        await client.publishAsync("t/é", "né", { qos: 0 });
        await client.publishAsync("t/1", "x".repeat(200), { qos: 1 });
        await client.publishAsync("t/2", "", { qos: 2 });
        await client.unsubscribeAsync(["t/+", "u"]);
        await stage.pass(100);
      });
      await client.endAsync();
      return seen.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
    },
    real: [
      ["puback", 2, `${PUBLISH} messageId`],
      ["pubcomp", 2, `${PUBLISH} messageId`],
      ["publish", 207, `${PUBLISH} messageId`],
      ["publish", 7, `${PUBLISH} messageId`],
      ["publish", 9, PUBLISH],
      ["pubrec", 2, `${PUBLISH} messageId`],
      ["pubrel", 2, `${PUBLISH} messageId`],
      ["suback", 4, `${PUBLISH} granted messageId`],
      ["unsuback", 2, `${PUBLISH} messageId`],
    ],
  },
  {
    name: "the length of packets of version 5, with their properties",
    async play(stage) {
      const client = await connected(stage, { clientId: "reader", protocolVersion: 5 });
      const seen = await received(client, async () => {
        const properties = { subscriptionIdentifier: 200 };
        await client.subscribeAsync("t/+", { qos: 2, properties });
        await client.publishAsync("t/1", "x", { qos: 1, properties: CARRIED });
        await client.publishAsync("none", "x", { qos: 1 });
        await client.publishAsync("none", "x", { qos: 2 });
        await client.unsubscribeAsync(["t/+", "none"]);
        await stage.pass(100);
      });
      await client.endAsync();
      return seen.map((one) => (one as unknown[]).slice(0, 2));
    },
    real: [
      ["suback", 4],
      ["publish", 72],
      ["puback", 2],
      ["puback", 3],
      ["pubrec", 2],
      ["pubcomp", 2],
      ["unsuback", 5],
    ],
  },
  {
    name: "connect is told when the last stored message was answered",
    async play({ client }) {
      const writer = client.connect("mqtt://localhost", { clientId: "writer" });
      const seen: string[] = [];
      for (const event of ["packetsend", "packetreceive"]) {
        writer.on(event, ({ cmd }: Received) => seen.push(`${event.slice(6)} ${cmd}`));
      }
      writer.on("connect", () => seen.push("connect"));
      const told = async (what: string, call: Promise<unknown>) => {
        await call;
        seen.push(what);
      };
      await Promise.all([
        told("published 1", writer.publishAsync("a", "x", { qos: 1 })),
        told("published 0", writer.publishAsync("a", "y")),
        told("published 2", writer.publishAsync("a", "z", { qos: 2 })),
        told("subscribed", writer.subscribeAsync("q")),
      ]);
      await writer.endAsync();
      return seen.slice(seen.indexOf("receive connack"));
    },
    real: [
      ...["receive connack", "send publish", "receive puback", "send publish", "published 1"],
      ...["receive pubrec", "send pubrel", "receive pubcomp", "send publish", "send subscribe"],
      ...["connect", "published 2", "published 0", "receive suback", "subscribed"],
      "send disconnect",
    ],
  },
];
