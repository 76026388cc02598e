import { textOf } from "../ref-in.ts";
import type { AckKind, NatsDelivery } from "./server.ts";

/** Describes the delivery of a message. Source: @nats-io/jetstream, DeliveryInfo */
export interface NatsDeliveryInfo {
  readonly domain: string;
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
  /** Resolves when the server has received it. */
  send(delivery: NatsDelivery, ack: AckKind): Promise<void>;
}

const NANOS_PER_MS = 1_000_000;

/**
 * A message with the interface of `JsMsg`.
 *
 * Holds: after a final acknowledgement (any but `working`) nothing more is sent; `ack`, `nak`,
 * `term` and `working` get no reply; `ackAck` resolves when the server has received it, and rejects
 * when no reply arrives.
 *
 * Source: @nats-io/jetstream 3, jsmsg.ts
 */
export class NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly seq: number;
  readonly redelivered: boolean;
  readonly info: NatsDeliveryInfo;
  readonly headers: undefined = undefined;
  readonly #line: AckLine;
  readonly #delivery: NatsDelivery;
  #isFinal = false;

  constructor(line: AckLine, delivery: NatsDelivery) {
    const { message, deliveries, consumerSequence, pending } = delivery;
    this.#line = line;
    this.#delivery = delivery;
    this.subject = message.subject;
    this.data = message.data;
    this.seq = message.sequence;
    this.redelivered = deliveries > 1;
    this.info = {
      domain: "",
      stream: line.stream,
      consumer: line.consumer,
      deliveryCount: deliveries,
      streamSequence: message.sequence,
      deliverySequence: consumerSequence,
      timestampNanos: (line.epochMs + message.storedAt) * NANOS_PER_MS,
      pending,
      redelivered: this.redelivered,
    };
  }

  ack(): void {
    this.#finish({ kind: "ack" });
  }

  nak(millis = 0): void {
    this.#finish({ kind: "nak", delayMs: millis });
  }

  term(_reason?: string): void {
    this.#finish({ kind: "term" });
  }

  working(): void {
    if (!this.#isFinal) this.#send({ kind: "working" }).catch(() => undefined);
  }

  /** Resolves with false, and sends nothing, after a final acknowledgement. */
  async ackAck(_options?: { timeout?: number }): Promise<boolean> {
    if (this.#isFinal) return false;
    this.#isFinal = true;
    await this.#send({ kind: "ack" });
    return true;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as JsMsg has it
  json<T>(): T {
    return JSON.parse(this.string()) as T;
  }

  string(): string {
    return textOf(this.data);
  }

  #finish(ack: AckKind): void {
    if (this.#isFinal) return;
    this.#isFinal = true;
    this.#send(ack).catch(() => undefined);
  }

  #send(ack: AckKind): Promise<void> {
    return this.#line.send(this.#delivery, ack);
  }
}
