import { assertModelled, NotModelled } from "../not-modelled.ts";
import type { ConnectPacket, MqttProperties, MqttWill, PublishPacket } from "./packet.ts";

export const SEE = "brokers.mqtt";

/** Decides on an acknowledgement, in version 5: calls back with a reason code, or with an error. */
type AckHandler = (
  topic: string,
  message: Buffer,
  packet: PublishPacket,
  done: (error: Error | number | null, code?: number) => void,
) => void;

/** The options of a client that have an effect here. */
export interface MqttOptions {
  clientId: string;
  readonly protocolVersion: 4 | 5;
  readonly clean: boolean;
  /** In seconds; 0 for none. */
  readonly keepalive: number;
  readonly reschedulePings: boolean;
  /** How long it waits before it connects again, in virtual milliseconds; 0: it does not. */
  readonly reconnectPeriod: number;
  readonly reconnectOnConnackError: boolean;
  readonly connectTimeout: number;
  readonly resubscribe: boolean;
  readonly subscribeBatchSize: number | null;
  /** Where it is not said, they are queued. */
  readonly queueQoSZero: boolean | undefined;
  readonly manualConnect: boolean;
  readonly customHandleAcks: AckHandler;
  readonly will: MqttWill | undefined;
  /** Nobody looks at them, but they have to be texts or bytes. */
  readonly username?: unknown;
  readonly password?: unknown;
  readonly properties: MqttProperties | undefined;
}

/** What a client may be given; what the model would have to ignore is refused by name. */
export type GivenOptions = Readonly<Record<string, unknown>>;

const ACCEPT: AckHandler = (_topic, _message, _packet, done) => done(null, 0);

/** Of the library's own settings those that say how it is written: they can be read back. */
const PRESET_WITHOUT_EFFECT = {
  protocolId: "MQTT",
  writeCache: true,
  timerVariant: "auto",
} as const;

/** The library's own. Source: MQTT.js 5, client.js, defaultConnectOptions */
const PRESET = {
  protocolVersion: 4,
  clean: true,
  keepalive: 60,
  reschedulePings: true,
  reconnectPeriod: 1_000,
  reconnectOnConnackError: false,
  connectTimeout: 30_000,
  resubscribe: true,
  subscribeBatchSize: null,
  manualConnect: false,
  ...PRESET_WITHOUT_EFFECT,
} as const;

/** What says where the server is and how it is reached: here there is one. */
const OF_THE_WAY = [
  ...["host", "hostname", "port", "path", "protocol", "defaultProtocol", "servers", "unixSocket"],
  ...["query", "auth", "key", "keyPath", "cert", "certPath", "ca"],
  ...["caPaths", "rejectUnauthorized", "ALPNProtocols", "servername", "socksProxy"],
  ...["socksTimeout", "wsOptions", "forceNativeWebSocket", "browserBufferSize"],
  ...["browserBufferTimeout", "binary", "objectMode", "my", "log", "encoding"],
];
const KNOWN = [
  ...[...Object.keys(PRESET), "queueQoSZero", "clientId", "customHandleAcks", "will", "properties"],
  ...["username", "password"],
  ...OF_THE_WAY,
];
const PROPERTIES = [
  ...["sessionExpiryInterval", "receiveMaximum"],
  // Without an effect on this server.
  ...["userProperties", "requestResponseInformation", "requestProblemInformation"],
];
const RECEIVE_MAXIMUM = 65_535;

/**
 * Completes the options as the library does.
 *
 * @throws {NotModelled} for an option that the model would have to ignore
 */
export function resolveOptions(given: GivenOptions, defaultId: () => string): MqttOptions {
  assertModelled("connect()", given, KNOWN, SEE);
  const own = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !OF_THE_WAY.includes(name),
  );
  const options = { ...PRESET, ...(Object.fromEntries(own) as Partial<MqttOptions>) };
  const { properties } = options;
  const version: number = options.protocolVersion;
  if (version !== 4 && version !== 5) throw new NotModelled(`protocol version ${version}`, SEE);
  assertModelled("connect() with properties", properties ?? {}, PROPERTIES, SEE);
  if (!options.clean && (options.clientId ?? "") === "") {
    throw new Error("Missing clientId for unclean clients");
  }
  const handlesAcks = version === 5 ? options.customHandleAcks : undefined;
  return {
    ...options,
    protocolVersion: version,
    clientId: typeof options.clientId === "string" ? options.clientId : defaultId(),
    customHandleAcks: handlesAcks ?? ACCEPT,
    queueQoSZero: options.queueQoSZero,
    will: options.will,
    properties: version === 5 ? withReceiveMaximum(properties) : undefined,
  };
}

/** One out of range is replaced. */
function withReceiveMaximum(properties: MqttProperties | undefined): MqttProperties | undefined {
  const { receiveMaximum: given } = properties ?? {};
  if (given === undefined) return properties;
  const isFine = typeof given === "number" && Number.isInteger(given) && given >= 1;
  const receiveMaximum = isFine ? Math.min(given, RECEIVE_MAXIMUM) : RECEIVE_MAXIMUM;
  return { ...properties, receiveMaximum };
}

/** Returns the packet with which a connection begins. */
export function connectPacketFrom(options: MqttOptions): ConnectPacket {
  const { clientId, protocolVersion, clean, keepalive, will } = options;
  const { username, password, properties } = options;
  const named = { clientId, protocolVersion, clean, keepalive, will, username, password };
  return { cmd: "connect", ...named, properties };
}
