import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerLink, BrokerModel, Disturbance } from "../broker.ts";
import { onHostCrash } from "../host-crash.ts";
import { type Refusing, refusingAll } from "../not-modelled.ts";
import { recordText } from "../record-text.ts";
import { SettlementLog } from "../settlement-log.ts";
import { MqttClient, type MqttInsides } from "./client.ts";
import { type GivenOptions, resolveOptions, SEE } from "./options.ts";
import { bytesOf, type ConnectPacket } from "./packet.ts";
import { MqttServer } from "./server.ts";
import type { MqttParts } from "./transport.ts";

/** How an MQTT server is set up. */
export interface MqttServerOptions {
  /** The first level of the topics of the records, "orders/key-1"; default "orders". */
  readonly topic?: string;
  /** What is published there is kept, by somebody who subscribes to it; default "dead/orders". */
  readonly deadLetterTopic?: string;
  /** The quality of service with which records are published; default 2: the subscription decides. */
  readonly qos?: 0 | 1 | 2;
  /** How many messages may be sent and not acknowledged for one client; default 20, as mosquitto. */
  readonly maxInflightMessages?: number;
}

const OPTIONS: readonly (keyof MqttServerOptions)[] = [
  "topic",
  "deadLetterTopic",
  "qos",
  "maxInflightMessages",
];

const OTHERS = [
  "Client",
  "MqttClient",
  "Store",
  "KeepaliveManager",
  "DefaultMessageIdProvider",
  "UniqueMessageIdProvider",
  "validateTopic",
  "validateTopics",
] as const;

/**
 * The module `mqtt`, with clients of a simulated server: `connect` and `connectAsync`. The address
 * does not matter.
 *
 * A record is settled when the server has its PUBACK, or its PUBREC where both sides have quality
 * of service 2, and with quality 0 when it is sent. Several sessions have a copy each; the first
 * acknowledgement settles the record.
 */
export interface MqttModule {
  /**
   * Returns a client that connects, and connects again.
   *
   * @internal
   */
  connect(url?: string | object, options?: object): MqttModelClient;
  /** @internal */
  readonly Client: Refusing;
  /** @internal */
  readonly MqttClient: Refusing;
  /** @internal */
  readonly Store: Refusing;
  /** @internal */
  readonly KeepaliveManager: Refusing;
  /** @internal */
  readonly DefaultMessageIdProvider: Refusing;
  /** @internal */
  readonly UniqueMessageIdProvider: Refusing;
  /** @internal */
  readonly validateTopic: Refusing;
  /** @internal */
  readonly validateTopics: Refusing;
  /** @internal */
  connectAsync(
    url?: string | object,
    options?: object,
    allowRetries?: boolean,
  ): Promise<MqttModelClient>;
}

/** A client of the model; what reaches into the library's own state throws. */
export type MqttModelClient = MqttClient & MqttInsides;

const INFLIGHT_MAX = 20;
const RIVAL_STAYS_MS = 500;
/** Of the names that the library draws for its clients. */
const ID_DIGITS = 8;

/**
 * An MQTT server, for producers that use MQTT.js.
 *
 * The topic of a record is "orders/<key>". Records wait until somebody has subscribed to them; from
 * then on a record goes to the sessions that there are, as on a server.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.mqtt({ topic: "payments", qos: 1 });
 * console.log(broker.name); // => mqtt
 * ```
 */
export function mqtt(options: MqttServerOptions = {}): BrokerModel<MqttModule> {
  checkedOptions(options, OPTIONS, "brokers.mqtt");
  const { topic = "orders", deadLetterTopic = "dead/orders", qos = 2 } = options;
  const { maxInflightMessages: inflightMax = INFLIGHT_MAX } = options;
  // Acknowledgements are sent, and nothing is heard of them.
  const named = {
    name: "mqtt",
    spec: { mqtt: options },
    confirms: false,
    carriesText: true,
  } as const;
  return brokerModel(named, (world, host) => {
    const settlements = new SettlementLog(world, host);
    const server = new MqttServer(world, settlements, { topic, deadLetterTopic, inflightMax });
    onHostCrash(world, host, (isHalfOpen) => server.crash(isHalfOpen));
    let clients = 0;
    const nameClient = (): string => {
      clients += 1;
      return `mqttjs_${clients.toString(16).padStart(ID_DIGITS, "0")}`;
    };
    const takeOver: Disturbance = {
      name: "another client takes the sessions over for a moment",
      takesOver: true,
      strike() {
        for (const { session } of server.connections) {
          const rival = server.connect(rivalOf(session), "rival");
          world.schedule(RIVAL_STAYS_MS, { lane: "mqtt", hop: false }, () => server.drop(rival));
        }
      },
    };
    return {
      records: {
        publish(publication) {
          settlements.published(publication);
          const { ref, key } = publication;
          server.publish(`${topic}/${key}`, bytesOf(recordText(publication)), ref, qos);
        },
        owed: () => settlements.owed(),
      },
      disturbances: [
        { name: "the server closes all connections", strike: () => closeAll(server) },
        takeOver,
        { name: "the server forgets its sessions", strike: () => server.forget() },
        server.refusal.disturbance("other topics are refused"),
        server.denial.disturbance("nobody may connect for a while", {
          isFatal: true,
          begun: () => closeAll(server),
        }),
      ],
      connect: (port) => linkFrom({ port, host, server, open: new Set() }, nameClient),
    };
  });
}

function linkFrom(parts: MqttParts, nameClient: () => string): BrokerLink<MqttModule> {
  const connect = (url: string | object = {}, given?: object): MqttModelClient => {
    const options = { ...(typeof url === "object" ? url : {}), ...given } as GivenOptions;
    return new MqttClient(parts, resolveOptions(options, nameClient)) as MqttModelClient;
  };
  return {
    client: {
      ...refusingAll("mqtt", OTHERS, SEE),
      connect,
      connectAsync: (url, options, allowRetries = true) =>
        connected(() => connect(url, options), allowRetries),
    },
    open: () => [...parts.open].map(({ words }) => words),
  };
}

/**
 * Resolves with the client when it is connected, or has ended.
 *
 * Source: MQTT.js 5, connect/index.js, connectAsync
 */
function connected(connect: () => MqttModelClient, retries: boolean): Promise<MqttModelClient> {
  return new Promise((resolve, reject) => {
    const client = connect();
    const settle = (): void => {
      client.off("connect", done).off("end", done).off("error", fail).off("close", close);
    };
    const done = (): void => {
      settle();
      resolve(client);
    };
    const fail = (error: Error): void => {
      settle();
      client.end();
      reject(error);
    };
    const close = (): void => fail(new Error("Couldn't connect to server"));
    client.on("connect", done).on("end", done).on("error", fail);
    if (!retries) client.on("close", close);
  });
}

function rivalOf(session: {
  readonly clientId: string;
  readonly version: 4 | 5;
  readonly expiryMs: number;
  readonly inflightMax: number;
}): ConnectPacket {
  const { clientId, version: protocolVersion, expiryMs, inflightMax: receiveMaximum } = session;
  const sessionExpiryInterval = Math.min(4_294_967_295, Math.ceil(expiryMs / 1_000));
  const properties = { sessionExpiryInterval, receiveMaximum };
  const clean = protocolVersion === 4 && expiryMs === 0;
  return { cmd: "connect", clientId, protocolVersion, clean, keepalive: 0, properties };
}

function closeAll(server: MqttServer): void {
  for (const connection of server.connections) server.drop(connection);
}
