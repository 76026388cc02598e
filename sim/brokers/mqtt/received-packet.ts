import { bytesFrom } from "../text-bytes.ts";
import type { MqttProperties, ServerPacket } from "./packet.ts";

/** Bytes of a number, by the property that it is the value of. */
const NUMBER_BYTES: Readonly<Record<string, number>> = {
  payloadFormatIndicator: 1,
  messageExpiryInterval: 4,
  topicAliasMaximum: 2,
  receiveMaximum: 2,
  serverKeepAlive: 2,
};
const ID_BYTES = 2;
const LENGTH_BYTES = 2;
const SEVEN_BITS = 128;

/** Completes a packet of the server to what the library hands out: it has read the packet. */
export function asRead(packet: ServerPacket, version: 4 | 5): ServerPacket {
  const { cmd, ...own } = packet;
  const preset = { retain: false, qos: cmd === "pubrel" ? 1 : 0, dup: false } as const;
  const length = wireLengthOf(packet, version);
  // In version 5 every answer has a reason; one that is left out is read as 0.
  const reason = version === 5 && cmd === "pubrel" ? { reasonCode: 0 } : {};
  const read = { cmd, ...preset, length, topic: null, payload: null, ...reason, ...own };
  return read as ServerPacket;
}

/**
 * How many bytes of a packet follow its first two to five, as its reader shows it.
 *
 * Source: MQTT 3.1.1 and 5.0, "Remaining length"; mosquitto 2.0.11, send_*.c
 */
function wireLengthOf(packet: ServerPacket, version: 4 | 5): number {
  const properties = version === 5 ? propertiesBytes(packet) : 0;
  switch (packet.cmd) {
    case "publish":
      return (
        textBytes(packet.topic) +
        (packet.qos === 0 ? 0 : ID_BYTES) +
        properties +
        packet.payload.length
      );
    case "connack":
      return 2 + properties;
    case "suback":
    case "unsuback":
      return ID_BYTES + properties + (packet.granted?.length ?? 0);
    case "pingresp":
      return 0;
    case "disconnect":
      return Number(version === 5);
    default:
      // A reason of 0 is left out, and with it that there are no properties.
      return ID_BYTES + Number((packet.reasonCode ?? 0) !== 0);
  }
}

function propertiesBytes(packet: ServerPacket): number {
  const { properties = {} } = packet as { readonly properties?: MqttProperties };
  const bytes = Object.entries(properties).map(([name, value]) => propertyBytes(name, value));
  const all = bytes.reduce((sum, one) => sum + one, 0);
  return varintBytes(all) + all;
}

function propertyBytes(name: string, value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === "boolean" || name in NUMBER_BYTES) return 1 + (NUMBER_BYTES[name] ?? 1);
  if (typeof value === "number") return 1 + varintBytes(value);
  if (typeof value === "string") return 1 + textBytes(value);
  if (ArrayBuffer.isView(value)) return 1 + LENGTH_BYTES + value.byteLength;
  // What users add: each value of a name has the name before it.
  const pairs = Object.entries(value as Readonly<Record<string, string | readonly string[]>>);
  return pairs
    .flatMap(([key, values]) => [values].flat().map((one) => 1 + textBytes(key) + textBytes(one)))
    .reduce((sum, one) => sum + one, 0);
}

function textBytes(text: string): number {
  return LENGTH_BYTES + bytesFrom(text).length;
}

function varintBytes(value: number): number {
  return value < SEVEN_BITS ? 1 : 1 + varintBytes(Math.floor(value / SEVEN_BITS));
}
