import { bytesOf, type ConnectPacket, type MqttProperties } from "./packet.ts";

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

/** The properties of a message as they arrive: user properties are texts, and data is bytes. */
export function carriedFrom(properties: MqttProperties = {}): MqttProperties {
  const { correlationData: data, userProperties: users, ...others } = properties;
  return {
    ...others,
    ...(data === undefined ? {} : { correlationData: bytesOf(data as string) }),
    ...(users === undefined ? {} : { userProperties: textsOf(users as UserProperties) }),
  };
}

type UserProperties = Readonly<Record<string, { toString(): string }>>;

function textsOf(users: UserProperties): Readonly<Record<string, string | readonly string[]>> {
  const texts = Object.entries(users).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  return Object.fromEntries(texts) as Readonly<Record<string, string>>;
}
