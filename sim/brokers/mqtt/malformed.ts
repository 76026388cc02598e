import { NotModelled } from "../not-modelled.ts";
import { bytesFrom } from "../text-bytes.ts";
import { SEE } from "./options.ts";
import type { ClientPacket, ConnectPacket, Subscription } from "./packet.ts";
import { type Writing, writingOf as writingOfProperties } from "./writable-properties.ts";

/** Two bits have room for it. */
const NO_QOS = 3;
const MALFORMED = 129;
const PROTOCOL_ERROR = 130;
const TOPIC_BYTES_MAX = 65_535;
const KEEPALIVE_MAX = 65_535;
/** A topic or filter has at most this many slashes. */
const SLASHES_MAX = 200;

/**
 * Returns with which reason code a server ends the connection that such a packet came on, if any.
 *
 * Source: mosquitto 2.0.11, util_topic.c, utf8_mosq.c
 */
export function malformedIn(packet: ClientPacket): number | undefined {
  switch (packet.cmd) {
    case "publish":
      if (packet.topic.includes("\0")) return MALFORMED;
      return /[+#]/.test(packet.topic) || isNoTopic(packet.topic) ? PROTOCOL_ERROR : undefined;
    case "subscribe":
      return packet.subscriptions.some(isNoSubscription) ? MALFORMED : undefined;
    case "unsubscribe":
      return packet.unsubscriptions.some(isNoFilter) ? MALFORMED : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns what becomes of a packet that the library is to write; where it cannot write one, it
 * closes the connection without a word.
 *
 * Source: mqtt-packet 9, writeToStream.js, publish, subscribe and unsubscribe
 *
 * @throws {TypeError} for a payload that is neither text nor bytes, a quality above 2, and a user
 * property that has no text
 */
export function writingOf(packet: ClientPacket): Writing {
  if (packet.cmd === "publish" && typeof packet.topic === "string") {
    assertPublishable(packet.payload, packet.qos);
    return writingOfProperties(packet.properties);
  }
  if (!isWritable(packet)) return "connection given up";
  const isSubscribe = packet.cmd === "subscribe";
  return isSubscribe ? writingOfProperties(packet.subscriptions[0]?.properties) : "written";
}

/**
 * Returns what becomes of the packet that a connection begins with; as above.
 *
 * Source: mqtt-packet 9, writeToStream.js, connect
 */
export function beginningOf(packet: ConnectPacket): Writing {
  const { protocolVersion, keepalive, will, properties } = packet;
  const isTime = Number.isInteger(keepalive) && keepalive >= 0 && keepalive <= KEEPALIVE_MAX;
  if (!isTime) return "connection given up";
  const carried = protocolVersion === 5 ? [properties, will?.properties] : [];
  const ofProperties = carried.map(writingOfProperties).find((writing) => writing !== "written");
  if (ofProperties !== undefined) return ofProperties;
  return isWritableWill(will) && isWritableLogin(packet) ? "written" : "connection given up";
}

function isWritableWill(will: ConnectPacket["will"]): boolean {
  if (!will) return true;
  const { topic, payload } = will as { readonly topic: unknown; readonly payload: unknown };
  const isPayload = !payload || ((payload as { readonly length?: number }).length ?? -1) >= 0;
  return typeof topic === "string" && topic !== "" && isPayload;
}

/** A password needs a name. */
function isWritableLogin({ username, password }: ConnectPacket): boolean {
  const given = [username ?? undefined, password ?? undefined];
  const areTexts = given.every(
    (one) => one === undefined || typeof one === "string" || one instanceof Uint8Array,
  );
  return areTexts && (given[0] !== undefined || given[1] === undefined);
}

/** Whether nobody may publish to it: it is the server's own, or a shared subscription. */
export function isReservedTopic(topic: string): boolean {
  return topic.startsWith("$SYS") || topic.startsWith("$share");
}

/**
 * Whether a server takes no client with such a will: it closes the connection without an answer.
 *
 * Source: mosquitto 2.0.11, handle_connect.c, will__read
 */
export function isRefusedWill(will: ConnectPacket["will"]): boolean {
  if (!will) return false;
  const { topic, qos = 0 } = will as { readonly topic: string; readonly qos?: number };
  return /[+#\0]/.test(topic) || isNoTopic(topic) || qos === NO_QOS;
}

/** Returns a quality of service as the library writes it: one that there is not becomes 0. */
export function qosOnWire(qos: Subscription["qos"]): Subscription["qos"] {
  return typeof qos === "number" && qos !== 1 && qos !== 2 ? 0 : qos;
}

/** @throws {TypeError} where there is no topic, as the library does when it reads it as a text */
export function assertTopic(topic: string | null | undefined): void {
  if ((topic ?? undefined) !== undefined) return;
  throw new TypeError(`Cannot read properties of ${String(topic)} (reading 'toString')`);
}

/** @throws {NotModelled} for a topic without or with too many bytes, which makes no packet */
export function assertModelledTopic(topic: string, qos: unknown): void {
  if (topic === "") throw new NotModelled("publish() to a topic without a name", SEE);
  if (typeof topic === "string" && bytesFrom(topic).length > TOPIC_BYTES_MAX)
    throw new NotModelled("publish() to a topic above 65,535 bytes", SEE);
  if (Boolean(qos) && typeof qos !== "number")
    throw new NotModelled("publish() with a qos that is no number", SEE);
}

/**
 * Throws what the library throws when it writes such a message.
 *
 * Source: mqtt-packet 9, writeToStream.js, publish
 *
 * @throws {TypeError} for a payload that is neither text nor bytes, and for a quality above 2
 */
function assertPublishable(payload: unknown, qos: unknown): void {
  const isBytes = typeof payload === "string" || ArrayBuffer.isView(payload);
  const isPayload = !payload || isBytes || payload instanceof ArrayBuffer;
  const isQuality = !qos || qos === 1 || qos === 2;
  if (!isPayload) {
    const wanted = "of type string or an instance of Buffer or ArrayBuffer";
    const words = `The "string" argument must be ${wanted}. Received ${received(payload)}`;
    throw Object.assign(new TypeError(words), { code: "ERR_INVALID_ARG_TYPE" });
  }
  if (!isQuality) {
    throw new TypeError("Cannot read properties of undefined (reading '0')");
  }
}

function isWritable(packet: ClientPacket): boolean {
  if (packet.cmd === "unsubscribe") return packet.unsubscriptions.length > 0;
  if (packet.cmd === "publish") return false;
  return packet.cmd !== "subscribe" || packet.subscriptions.every(isComplete);
}

function isComplete({ qos, nl, rap, rh }: Subscription): boolean {
  const areFlags = [nl, rap].every((flag) => typeof (flag || false) === "boolean");
  return typeof qos === "number" && areFlags && (rh ?? 0) <= 2;
}

/** The standard has no identifier 0, which the library writes. */
function isNoSubscription({ topic, properties }: Subscription): boolean {
  return isNoFilter(topic) || properties?.["subscriptionIdentifier"] === 0;
}

function isNoFilter(filter: string): boolean {
  return filter.includes("\0") || isNoTopic(filter);
}

function isNoTopic(topic: string): boolean {
  return topic === "" || topic.split("/").length > SLASHES_MAX + 1;
}

/** In the words of Node. */
function received(value: unknown): string {
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value !== "object") return `type ${typeof value} (${value as number})`;
  return `an instance of ${(value as object).constructor.name}`;
}
