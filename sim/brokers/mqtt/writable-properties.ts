import type { MqttProperties } from "./packet.ts";

/** What becomes of a packet: it is written, or stays unwritten, which may cost the connection. */
export type Writing = "written" | "kept back" | "connection given up";

type Length = number | "no length";
type LengthOf = (value: unknown) => Length;

const UINT32_MAX = 0xff_ff_ff_ff;
/** Seven bits of each of four bytes. */
const VARIABLE_MAX = 0x0f_ff_ff_ff;
/** What else a length is made of does not matter: it is never 0. */
const SOME = 1;

const isText: LengthOf = (value) => (typeof value === "string" ? SOME : "no length");

const isFlag: LengthOf = (value) => (typeof value === "boolean" ? SOME : "no length");

function isNumberTo(max: number): LengthOf {
  return (value) =>
    typeof value === "number" && !(value < 0) && !(value > max) ? SOME : "no length";
}

const LENGTH_OF: Readonly<Record<string, LengthOf>> = {
  sessionExpiryInterval: isNumberTo(UINT32_MAX),
  willDelayInterval: isNumberTo(UINT32_MAX),
  messageExpiryInterval: isNumberTo(UINT32_MAX),
  subscriptionIdentifier: isNumberTo(VARIABLE_MAX),
  payloadFormatIndicator: isFlag,
  requestResponseInformation: isFlag,
  requestProblemInformation: isFlag,
  contentType: isText,
  responseTopic: isText,
  userProperties: (value) => (typeof value === "object" ? pairsIn(value as object) : "no length"),
};

/**
 * Returns how the library writes a packet with these properties: one that takes no bytes, as a map
 * without entries does, keeps the whole packet back; one of another type ends the connection.
 *
 * Source: mqtt-packet 9, writeToStream.js, getProperties
 *
 * @throws {TypeError} for a user property that has no text
 */
export function writingOf(properties: MqttProperties | undefined): Writing {
  for (const [name, value] of Object.entries(properties ?? {})) {
    const length = value === undefined ? SOME : (LENGTH_OF[name]?.(value) ?? SOME);
    if (length === "no length") return "connection given up";
    if (length === 0) return "kept back";
  }
  return "written";
}

function pairsIn(value: object): number {
  const texts = Object.values(value as Readonly<Record<string, { toString(): string }>>).flat();
  return texts.map((one) => one.toString()).length;
}
