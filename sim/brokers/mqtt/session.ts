import { Arrivals } from "../arrivals.ts";
import type { SettlementLog } from "../settlement-log.ts";
import {
  type MqttProperties,
  type MqttWill,
  type PublishPacket,
  type Qos,
  type ServerPacket,
  type Subscription,
} from "./packet.ts";
import { parseFilter, type TopicFilter } from "./topic.ts";
import { asRead } from "./received-packet.ts";

/** A message as the server keeps it. */
export interface StoredMessage {
  readonly ref: string | undefined;
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly properties: MqttProperties | undefined;
  /** The session of the client that published it; undefined for the workload's publisher. */
  readonly source: Session | undefined;
  /** When nobody gets it any more who has not got it yet, in seconds; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** One message on its way to the client of a session. */
interface Outgoing {
  readonly messageId: number;
  readonly qos: 1 | 2;
  readonly message: StoredMessage;
  /** The number of the subscription that it is for, if that has one. */
  readonly identifier: unknown;
  readonly retain: boolean;
  state: "to send" | "sent" | "received";
  isDup: boolean;
  sendings: number;
}

/** What a settlement by a client met. */
export interface Settled {
  readonly ref: string | undefined;
  readonly handle: string;
  /** Whether it settled something that was not settled before. */
  readonly isEffective: boolean;
}

interface Standing {
  readonly filter: TopicFilter;
  readonly asked: Subscription;
}

const QUEUED_MAX = 1_000;
const ID_MAX = 65_535;

/**
 * What the server keeps for one client id.
 *
 * Holds: at most `inflightMax` messages of quality 1 and 2 are sent and not acknowledged, and the
 * others wait in order; ids count from 1 and are kept until the message is acknowledged; on a new
 * connection what was not acknowledged is sent again in the old order, marked as a duplicate if it
 * was sent before; a message of quality 0 is not kept for a client that is away; one that has
 * expired is not sent any more.
 *
 * Source: MQTT 5.0, 4.4 "Message delivery retry"; mosquitto 2.0.11, database.c
 */
export class Session {
  readonly clientId: string;
  readonly subscriptions: Map<string, Standing> = new Map<string, Standing>();
  /** Messages of quality 2 that the client has sent and not released, by their ids. */
  readonly incoming: Map<number, PublishPacket> = new Map<number, PublishPacket>();
  connection: Connection | undefined;
  version: 4 | 5 = 4;
  will: MqttWill | undefined;
  /** How long it outlives its connection, in virtual milliseconds. */
  expiryMs = 0;
  inflightMax = 1;
  /** Counts the connections: a timer for the end of an earlier one has nothing to say. */
  connections = 0;
  #inflight: Outgoing[] = [];
  #queued: Outgoing[] = [];
  #lastId = 0;
  readonly #handles = new Map<number, Omit<Settled, "isEffective">>();

  readonly #seconds: () => number;

  /** `seconds` returns the server's time. */
  constructor(clientId: string, seconds: () => number) {
    this.clientId = clientId;
    this.#seconds = seconds;
  }

  /** Of a subscription that is there only the quality changes, as mosquitto has it. */
  subscribe(asked: Subscription): { readonly isNew: boolean } {
    const known = this.subscriptions.get(asked.topic);
    if (known !== undefined) known.asked.qos = asked.qos;
    else this.subscriptions.set(asked.topic, { filter: parseFilter(asked.topic), asked });
    return { isNew: known === undefined };
  }

  /** Accepts a message for the client; returns whether it is kept or sent. */
  accept(message: StoredMessage, qos: Qos, retain: boolean, asked: Subscription): boolean {
    const identifier = asked.properties?.["subscriptionIdentifier"];
    if (this.#isExpired(message)) return false;
    if (qos === 0) {
      const flags = { qos, retain, dup: false };
      this.connection?.push(this.#publishFrom(message, identifier, flags));
      if (this.connection === undefined) return false;
      this.#traceDelivered(message);
      this.connection.settlements.settled(message.ref, this.connection.who);
      return true;
    }
    this.skipId();
    const one: Outgoing = {
      messageId: this.#lastId,
      qos,
      message,
      identifier,
      retain,
      state: "to send",
      isDup: false,
      sendings: 0,
    };
    if (this.connection !== undefined && this.#inflight.length < this.inflightMax) {
      this.#inflight.push(one);
      this.#send(one);
      return true;
    }
    if (this.#queued.length >= QUEUED_MAX) return false;
    this.#queued.push(one);
    return true;
  }

  /** Takes the next id, also for a second copy that a client of version 3.1.1 does not get. */
  skipId(): void {
    this.#lastId = (this.#lastId % ID_MAX) + 1;
  }

  /** Sends again what was not acknowledged, and then what waits. */
  resume(): void {
    for (const one of this.#inflight.filter((each) => each.state !== "received")) {
      if (this.#isExpired(one.message)) this.#expire(one);
    }
    for (const one of this.#inflight) this.#send(one);
    this.#fill();
  }

  /** The client has acknowledged a message of quality 1, or refused one of either quality. */
  acknowledge(messageId: number): Settled {
    const at = this.#inflight.findIndex((one) => one.messageId === messageId);
    const isEffective = at !== -1 && this.#inflight[at]?.state !== "received";
    if (at !== -1) this.#inflight.splice(at, 1);
    this.#fill();
    return { ...this.#handleOf(messageId), isEffective };
  }

  /** The client has a message of quality 2: it will not be sent again, only released. */
  receive(messageId: number): Settled {
    const one = this.#inflight.find((outgoing) => outgoing.messageId === messageId);
    const isEffective = one?.qos === 2 && one.state !== "received";
    if (one?.qos === 2) one.state = "received";
    this.connection?.push({ cmd: "pubrel", messageId });
    return { ...this.#handleOf(messageId), isEffective };
  }

  /** The records that it has not handed out for good. */
  get owed(): readonly (string | undefined)[] {
    const isOwed = ({ state }: Outgoing): boolean => state !== "received";
    return [...this.#inflight, ...this.#queued].filter(isOwed).map(({ message }) => message.ref);
  }

  /** The client has released a message of quality 2: its id is free again. */
  complete(messageId: number): void {
    this.#inflight = this.#inflight.filter((one) => one.messageId !== messageId);
    this.#fill();
  }

  #fill(): void {
    while (this.connection !== undefined && this.#inflight.length < this.inflightMax) {
      const next = this.#queued.shift();
      if (next === undefined) return;
      this.#inflight.push(next);
      if (this.#isExpired(next.message)) this.#expire(next);
      else this.#send(next);
    }
  }

  #isExpired({ expiresAt = Number.POSITIVE_INFINITY }: StoredMessage): boolean {
    return this.#seconds() > expiresAt;
  }

  #expire(one: Outgoing): void {
    this.#inflight = this.#inflight.filter((other) => other !== one);
    this.connection?.settlements.expired(one.message.ref);
  }

  #send(one: Outgoing): void {
    const { messageId, message, identifier, qos, retain, isDup } = one;
    if (one.state === "received") {
      this.connection?.push({ cmd: "pubrel", messageId });
      return;
    }
    this.connection?.push({
      ...this.#publishFrom(message, identifier, { qos, retain, dup: isDup }),
      messageId,
    });
    one.state = "sent";
    one.isDup = true;
    one.sendings += 1;
    const handle = `${this.clientId}#${messageId}#${one.sendings}`;
    this.#handles.set(messageId, { ref: message.ref, handle });
    this.#traceDelivered(message);
  }

  /** Properties are for version 5. */
  #publishFrom(
    { topic, payload, expiresAt, properties: given = {} }: StoredMessage,
    identifier: unknown,
    flags: Pick<PublishPacket, "qos" | "retain" | "dup">,
  ): PublishPacket {
    const left =
      expiresAt === undefined ? {} : { messageExpiryInterval: expiresAt - this.#seconds() };
    const number = identifier === undefined ? {} : { subscriptionIdentifier: identifier };
    const properties = { ...number, ...given, ...left };
    const isPlain = this.version === 4 || Object.keys(properties).length === 0;
    return { cmd: "publish", topic, payload, ...flags, ...(isPlain ? {} : { properties }) };
  }

  #traceDelivered({ ref }: StoredMessage): void {
    if (this.connection === undefined) return;
    this.connection.settlements.delivered(ref, this.connection.who);
  }

  #handleOf(messageId: number): Omit<Settled, "isEffective"> {
    const unknown = { ref: undefined, handle: `${this.clientId}#${messageId}` };
    return this.#handles.get(messageId) ?? unknown;
  }
}

/** What the server knows of one network connection, from its first packet on. */
export class Connection {
  readonly arrivals: Arrivals = new Arrivals();
  readonly session: Session;
  readonly settlements: SettlementLog;
  /** The consumer in traces: `<host>/<client id>`. */
  readonly who: string;
  readonly version: 4 | 5;
  isOpen = true;
  isForgotten = false;
  isSilent = false;
  /** When the client last sent something, in virtual milliseconds. */
  heardAt = 0;
  #sent: ServerPacket[] = [];

  constructor(
    session: Session,
    settlements: SettlementLog,
    { who, version }: { readonly who: string; readonly version: 4 | 5 },
  ) {
    this.session = session;
    this.settlements = settlements;
    this.who = who;
    this.version = version;
  }

  push(packet: ServerPacket): void {
    if (!this.isOpen) return;
    this.#sent.push(asRead(packet, this.version));
    this.arrivals.notify();
  }

  /** Returns what was sent since the last time. */
  take(): readonly ServerPacket[] {
    const taken = this.#sent;
    this.#sent = [];
    return taken;
  }

  end(): void {
    this.isOpen = false;
    this.arrivals.notify();
  }

  /**
   * The server has crashed: it answers the next packet with a reset. `isSilent`: nobody says so
   * before, so that a client which only listens never learns of it.
   */
  forget(isSilent: boolean): void {
    this.isOpen = false;
    this.isForgotten = true;
    this.isSilent = isSilent;
  }
}
