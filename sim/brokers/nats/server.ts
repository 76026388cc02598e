import type { Step } from "../../kernel/step.ts";
import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import { NO_EFFECT, type SettlementLog } from "../settlement-log.ts";
import { refIn, textOf } from "../ref-in.ts";
import {
  ConsumerNotFoundError,
  JetStreamApiError,
  NoRespondersError,
  StreamNotFoundError,
} from "./errors.ts";

/** A consumer's configuration. */
export interface ConsumerSettings {
  readonly name: string;
  readonly ackPolicy: "none" | "all" | "explicit";
  readonly ackWaitMs: number;
  /** Negative: no limit. */
  readonly maxDeliver: number;
  /** Zero or less: no limit. */
  readonly maxAckPending: number;
  /** Kept for whoever asks. */
  readonly description?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface StoredMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly ref: string | undefined;
  readonly storedAt: number;
}

/** One delivery of a message. */
export interface NatsDelivery {
  readonly message: StoredMessage;
  /** Counts the deliveries of this message from 1. */
  readonly deliveries: number;
  /** Counts the deliveries of the consumer from 1. */
  readonly consumerSequence: number;
  /** How many messages of the stream were not delivered to the consumer yet. */
  readonly pending: number;
}

interface PendingMessage {
  readonly message: StoredMessage;
  /** The consumer's count at its first delivery. */
  readonly firstDelivery: number;
  deliveries: number;
  who: string;
  /** Since when it is due again, and its place among those of that time; undefined: it is not. */
  due: { readonly at: number; readonly order: number } | undefined;
  timer: Step | undefined;
}

interface ConsumerState {
  settings: ConsumerSettings;
  readonly pending: Map<number, PendingMessage>;
  readonly createdAt: number;
  lastSequence: number;
  deliveries: number;
  /** When something was delivered or acknowledged last; undefined before. */
  deliveredAt: number | undefined;
  ackedAt: number | undefined;
}

/** How far a consumer has come: in its own deliveries, and in the stream. */
export interface Reached {
  readonly consumer: number;
  readonly stream: number;
  /** In virtual milliseconds; undefined where nothing has happened. */
  readonly activeAt: number | undefined;
}

export interface ConsumerFacts {
  readonly settings: ConsumerSettings;
  readonly createdAt: number;
  readonly ackPending: number;
  readonly redelivered: number;
  readonly unread: number;
  readonly delivered: Reached;
  /** All up to here is acknowledged. */
  readonly ackFloor: Reached;
}

interface StreamState {
  readonly name: string;
  readonly prefix: string;
  readonly messages: StoredMessage[];
  readonly messageIds: Map<string, number>;
  readonly consumers: Map<string, ConsumerState>;
}

export type AckKind =
  | { readonly kind: "ack" }
  | { readonly kind: "nak"; readonly delayMs: number }
  | { readonly kind: "working" }
  | { readonly kind: "term" };

/**
 * A NATS server with JetStream: streams, durable pull consumers, acknowledgements.
 *
 * Holds: a delivered message is redelivered after AckWait or a nak, until MaxDeliver; an
 * acknowledgement of any delivery is one of the message; for a message that is acknowledged,
 * terminated or unknown it has no effect; while MaxAckPending messages are unacknowledged, no new
 * ones are delivered.
 *
 * Source: docs.nats.io, "Consumer details"; nats-server, server/consumer.go
 */
export class NatsServer {
  readonly arrivals: Arrivals = new Arrivals();
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #source: string;
  readonly #streams = new Map<string, StreamState>();
  /** How many messages were handed back at once so far. */
  #naks = 0;

  constructor(world: World, settlements: SettlementLog, source: string) {
    this.#world = world;
    this.#settlements = settlements;
    this.#source = source;
  }

  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  get epochMs(): number {
    return this.#world.epochMs;
  }

  addStream(name: string, prefix: string): void {
    const empty = { messages: [], messageIds: new Map(), consumers: new Map() };
    this.#streams.set(name, { name, prefix, ...empty });
  }

  /**
   * Stores a message in the stream of its subject.
   *
   * @throws {NoRespondersError} when no stream has the subject
   */
  publish(
    subject: string,
    data: Uint8Array,
    messageId: string | undefined,
    given: StoredMessage["headers"] = [],
  ): { readonly stream: string; readonly seq: number; readonly duplicate: boolean } {
    const stream = [...this.#streams.values()].find(({ prefix }) => subject.startsWith(prefix));
    if (stream === undefined) throw new NoRespondersError(subject);
    const known = messageId === undefined ? undefined : stream.messageIds.get(messageId);
    if (known !== undefined) return { stream: stream.name, seq: known, duplicate: true };
    const sequence = stream.messages.length + 1;
    const ref = refIn(textOf(data));
    const headers =
      messageId === undefined ? given : [...given, ["Nats-Msg-Id", messageId] as const];
    const storedAt = this.#world.now;
    stream.messages.push({ sequence, subject, data, headers, ref, storedAt });
    if (messageId !== undefined) stream.messageIds.set(messageId, sequence);
    if (stream.name !== this.#source) this.#settlements.deadLettered(ref);
    this.arrivals.notify();
    return { stream: stream.name, seq: sequence, duplicate: false };
  }

  /**
   * Adds a consumer, unless there is one that is configured alike.
   *
   * @throws {JetStreamApiError} 10148 when there is one that is configured otherwise
   */
  addConsumer(streamName: string, settings: ConsumerSettings): void {
    const { consumers } = this.#streamOf(streamName);
    const known = consumers.get(settings.name);
    if (known !== undefined) {
      if (isAlike(known.settings, settings)) return;
      throw new JetStreamApiError(10_148, "consumer already exists");
    }
    consumers.set(settings.name, {
      settings,
      createdAt: this.#world.now,
      pending: new Map(),
      lastSequence: 0,
      deliveries: 0,
      deliveredAt: undefined,
      ackedAt: undefined,
    });
  }

  /**
   * Changes the limits of a consumer.
   *
   * @throws {ConsumerNotFoundError}
   * @throws {JetStreamApiError} 10012 for another ack policy
   */
  updateConsumer(streamName: string, settings: ConsumerSettings): void {
    const known = this.#consumerOf(streamName, settings.name);
    if (known.settings.ackPolicy !== settings.ackPolicy) {
      throw new JetStreamApiError(10_012, "ack policy can not be updated");
    }
    known.settings = settings;
    this.arrivals.notify();
  }

  /** @throws {ConsumerNotFoundError} */
  deleteConsumer(streamName: string, name: string): boolean {
    this.#consumerOf(streamName, name);
    const isDeleted = this.#streamOf(streamName).consumers.delete(name);
    this.arrivals.notify();
    return isDeleted;
  }

  consumersOf(streamName: string): readonly string[] {
    return [...this.#streamOf(streamName).consumers.keys()];
  }

  /** @throws {ConsumerNotFoundError} */
  infoOf(streamName: string, name: string): ConsumerFacts {
    const { messages } = this.#streamOf(streamName);
    const consumer = this.#consumerOf(streamName, name);
    const { settings, pending, lastSequence, deliveries, createdAt } = consumer;
    const out = [...pending.values()];
    const first = Math.min(lastSequence + 1, ...out.map(({ message }) => message.sequence));
    const firstDelivery = Math.min(deliveries + 1, ...out.map((one) => one.firstDelivery));
    return {
      settings,
      createdAt,
      ackPending: pending.size,
      redelivered: out.filter((one) => one.deliveries > 1).length,
      unread: messages.length - lastSequence,
      delivered: { consumer: deliveries, stream: lastSequence, activeAt: consumer.deliveredAt },
      ackFloor: { consumer: firstDelivery - 1, stream: first - 1, activeAt: consumer.ackedAt },
    };
  }

  /**
   * Delivers at most `count` messages: redeliveries first, in the order in which they became due,
   * then new ones.
   */
  take(streamName: string, name: string, who: string, count: number): readonly NatsDelivery[] {
    const stream = this.#streamOf(streamName);
    const consumer = this.#consumerOf(streamName, name);
    const deliveries: NatsDelivery[] = [];
    for (const pending of dueOf(consumer).slice(0, count)) {
      deliveries.push(this.#deliver(stream, consumer, pending, who));
    }
    const { maxAckPending } = consumer.settings;
    while (deliveries.length < count && consumer.lastSequence < stream.messages.length) {
      if (maxAckPending > 0 && consumer.pending.size >= maxAckPending) break;
      const message = stream.messages[consumer.lastSequence] as StoredMessage;
      consumer.lastSequence += 1;
      const firstDelivery = consumer.deliveries + 1;
      const pending = {
        message,
        firstDelivery,
        deliveries: 0,
        who,
        due: undefined,
        timer: undefined,
      };
      deliveries.push(this.#deliver(stream, consumer, pending, who));
    }
    return deliveries;
  }

  acknowledge(
    streamName: string,
    name: string,
    delivery: NatsDelivery,
    who: string,
    ack: AckKind,
  ): void {
    const consumer = this.#streamOf(streamName).consumers.get(name);
    const { sequence, ref } = delivery.message;
    const pending = consumer?.pending.get(sequence);
    const handle = `${sequence}#${delivery.deliveries}`;
    const act = ({ ack: "ack", nak: "nack", working: "extend", term: "terminate" } as const)[
      ack.kind
    ];
    const refused = pending === undefined ? NO_EFFECT : "";
    this.#settlements.attempted({ ref, consumer: who, handle, act, refused });
    if (consumer === undefined || pending === undefined) return;
    switch (ack.kind) {
      case "working":
        if (pending.due === undefined) {
          this.#redeliverAfter(consumer, pending, consumer.settings.ackWaitMs, "lapsed");
        }
        break;
      case "nak":
        this.#redeliverAfter(consumer, pending, ack.delayMs, "nak");
        break;
      default:
        this.#settle(consumer, pending, who);
        if (consumer.settings.ackPolicy === "all") this.#settleBefore(consumer, sequence, who);
    }
    this.arrivals.notify();
  }

  #deliver(
    stream: StreamState,
    consumer: ConsumerState,
    pending: PendingMessage,
    who: string,
  ): NatsDelivery {
    const { message } = pending;
    pending.deliveries += 1;
    pending.who = who;
    pending.due = undefined;
    consumer.deliveries += 1;
    consumer.deliveredAt = this.#world.now;
    if (stream.name === this.#source) {
      const isCumulative = consumer.settings.ackPolicy === "all";
      this.#settlements.delivered(message.ref, who, isCumulative ? stream.name : "");
    }
    if (consumer.settings.ackPolicy === "none") {
      this.#settlements.settled(message.ref, who);
    } else {
      consumer.pending.set(message.sequence, pending);
      this.#redeliverAfter(consumer, pending, consumer.settings.ackWaitMs, "lapsed");
    }
    return {
      message,
      deliveries: pending.deliveries,
      consumerSequence: consumer.deliveries,
      pending: stream.messages.length - consumer.lastSequence,
    };
  }

  /** Makes the message due again after `ms`, or ends it if MaxDeliver is reached. */
  #redeliverAfter(
    consumer: ConsumerState,
    pending: PendingMessage,
    ms: number,
    why: "lapsed" | "nak",
  ): void {
    if (pending.timer !== undefined) pending.timer.cancelled = true;
    const { ref, sequence } = pending.message;
    const place = why === "nak" && ms === 0 ? (this.#naks += 1) : sequence;
    pending.timer = this.#world.schedule(ms, { lane: "nats", hop: false }, () => {
      if (why === "lapsed") this.#settlements.lapsed(ref ?? "", pending.who);
      const { maxDeliver } = consumer.settings;
      if (maxDeliver > 0 && pending.deliveries >= maxDeliver) {
        consumer.pending.delete(sequence);
        this.#settlements.settled(ref, pending.who);
      } else {
        pending.due = { at: this.#world.now, order: place };
      }
      this.arrivals.notify();
    });
  }

  #settle(consumer: ConsumerState, pending: PendingMessage, who: string): void {
    if (pending.timer !== undefined) pending.timer.cancelled = true;
    consumer.pending.delete(pending.message.sequence);
    consumer.ackedAt = this.#world.now;
    this.#settlements.settled(pending.message.ref, who);
  }

  #settleBefore(consumer: ConsumerState, sequence: number, who: string): void {
    for (const pending of [...consumer.pending.values()]) {
      if (pending.message.sequence < sequence) this.#settle(consumer, pending, who);
    }
  }

  #streamOf(name: string): StreamState {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw new StreamNotFoundError();
    return stream;
  }

  #consumerOf(streamName: string, name: string): ConsumerState {
    const consumer = this.#streamOf(streamName).consumers.get(name);
    if (consumer === undefined) throw new ConsumerNotFoundError();
    return consumer;
  }
}

function isAlike(one: ConsumerSettings, other: ConsumerSettings): boolean {
  return (
    one.ackPolicy === other.ackPolicy &&
    one.ackWaitMs === other.ackWaitMs &&
    one.maxDeliver === other.maxDeliver &&
    one.maxAckPending === other.maxAckPending &&
    one.description === other.description &&
    textFrom(one.metadata) === textFrom(other.metadata)
  );
}

/** The same for the same entries in another order. */
function textFrom(metadata: ConsumerSettings["metadata"] = {}): string {
  return JSON.stringify(Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns what is to be delivered again: what was handed back at once in the order of the calls,
 * what became due by its time in the order of the stream, as nats-server's redelivery queue has it.
 */
function dueOf({ pending }: ConsumerState): readonly PendingMessage[] {
  const due = [...pending.values()].flatMap((one) =>
    one.due === undefined ? [] : { one, ...one.due },
  );
  return due.toSorted((a, b) => a.at - b.at || a.order - b.order).map(({ one }) => one);
}
