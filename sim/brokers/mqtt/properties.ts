import type { ConnectPacket, MqttProperties } from "./packet.ts";

const FOREVER_SECONDS = 4_294_967_295;

/** How long a session outlives its connection. */
export function expiryMsOf({ protocolVersion, clean, properties }: ConnectPacket): number {
  if (protocolVersion === 4) return clean ? 0 : Number.POSITIVE_INFINITY;
  return msOf(numberIn(properties, "sessionExpiryInterval") ?? 0);
}

export function msOf(seconds: number): number {
  return seconds >= FOREVER_SECONDS ? Number.POSITIVE_INFINITY : 1_000 * seconds;
}

export function numberIn(properties: MqttProperties | undefined, name: string): number | undefined {
  const value = properties?.[name];
  return typeof value === "number" ? value : undefined;
}
