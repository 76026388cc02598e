import type { World } from "../../kernel/world.ts";
import { refIn, textOf } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import { NO_EFFECT, type SettlementLog } from "../settlement-log.ts";
import { isRefusedWill, isReservedTopic, malformedIn } from "./malformed.ts";
import {
  type AckPacket,
  bytesOf,
  type ClientPacket,
  type ConnectPacket,
  type MqttProperties,
  type PublishPacket,
  type Qos,
  type ServerPacket,
  type Subscription,
} from "./packet.ts";
import { carriedFrom, expiryMsOf, msOf, numberIn } from "./properties.ts";
import { Router } from "./router.ts";
import { Connection, Session, type Settled, type StoredMessage } from "./session.ts";
import { isValidFilter, matches, parseFilter, type TopicFilter } from "./topic.ts";

/** How the server is set up. */
export interface ServerSettings {
  /** The first level of the topics of the workload's records. */
  readonly topic: string;
  /** What somebody else subscribes to who keeps dead letters. */
  readonly deadLetterTopic: string;
  readonly inflightMax: number;
}

const MS = 1_000;
/** Of the keepalive interval; after that the server takes the client for gone. */
const KEEPALIVE_FACTOR = 1.5;
const LANE = { lane: "mqtt", hop: false };
const NO_SUBSCRIPTION = 17;
const NO_SUBSCRIBERS = 16;
const NOT_AUTHORIZED = 135;
const QUOTA_EXCEEDED = 151;
const WITH_WILL = 4;
const REFUSED = 128;
/** What the server offers in version 5. */
const OFFERED = { topicAliasMaximum: 10, receiveMaximum: 20 };
/** The same to a client without a keepalive: a server that has a longest one imposes it. */
const OFFERED_UNWATCHED = { topicAliasMaximum: 10, serverKeepAlive: 65_535, receiveMaximum: 20 };

/**
 * An MQTT server: sessions and their subscriptions, retained messages and wills.
 *
 * Holds: a client id has one connection, and a new one ends the older; a session ends with its
 * connection unless it was made to stay (`clean` false in version 3.1.1, an expiry in version 5); a
 * will is published unless the client has said goodbye. What is published before anybody has
 * subscribed to the records waits for that: the publisher is started last.
 *
 * Source: MQTT 3.1.1 and 5.0; mosquitto 2.0.11
 */
export class MqttServer {
  readonly refusal: Refusal;
  /** While it is on, nobody may connect. */
  readonly denial: Refusal;
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #settings: ServerSettings;
  readonly #deadLetters: TopicFilter;
  readonly #sessions = new Map<string, Session>();
  readonly #router = new Router(this.#sessions);
  #unread: StoredMessage[] | undefined = [];
  #assigned = 0;

  constructor(world: World, settlements: SettlementLog, settings: ServerSettings) {
    this.refusal = new Refusal(world);
    this.denial = new Refusal(world);
    this.#world = world;
    this.#settlements = settlements;
    this.#settings = settings;
    this.#deadLetters = parseFilter(settings.deadLetterTopic);
  }

  /** The connections that are open. */
  get connections(): readonly Connection[] {
    return [...this.#sessions.values()].flatMap(({ connection }) => connection ?? []);
  }

  /** Publishes a record of the workload. */
  publish(topic: string, payload: Buffer, ref: string, qos: Qos): void {
    const plain = { retain: false, properties: undefined, source: undefined };
    const message = { ref, topic, payload, qos, ...plain };
    if (this.#router.route(message) > 0) this.#unread = undefined;
    else this.#unread?.push(message);
  }

  /** Opens the connection of a client on `host`. */
  connect(packet: ConnectPacket, host: string): Connection {
    const { clean, protocolVersion: version, properties = {} } = packet;
    const isNamed = packet.clientId !== "";
    if (!isNamed) this.#assigned += 1;
    const clientId = isNamed ? packet.clientId : `auto-${this.#assigned}`;
    const told = { who: `${host}/${clientId}`, version };
    if (isRefusedWill(packet.will) || this.denial.isOn) {
      const nobody = new Session(clientId, () => this.#seconds);
      const refused = new Connection(nobody, this.#settlements, told);
      if (this.denial.isOn) refused.push(notAuthorized(version));
      refused.end();
      return refused;
    }
    const known = this.#sessions.get(clientId);
    if (known?.connection !== undefined) this.#takeOver(known, clean);
    if (clean) this.#sessions.delete(clientId);
    const kept = this.#sessions.get(clientId);
    const session = kept ?? new Session(clientId, () => this.#seconds);
    this.#sessions.set(clientId, session);
    session.version = version;
    session.expiryMs = expiryMsOf(packet);
    session.will = packet.will;
    session.inflightMax = Math.min(
      numberIn(properties, "receiveMaximum") ?? this.#settings.inflightMax,
      this.#settings.inflightMax,
    );
    const connection = new Connection(session, this.#settlements, told);
    session.connection = connection;
    session.connections += 1;
    connection.heardAt = this.#world.now;
    const assigned = isNamed ? {} : { assignedClientIdentifier: clientId };
    const offered = packet.keepalive === 0 ? OFFERED_UNWATCHED : OFFERED;
    const code =
      version === 5
        ? { reasonCode: 0, properties: { ...offered, ...assigned } }
        : { returnCode: 0 };
    connection.push({ cmd: "connack", sessionPresent: kept !== undefined, ...code });
    session.resume();
    if (packet.keepalive > 0) this.#watch(connection, packet.keepalive * KEEPALIVE_FACTOR * MS);
    return connection;
  }

  /** Takes a packet of a client. */
  receive(connection: Connection, packet: ClientPacket): void {
    if (!connection.isOpen) return;
    connection.heardAt = this.#world.now;
    const { session } = connection;
    const malformed = malformedIn(packet);
    if (malformed !== undefined) return this.#refuse(connection, malformed);
    switch (packet.cmd) {
      case "publish":
        return this.#published(connection, packet);
      case "puback":
        return this.#settled(connection, packet, session.acknowledge(packet.messageId));
      case "pubrec": {
        const { messageId, reasonCode = 0 } = packet;
        const isOver = reasonCode >= REFUSED;
        const settled = isOver ? session.acknowledge(messageId) : session.receive(messageId);
        return this.#settled(connection, packet, settled);
      }
      case "pubcomp":
        return session.complete(packet.messageId);
      case "pubrel":
        return this.#released(connection, packet.messageId);
      case "subscribe":
        return this.#subscribe(connection, packet);
      case "unsubscribe":
        return this.#unsubscribe(connection, packet);
      case "pingreq":
        return connection.push({ cmd: "pingresp" });
      case "disconnect":
        return this.#disconnect(connection, packet);
      default:
        return packet satisfies never;
    }
  }

  /** Ends a connection whose client has not said goodbye. */
  drop(connection: Connection): void {
    if (!connection.isOpen) return;
    connection.end();
    this.#ended(connection);
  }

  /**
   * Ends all connections, as a crash does; it keeps its sessions, and publishes no will. Nobody
   * tells the clients if the connections stay half-open.
   */
  crash(isHalfOpen: boolean): void {
    for (const connection of this.connections) {
      const { session } = connection;
      session.will = undefined;
      connection.forget(isHalfOpen);
      if (!isHalfOpen) connection.end();
      this.#ended(connection);
    }
  }

  /**
   * Starts anew without what it had in memory, as a server without persistence does: all sessions
   * are gone, with their subscriptions and with what they had not handed out for good. What is
   * published then waits for somebody to subscribe.
   */
  forget(): void {
    const sessions = [...this.#sessions.values()];
    const { connections } = this;
    this.#sessions.clear();
    for (const session of sessions) {
      // The timers of its end have nothing more to say.
      session.connections += 1;
      session.connection = undefined;
      session.will = undefined;
      for (const ref of session.owed) this.#settlements.expired(ref);
    }
    for (const connection of connections) connection.end();
    this.#router.forget();
    this.#unread ??= [];
  }

  /** Ends a connection, with the reason where its version has one. */
  #refuse(connection: Connection, reasonCode: number): void {
    if (connection.version === 5) connection.push({ cmd: "disconnect", reasonCode });
    this.drop(connection);
  }

  #takeOver(session: Session, clean: boolean): void {
    const { connection, will } = session;
    if (connection === undefined) return;
    connection.end();
    session.connection = undefined;
    // One that goes on has not ended: its will is not due.
    if (clean || session.expiryMs === 0) {
      session.will = undefined;
      this.#sessions.delete(session.clientId);
      this.#publishWill(session, will);
    }
  }

  #ended({ session }: Connection): void {
    const { will, connections } = session;
    session.connection = undefined;
    session.will = undefined;
    const delayMs = Math.min(
      MS * (numberIn(will?.properties, "willDelayInterval") ?? 0),
      session.expiryMs,
    );
    this.#after(delayMs, session, connections, () => this.#publishWill(session, will));
    this.#after(session.expiryMs, session, connections, () => {
      if (this.#sessions.get(session.clientId) === session) {
        this.#sessions.delete(session.clientId);
      }
    });
  }

  /** Runs `fn` after a time unless the client has connected again by then. */
  #after(ms: number, session: Session, connections: number, fn: () => void): void {
    if (ms === 0) return fn();
    if (ms === Number.POSITIVE_INFINITY) return;
    this.#world.schedule(ms, LANE, () => {
      if (session.connections === connections) fn();
    });
  }

  #publishWill(source: Session, will: Session["will"]): void {
    if (will === undefined || isReservedTopic(will.topic)) return;
    const { topic, qos = 0, retain = false, properties: given = {} } = will;
    const { willDelayInterval: _delay, ...properties } = given;
    const carried = Object.keys(properties).length === 0 ? undefined : properties;
    const { payload } = will;
    this.#take({ topic, payload, qos, retain, properties: carried }, source);
  }

  #published(connection: Connection, packet: PublishPacket): void {
    const { session, version } = connection;
    const { qos, messageId = 0 } = packet;
    const isFull = this.refusal.isOn && qos > 0 && !this.#isRecordTopic(packet.topic);
    if (isFull && version === 4) return this.drop(connection);
    const refusal = isReservedTopic(packet.topic) ? NOT_AUTHORIZED : isFull ? QUOTA_EXCEEDED : 0;
    if (qos === 2) {
      if (refusal === 0) session.incoming.set(messageId, packet);
      return connection.push({ cmd: "pubrec", messageId, ...reason(version, refusal) });
    }
    const routes = refusal > 0 ? 0 : this.#take(packet, session);
    if (qos === 0) return;
    const code = refusal > 0 ? refusal : routes === 0 ? NO_SUBSCRIBERS : 0;
    connection.push({ cmd: "puback", messageId, ...reason(version, code) });
  }

  #released(connection: Connection, messageId: number): void {
    const { session, version } = connection;
    const packet = session.incoming.get(messageId);
    session.incoming.delete(messageId);
    if (packet !== undefined) this.#take(packet, session);
    connection.push({ cmd: "pubcomp", messageId, ...reason(version, 0) });
  }

  /** Takes a message for good; returns how many sessions have it. */
  #take(
    packet: Pick<PublishPacket, "topic" | "payload" | "qos" | "retain"> & {
      readonly properties?: MqttProperties | undefined;
    },
    source: Session,
  ): number {
    const { topic, qos, retain, properties } = packet;
    const payload = bytesOf(packet.payload);
    const ref = refIn(textOf(payload));
    const { messageExpiryInterval: _interval, ...carried } = carriedFrom(properties);
    // The server takes an interval of 0 for none.
    const interval = numberIn(properties, "messageExpiryInterval") || undefined;
    const expiresAt = interval === undefined ? undefined : this.#seconds + interval;
    const message = { ref, topic, payload, qos, retain, properties: carried, source, expiresAt };
    if (retain) this.#router.retain(message);
    const isDeadLetter = matches(this.#deadLetters, topic);
    if (isDeadLetter) this.#settlements.deadLettered(ref);
    return this.#router.route(message) + Number(isDeadLetter);
  }

  #subscribe(
    connection: Connection,
    packet: { readonly messageId: number; readonly subscriptions: readonly Subscription[] },
  ): void {
    const { session } = connection;
    const { messageId, subscriptions } = packet;
    const granted = subscriptions.map(({ topic, qos }) => (isValidFilter(topic) ? qos : REFUSED));
    const news = subscriptions.map((asked) => {
      const { isNew } = session.subscribe({ ...asked });
      return { asked, isNew };
    });
    connection.push({ cmd: "suback", granted, messageId });
    for (const { asked, isNew } of news) this.#router.sendRetained(session, asked, isNew);
    this.#readUnread(subscriptions.map(({ topic }) => parseFilter(topic)));
  }

  /** The first subscription to the records: the publisher starts, and nothing waits any more. */
  #readUnread(filters: readonly TopicFilter[]): void {
    const waiting = this.#unread;
    if (waiting === undefined) return;
    const topics = [`${this.#settings.topic}/key-1`, ...waiting.map(({ topic }) => topic)];
    if (!filters.some((filter) => topics.some((topic) => matches(filter, topic)))) return;
    this.#unread = undefined;
    for (const message of waiting) this.#router.route(message);
  }

  #unsubscribe(
    connection: Connection,
    packet: { readonly messageId: number; readonly unsubscriptions: readonly string[] },
  ): void {
    const { messageId, unsubscriptions } = packet;
    const had = unsubscriptions.map((topic) => connection.session.subscriptions.delete(topic));
    const granted = had.map((was) => (was ? 0 : NO_SUBSCRIPTION));
    connection.push({
      cmd: "unsuback",
      messageId,
      ...(connection.version === 5 ? { granted } : {}),
    });
  }

  #disconnect(
    connection: Connection,
    packet: { readonly reasonCode?: number; readonly properties?: MqttProperties },
  ): void {
    const { session, version } = connection;
    const seconds = numberIn(packet.properties, "sessionExpiryInterval");
    if (version === 5 && seconds !== undefined) session.expiryMs = msOf(seconds);
    // Version 3.1.1 has no reason to say goodbye with.
    if (version === 4 || packet.reasonCode !== WITH_WILL) session.will = undefined;
    connection.end();
    this.#ended(connection);
  }

  /** The server counts whole seconds. */
  get #seconds(): number {
    return Math.floor(this.#world.wallMs / MS);
  }

  #settled(
    { who }: Connection,
    { reasonCode = 0 }: AckPacket,
    { ref, handle, isEffective }: Settled,
  ): void {
    const act = reasonCode >= REFUSED ? "terminate" : "ack";
    const refused = isEffective ? "" : NO_EFFECT;
    this.#settlements.attempted({ ref, consumer: who, handle, act, refused });
    if (isEffective) this.#settlements.settled(ref, who);
  }

  #watch(connection: Connection, ms: number): void {
    const dueInMs = connection.heardAt + ms - this.#world.now;
    this.#world.schedule(dueInMs, LANE, () => {
      if (!connection.isOpen) return;
      if (this.#world.now >= connection.heardAt + ms) this.drop(connection);
      else this.#watch(connection, ms);
    });
  }

  #isRecordTopic(topic: string): boolean {
    return topic.startsWith(`${this.#settings.topic}/`);
  }
}

function reason(version: 4 | 5, reasonCode: number): { readonly reasonCode?: number } {
  return version === 5 ? { reasonCode } : {};
}

function notAuthorized(version: 4 | 5): ServerPacket {
  const code = version === 5 ? { reasonCode: NOT_AUTHORIZED } : { returnCode: 5 };
  return { cmd: "connack", sessionPresent: false, ...code };
}
