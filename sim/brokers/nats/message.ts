import { assertModelled, NotModelled } from "../not-modelled.ts";
import { textOf } from "../ref-in.ts";
import { NoRespondersError, RequestError } from "./errors.ts";
import { NatsHeaders } from "./headers.ts";
import { storedDate } from "../stored-date.ts";
import type { AckKind, NatsDelivery } from "./delivery.ts";

/** Describes the delivery of a message. Source: @nats-io/jetstream, DeliveryInfo */
export interface NatsDeliveryInfo {
  readonly domain: string;
  /** Empty, as for an account of the server's own domain. */
  readonly account_hash: string;
  readonly stream: string;
  readonly consumer: string;
  readonly deliveryCount: number;
  readonly streamSequence: number;
  readonly deliverySequence: number;
  readonly timestampNanos: number;
  readonly pending: number;
  readonly redelivered: boolean;
}

/** What a message needs from its connection. */
export interface AckLine {
  readonly stream: string;
  readonly consumer: string;
  readonly epochMs: number;
  /** Resolves when the server has received it, with whether there still is the consumer. */
  send(delivery: NatsDelivery, ack: AckKind, timeoutMs?: number): Promise<boolean>;
}

const NANOS_PER_MS = 1_000_000;

/**
 * A message with the interface of `JsMsg`.
 *
 * Holds: after a final acknowledgement (any but `working`) nothing more is sent; `ack`, `nak`,
 * `term` and `working` get no reply; `ackAck` resolves when the server has received it, and rejects
 * when no reply arrives, the consumer is gone, or takes no acknowledgements.
 *
 * Source: @nats-io/jetstream 3, jsmsg.ts
 */
export class NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly seq: number;
  readonly redelivered: boolean;
  readonly info: NatsDeliveryInfo;
  /** Undefined for a message without headers. */
  readonly headers: NatsHeaders | undefined;
  /** The number of the subscription. */
  readonly sid: number = 1;
  /** The subject to which acknowledgements go. */
  readonly reply: string;
  readonly #line: AckLine;
  readonly #delivery: NatsDelivery;
  /** Whether a final acknowledgement was sent. */
  didAck = false;

  constructor(line: AckLine, delivery: NatsDelivery) {
    const { message, deliveries, consumerSequence, pending } = delivery;
    this.#line = line;
    this.#delivery = delivery;
    this.subject = message.subject;
    this.data = new Uint8Array(message.data);
    this.headers = message.headers.length === 0 ? undefined : new NatsHeaders(message.headers);
    this.seq = message.sequence;
    this.redelivered = deliveries > 1;
    this.info = {
      domain: "",
      account_hash: "",
      stream: line.stream,
      consumer: line.consumer,
      deliveryCount: deliveries,
      redelivered: this.redelivered,
      streamSequence: message.sequence,
      deliverySequence: consumerSequence,
      timestampNanos: (line.epochMs + message.storedAt) * NANOS_PER_MS,
      pending,
    };
    const { timestampNanos } = this.info;
    const counts = [deliveries, message.sequence, consumerSequence, timestampNanos, pending];
    this.reply = ["$JS", "ACK", line.stream, line.consumer, ...counts].join(".");
  }

  /** When the message was stored. */
  get time(): Date {
    return storedDate(Math.floor(this.info.timestampNanos / NANOS_PER_MS));
  }

  get timestampNanos(): bigint {
    return BigInt(this.#line.epochMs + this.#delivery.message.storedAt) * BigInt(NANOS_PER_MS);
  }

  get timestamp(): string {
    return this.time.toISOString();
  }

  /** @throws {NotModelled} always: a subscription pulls by itself */
  next(_subject?: string, _options?: object): never {
    throw new NotModelled("JsMsg.next()", "brokers.nats");
  }

  ack(): void {
    this.#finish({ kind: "ack" });
  }

  nak(millis: number = 0): void {
    // The delay is sent in nanoseconds; what is no number is none, and the server takes none below 0.
    const nanos = millis * NANOS_PER_MS;
    const delayMs = Number.isFinite(nanos) ? Math.max(0, nanos / NANOS_PER_MS) : 0;
    this.#finish({ kind: "nak", delayMs });
  }

  term(_reason?: string): void {
    this.#finish({ kind: "term" });
  }

  working(): void {
    if (!this.didAck) this.#send({ kind: "working" }).catch(() => undefined);
  }

  /** Resolves with false, and sends nothing, after a final acknowledgement. */
  async ackAck(options: { timeout?: number } = {}): Promise<boolean> {
    assertModelled("JsMsg.ackAck()", options, ["timeout"], "brokers.nats");
    if (this.didAck) return false;
    this.didAck = true;
    const isTaken = await this.#line.send(this.#delivery, { kind: "ack" }, options.timeout);
    if (isTaken) return true;
    throw new RequestError(new NoRespondersError(this.reply));
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as JsMsg has it
  json<T>(): T {
    return JSON.parse(this.string()) as T;
  }

  string(): string {
    return textOf(this.data);
  }

  #finish(ack: AckKind): void {
    if (this.didAck) return;
    this.didAck = true;
    this.#send(ack).catch(() => undefined);
  }

  #send(ack: AckKind): Promise<boolean> {
    return this.#line.send(this.#delivery, ack);
  }
}
