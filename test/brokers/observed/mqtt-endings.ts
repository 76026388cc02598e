import type { MqttModelClient, MqttModule } from "../../../sim/brokers/mqtt/model.ts";
import { connected } from "./mqtt-connected.ts";
import type { Observation } from "./observation.ts";

/** Longer than a server on the same machine needs for anything. */
const SOON_MS = 150;
const EVENTS = ["connect", "outgoingEmpty", "close", "end"] as const;
const PACKETS = ["packetsend", "packetreceive"] as const;

/** Returns what the client is told from now on, and which packets go to and fro. */
function toldOf(client: MqttModelClient): string[] {
  const told: string[] = [];
  for (const name of EVENTS) client.on(name, () => told.push(name));
  for (const name of PACKETS) {
    client.on(name, ({ cmd, reasonCode }: { cmd: string; reasonCode?: number }) => {
      told.push(`${name} ${cmd}${reasonCode === undefined ? "" : ` ${reasonCode}`}`);
    });
  }
  return told;
}

/** How a client comes to its end, and how it does not. */
export const MQTT_ENDINGS: readonly Observation<MqttModule>[] = [
  {
    name: "a client that is ended before it is connected does not send what is stored, and waits",
    async play(stage) {
      const seen: Record<string, unknown> = {};
      for (const [name, qos] of [["at most once", 0] as const, ["at least once", 1] as const]) {
        const writer = stage.client.connect("mqtt://localhost", { clientId: "writer" });
        const told = toldOf(writer);
        const outcomes: string[] = [];
        writer.publish("a/b", "x", { qos }, () => outcomes.push("published"));
        writer.end(() => outcomes.push("ended"));
        await stage.pass(SOON_MS);
        seen[name] = [...told, ...outcomes, writer.connected];
        writer.stream.destroy();
        await stage.pass(SOON_MS);
      }
      return seen;
    },
    real: {
      "at most once": ["end", "packetreceive connack", "connect", "ended", false],
      "at least once": ["packetreceive connack", true],
    },
  },
  {
    name: "a client does not come to its end behind a message that could not be written",
    async play(stage) {
      const seen: unknown[] = [];
      for (const qos of [0, 1, 2] as const) {
        const writer = await connected(stage, { clientId: "writer" });
        const told = toldOf(writer);
        const payload = { amount: 5 } as unknown as string;
        const outcomes = [
          await writer.publishAsync("a/b", payload, { qos }).catch((error: Error) => error.name),
          await writer.publishAsync("a/b", "x", { qos: 1 }).then(() => "published"),
        ];
        writer.end(() => outcomes.push("ended"));
        await stage.pass(SOON_MS);
        seen.push([...outcomes, told.includes("close"), writer.connected]);
        writer.stream.destroy();
        await stage.pass(SOON_MS);
      }
      return seen;
    },
    real: [
      ["TypeError", "published", "ended", true, false],
      ["TypeError", "published", false, true],
      ["TypeError", "published", false, true],
    ],
  },
  {
    name: "the packets of a message of quality 2, in both versions",
    async play(stage) {
      const seen: unknown[] = [];
      for (const protocolVersion of [4, 5] as const) {
        const reader = await connected(stage, { clientId: "reader", protocolVersion });
        const told = toldOf(reader);
        await reader.subscribeAsync("a/b", { qos: 2 });
        await reader.publishAsync("a/b", "x", { qos: 2 });
        await stage.pass(SOON_MS);
        seen.push(told.filter((one) => /receive pub(?:rec|rel|comp)/.test(one)).toSorted());
        await reader.endAsync(true);
      }
      return seen;
    },
    real: [
      ["packetreceive pubcomp", "packetreceive pubrec", "packetreceive pubrel"],
      ["packetreceive pubcomp 0", "packetreceive pubrec 0", "packetreceive pubrel 0"],
    ],
  },
];
