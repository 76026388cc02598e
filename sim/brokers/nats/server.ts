import type { World } from "../../kernel/world.ts";
import { Arrivals } from "../arrivals.ts";
import { Refusal } from "../refusal.ts";
import { NO_EFFECT, type SettlementLog } from "../settlement-log.ts";
import { refIn, textOf } from "../ref-in.ts";
import {
  ConsumerNotFoundError,
  JetStreamApiError,
  NoRespondersError,
  StreamNotFoundError,
} from "./errors.ts";
import { Deliveries } from "./deliveries.ts";
import type { AckKind, NatsDelivery, PullRequest } from "./delivery.ts";
import { overlap } from "./names.ts";
import {
  type ConsumerFacts,
  type ConsumerState,
  beginning,
  dueOf,
  factsOf,
  givenName,
  isSpent,
  newConsumer,
  nextOf,
  type PendingMessage,
  restOf,
} from "./consumer-state.ts";
import { completed, type ConsumerSettings, fixedIn, isAlike } from "./settings.ts";
import {
  type Lasts,
  MessageStream,
  type StoredMessage,
  type StreamSettings,
  TOLD,
} from "./stream.ts";

interface StreamState {
  readonly stored: MessageStream;
  readonly consumers: Map<string, ConsumerState>;
}

/**
 * A NATS server with JetStream: streams, pull consumers, acknowledgements.
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
  /** While it is on, streams other than the source are full. */
  readonly refusal: Refusal;
  readonly #world: World;
  readonly #settlements: SettlementLog;
  readonly #source: string;
  readonly #streams = new Map<string, StreamState>();
  /** The names of consumers of the source that have existed. */
  readonly #begun = new Set<string>();
  /** How many names it has given. */
  #named = 0;
  readonly #deliveries: Deliveries;

  constructor(world: World, settlements: SettlementLog, source: string) {
    this.refusal = new Refusal(world);
    this.#world = world;
    this.#settlements = settlements;
    this.#source = source;
    const { arrivals } = this;
    this.#deliveries = new Deliveries({ world, settlements, arrivals, source });
  }

  /** Its process is killed, and started again with what is on its disk. */
  crash(): void {
    for (const { stored, consumers } of this.#streams.values()) {
      for (const consumer of consumers.values()) this.#deliveries.crash(stored, consumer);
    }
    this.arrivals.notify();
  }

  /** In virtual milliseconds. */
  get now(): number {
    return this.#world.now;
  }

  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  get epochMs(): number {
    return this.#world.epochMs;
  }

  /**
   * Adds a stream, unless there is one that is configured alike.
   *
   * @throws {JetStreamApiError} 10058 for one that is configured otherwise, 10065 for subjects of
   *   another
   */
  addStream(name: string, settings: StreamSettings): void {
    const known = this.#streams.get(name)?.stored;
    if (known !== undefined) {
      known.assertAs(settings);
      return;
    }
    const taken = this.streams().flatMap(({ settings: its }) => its.subjects);
    if (taken.some((one) => settings.subjects.some((subject) => overlap(one, subject)))) {
      throw new JetStreamApiError(10_065, "subjects overlap with an existing stream");
    }
    const stored = new MessageStream(name, settings, this.#world.now);
    this.#streams.set(name, { stored, consumers: new Map() });
  }

  /** The streams, by their names. */
  streams(): readonly MessageStream[] {
    const streams = [...this.#streams.values()].map(({ stored }) => stored);
    return streams.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @throws {StreamNotFoundError} */
  streamNamed(name: string): MessageStream {
    return this.#streamOf(name).stored;
  }

  /**
   * Stores a message in the stream of its subject, unless it has one with the same identifier.
   *
   * @throws {NoRespondersError} when no stream has the subject
   * @throws {JetStreamApiError} when the stream is not as the headers expect; 10077 when it is full
   */
  publish(
    subject: string,
    data: Uint8Array,
    headers: StoredMessage["headers"] = [],
  ): { readonly stream: string; readonly seq: number; readonly duplicate: boolean } {
    const found = [...this.#streams.values()].find(({ stored }) => stored.stores(subject));
    if (found === undefined) throw new NoRespondersError(subject);
    const stream = found.stored;
    const told = new Map(headers.toReversed());
    stream.assertSequences(subject, told);
    const id = told.get(TOLD.id) || undefined;
    const known = stream.known(id, this.#world.now);
    if (known !== undefined) return { stream: stream.name, seq: known, duplicate: true };
    stream.assertLast(told);
    if (stream.name !== this.#source && this.refusal.isOn) {
      throw new JetStreamApiError(10_077, "maximum messages exceeded", 503);
    }
    const sequence = stream.messages.length + 1;
    const ref = refIn(textOf(data));
    const storedAt = this.#world.now;
    stream.store({ sequence, subject, data, headers, ref, storedAt }, id);
    this.#settlements[stream.name === this.#source ? "copied" : "deadLettered"](ref);
    this.arrivals.notify();
    return { stream: stream.name, seq: sequence, duplicate: false };
  }

  /**
   * Adds a consumer, unless there is one that is configured alike; returns its name.
   *
   * @throws {JetStreamApiError} 10148 when there is one that is configured otherwise
   */
  addConsumer(streamName: string, given: ConsumerSettings): string {
    const { stored, consumers } = this.#streamOf(streamName);
    const asked = completed(given);
    const known = consumers.get(asked.name);
    if (known !== undefined) {
      if (isAlike(known.settings, asked)) return asked.name;
      throw new JetStreamApiError(10_148, "consumer already exists");
    }
    const { first, lasts } = stored.startOf(asked);
    if (streamName === this.#source) this.#skip(stored, asked, first, lasts);
    const name = asked.name || givenName((this.#named += 1));
    const settings = asked.name === "" ? { ...asked, name, isNameGiven: true } : asked;
    const consumer = newConsumer(settings, { first, lasts }, this.#world.now);
    consumers.set(name, consumer);
    this.#deleteWhenUnused(streamName, consumer);
    return name;
  }

  /** Looks whether a consumer is in use, until it is not. */
  #deleteWhenUnused(streamName: string, consumer: ConsumerState): void {
    const { settings } = consumer;
    if (settings.inactiveMs === 0) return;
    if (consumer.deletion !== undefined) consumer.deletion.cancelled = true;
    consumer.deletion = this.#world.schedule(
      restOf(consumer, this.now),
      { lane: "nats", hop: false },
      () => {
        if (this.#streamOf(streamName).consumers.get(settings.name) !== consumer) return;
        if (restOf(consumer, this.now) > 0) this.#deleteWhenUnused(streamName, consumer);
        else this.deleteConsumer(streamName, settings.name);
      },
    );
  }

  /**
   * What the first consumer of its name leaves out at its start counts as expired. Where one is
   * made again at the end of the stream, what it leaves out is lost.
   */
  #skip(
    { messages }: MessageStream,
    settings: ConsumerSettings,
    first: number,
    lasts: Lasts | undefined,
  ): void {
    if (this.#begun.has(settings.name)) return;
    this.#begun.add(settings.name);
    for (const { sequence, ref } of messages) {
      const isLast = lasts === undefined || lasts.only.has(sequence);
      if (sequence < first || !isLast) this.#settlements.expired(ref);
    }
  }

  /**
   * Changes the limits of a consumer.
   *
   * @throws {ConsumerNotFoundError}
   * @throws {JetStreamApiError} 10012 for another ack policy
   */
  updateConsumer(streamName: string, given: ConsumerSettings): void {
    const settings = completed(given);
    const known = this.#streamOf(streamName).consumers.get(settings.name);
    if (known === undefined) throw new JetStreamApiError(10_149, "consumer does not exist");
    const fixed = fixedIn(known.settings, settings);
    if (fixed !== undefined)
      throw new JetStreamApiError(10_012, `${fixed} can not be updated`, 500);
    known.settings = settings;
    this.arrivals.notify();
  }

  /** @throws {ConsumerNotFoundError} */
  deleteConsumer(streamName: string, name: string): boolean {
    this.#consumerOf(streamName, name);
    this.arrivals.notify();
    return this.#streamOf(streamName).consumers.delete(name);
  }

  /** Whether there is somebody to whom an acknowledgement goes. */
  takesAcks(streamName: string, name: string): boolean {
    const consumer = this.#streams.get(streamName)?.consumers.get(name);
    return consumer !== undefined && consumer.settings.ackPolicy !== "none";
  }

  consumersOf(streamName: string): readonly string[] {
    return [...this.#streamOf(streamName).consumers.keys()].toSorted();
  }

  /** @throws {ConsumerNotFoundError} */
  infoOf(streamName: string, name: string): ConsumerFacts {
    return factsOf(this.#streamOf(streamName).stored, this.#consumerOf(streamName, name));
  }

  /** Delivers what somebody has asked for. */
  pull(
    streamName: string,
    name: string,
    { who, count, reader, isAsked }: PullRequest,
  ): readonly NatsDelivery[] {
    const consumer = this.#consumerOf(streamName, name);
    consumer.pullers.add(reader);
    if (isAsked) consumer.usedAt = this.#world.now;
    return this.take(streamName, name, who, count);
  }

  /**
   * Delivers at most `count` messages: redeliveries first, in the order in which they became due,
   * then new ones.
   */
  take(streamName: string, name: string, who: string, count: number): readonly NatsDelivery[] {
    const { stored } = this.#streamOf(streamName);
    const consumer = this.#consumerOf(streamName, name);
    const deliveries: NatsDelivery[] = [];
    const { maxAckPending } = consumer.settings;
    this.#deliveries.change(consumer, () => {
      for (const pending of dueOf(consumer)) {
        if (deliveries.length === count) break;
        if (isSpent(consumer, pending)) this.#deliveries.giveUp(consumer, pending);
        else deliveries.push(this.#deliveries.deliver(stored, consumer, pending, who));
      }
      while (deliveries.length < count) {
        if (maxAckPending > 0 && consumer.pending.size >= maxAckPending) break;
        const message = nextOf(stored, consumer);
        if (message === undefined) break;
        const pending = beginning(consumer, message, who);
        deliveries.push(this.#deliveries.deliver(stored, consumer, pending, who));
      }
      return deliveries.length > 0;
    });
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
    const isFinal = ack.kind === "ack" || ack.kind === "term";
    if (isFinal && consumer?.settings.ackPolicy !== "all") consumer?.givenUp.delete(sequence);
    if (consumer === undefined || pending === undefined) return;
    consumer.usedAt = this.#world.now;
    this.#deliveries.change(consumer, () => {
      this.#settle(consumer, pending, who, ack);
      return true;
    });
    // Earlier than was foreseen while the message could still be acknowledged.
    this.#deleteWhenUnused(streamName, consumer);
    this.arrivals.notify();
  }

  #settle(consumer: ConsumerState, pending: PendingMessage, who: string, ack: AckKind): void {
    switch (ack.kind) {
      case "working":
        if (pending.due === undefined) this.#deliveries.redeliverLater(consumer, pending);
        break;
      case "nak":
        this.#deliveries.redeliverLater(consumer, pending, ack.delayMs);
        break;
      default:
        this.#deliveries.settle(consumer, pending, who);
        if (consumer.settings.ackPolicy !== "all") break;
        this.#deliveries.settleBefore(consumer, pending.message.sequence, who);
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
