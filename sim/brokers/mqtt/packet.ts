import { bufferFrom } from "../library-buffer.ts";
import { bytesFrom } from "../text-bytes.ts";

/** A quality of service: at most once, at least once, exactly once. */
export type Qos = 0 | 1 | 2;

/** What a message carries beside its payload, in version 5. */
export type MqttProperties = Readonly<Record<string, unknown>>;

/** A packet with the fields of `mqtt-packet`. */
export interface MqttPacket {
  readonly cmd: string;
  /** Of what the server has sent: its length on the wire. */
  readonly length?: number;
  readonly messageId?: number;
  readonly reasonCode?: number;
}

/** A message on its way, in either direction. */
export interface PublishPacket extends MqttPacket {
  readonly cmd: "publish";
  readonly topic: string;
  readonly payload: string | Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly dup: boolean;
  readonly properties?: MqttProperties | undefined;
}

export interface ConnackPacket extends MqttPacket {
  readonly cmd: "connack";
  readonly sessionPresent: boolean;
  /** In version 3.1.1. */
  readonly returnCode?: number;
  readonly properties?: MqttProperties;
}

export interface SubackPacket extends MqttPacket {
  readonly cmd: "suback" | "unsuback";
  readonly messageId: number;
  readonly granted?: readonly number[];
}

/** The other answers of a message's life cycle, in both directions. */
export interface AckPacket extends MqttPacket {
  readonly cmd: "puback" | "pubrec" | "pubrel" | "pubcomp";
  readonly messageId: number;
  readonly qos?: Qos;
}

/** What a server sends. */
export type ServerPacket =
  | ConnackPacket
  | PublishPacket
  | SubackPacket
  | AckPacket
  | (MqttPacket & { readonly cmd: "pingresp" | "disconnect" });

/** A subscription as a client asks for it. */
export interface Subscription {
  readonly topic: string;
  qos: Qos | 128;
  /** No local: what this client publishes is not for it. Version 5, as the next two. */
  readonly nl?: boolean | undefined;
  /** Retain as published. */
  readonly rap?: boolean | undefined;
  /** Retain handling: 0 to send what is retained, 1 for a new subscription only, 2 never. */
  readonly rh?: number | undefined;
  /** Present and undefined where the library shows it so. */
  readonly properties?: MqttProperties | undefined;
}

/** What the server publishes when a client is gone without a word. */
export interface MqttWill {
  readonly topic: string;
  readonly payload: string | Buffer;
  readonly qos?: Qos | undefined;
  readonly retain?: boolean | undefined;
  readonly properties?: MqttProperties | undefined;
}

/** The first packet of a connection. */
export interface ConnectPacket extends MqttPacket {
  readonly cmd: "connect";
  readonly clientId: string;
  readonly protocolVersion: 4 | 5;
  readonly clean: boolean;
  /** In seconds; 0 for none. */
  readonly keepalive: number;
  readonly will?: MqttWill | undefined;
  /** As they were given: what is neither text nor bytes cannot be written. */
  readonly username?: unknown;
  readonly password?: unknown;
  readonly properties?: MqttProperties | undefined;
}

/** What a client sends. */
export type ClientPacket =
  | PublishPacket
  | AckPacket
  | (MqttPacket & {
      readonly cmd: "subscribe";
      readonly messageId: number;
      readonly subscriptions: readonly Subscription[];
    })
  | (MqttPacket & {
      readonly cmd: "unsubscribe";
      readonly messageId: number;
      readonly unsubscriptions: readonly string[];
    })
  | (MqttPacket & { readonly cmd: "pingreq" })
  | (MqttPacket & { readonly cmd: "disconnect"; readonly properties?: MqttProperties });

/** Returns a payload as the library hands it out; none is an empty one. */
export function bytesOf(payload: string | Uint8Array | null | undefined): Buffer {
  const given = payload || "";
  return bufferFrom(typeof given === "string" ? bytesFrom(given) : given);
}
