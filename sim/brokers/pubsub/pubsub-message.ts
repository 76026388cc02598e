import type { LeasedDelivery } from "../lease.ts";
import { type Refusing, refusing } from "../not-modelled.ts";
import { adoptClientClass } from "../library-clients.ts";
import { recordText } from "../record-text.ts";
import { bufferFrom } from "../library-buffer.ts";
import { bytesFrom } from "../text-bytes.ts";
import type { PubSubPublication } from "./pubsub-publisher.ts";
import { PubSubAckError, type PubSubAckResponse } from "./pubsub-error.ts";
import { PubSubTime } from "./pubsub-time.ts";

type SpanCall =
  | ("flowStart" | "flowEnd" | "ackStart" | "ackEnd" | "ackCall" | "nackStart" | "nackEnd")
  | ("nackCall" | "modAckStart" | "modAckEnd" | "modAckCall" | "schedulerStart")
  | ("schedulerEnd" | "processingStart" | "processingEnd" | "shutdown");

const SPAN_CALLS: readonly SpanCall[] = [
  ...(["flowStart", "flowEnd", "ackStart", "ackEnd", "ackCall", "nackStart", "nackEnd"] as const),
  ...(["nackCall", "modAckStart", "modAckEnd", "modAckCall", "schedulerStart"] as const),
  ...(["schedulerEnd", "processingStart", "processingEnd", "shutdown"] as const),
];

type Spans = Readonly<Record<SpanCall, () => void>>;
const NO_SPANS = Object.fromEntries(SPAN_CALLS.map((call) => [call, () => undefined])) as Spans;

/** What a message needs from its subscription. */
export interface MessageKeeper {
  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  readonly epochMs: number;
  /** Settles at the broker, and resolves with the result. */
  settle(message: PubSubMessage, act: "ack" | "nack"): Promise<PubSubAckResponse>;
  modAck(handles: readonly string[], seconds: number): Promise<PubSubAckResponse>;
}

/**
 * A message of `@google-cloud/pubsub`.
 *
 * Holds: only the first ack or nack is sent; without exactly-once delivery its result is not
 * reported.
 */
export class PubSubMessage {
  static {
    Object.defineProperty(this, "name", { value: "Message" });
  }

  readonly ackId: string;
  readonly id: string;
  readonly attributes: { [key: string]: string };
  readonly data: Buffer;
  /** 0 unless the subscription has a dead-letter policy. */
  readonly deliveryAttempt: number;
  /** The empty string where records have none. */
  readonly orderingKey: string;
  /** When it arrived, in epoch milliseconds by its host's wall clock. */
  readonly received: number;
  /** Tracing is not modelled, and does nothing in the library unless it is on. */
  readonly parentSpan: undefined;
  readonly subSpans: Spans = NO_SPANS;
  /** Resolves when the message was settled. */
  readonly handledPromise: Promise<void>;
  readonly ackFailed: Refusing = refusing("message.ackFailed()", "brokers.pubsub");
  readonly #keeper: MessageKeeper;
  readonly #isExactlyOnce: boolean;
  readonly #publishedAt: number;
  #handled: () => void = () => undefined;
  #isDispatched = false;
  #isHandled = false;

  constructor(
    keeper: MessageKeeper,
    delivery: LeasedDelivery,
    options: {
      readonly received: number;
      readonly isOrdered: boolean;
      readonly isExactlyOnce: boolean;
      readonly countsAttempts: boolean;
    },
  ) {
    const { key, sequence, handle, failures, publishedAt } = delivery;
    const sent = delivery.content as (PubSubPublication & { readonly id?: string }) | undefined;
    this.#keeper = keeper;
    this.#isExactlyOnce = options.isExactlyOnce;
    this.ackId = handle;
    this.id = sent?.id ?? String(sequence);
    this.attributes = { ...(sent?.attributes ?? { key }) };
    this.data = bufferFrom(sent?.data ?? bytesFrom(recordText(delivery)));
    this.deliveryAttempt = options.countsAttempts ? failures + 1 : 0;
    this.orderingKey = sent?.orderingKey ?? (options.isOrdered ? key : "");
    this.received = options.received;
    this.#publishedAt = publishedAt;
    this.handledPromise = new Promise((resolve) => (this.#handled = resolve));
    adoptClientClass(this, "@google-cloud/pubsub", "Message");
  }

  /** When it was published. */
  get publishTime(): PubSubTime {
    return new PubSubTime(this.#keeper.epochMs + this.#publishedAt);
  }

  get isExactlyOnceDelivery(): boolean {
    return this.#isExactlyOnce;
  }

  endParentSpan(): void {
    // Tracing is not on.
  }

  dispatched(): void {
    this.#isDispatched = true;
  }

  isDispatched(): boolean {
    return this.#isDispatched;
  }

  get length(): number {
    return this.data.length;
  }

  ack(): void {
    this.#settle("ack").catch(() => undefined);
  }

  nack(): void {
    this.#settle("nack").catch(() => undefined);
  }

  modAck(deadline: number): void {
    if (this.#isHandled) return;
    this.#keeper.modAck([this.ackId], deadline).catch(() => undefined);
  }

  ackWithResponse(): Promise<PubSubAckResponse> {
    return this.#responseTo(() => this.#settle("ack"));
  }

  nackWithResponse(): Promise<PubSubAckResponse> {
    return this.#responseTo(() => this.#settle("nack"));
  }

  modAckWithResponse(deadline: number): Promise<PubSubAckResponse> {
    return this.#responseTo(() => this.#keeper.modAck([this.ackId], deadline));
  }

  async #settle(act: "ack" | "nack"): Promise<PubSubAckResponse> {
    if (this.#isHandled) return "INVALID";
    this.#isHandled = true;
    try {
      return await this.#keeper.settle(this, act);
    } finally {
      this.#handled();
    }
  }

  async #responseTo(act: () => Promise<PubSubAckResponse>): Promise<PubSubAckResponse> {
    if (this.#isExactlyOnce && this.#isHandled) return "INVALID";
    const responding = act();
    if (!this.#isExactlyOnce) {
      responding.catch(() => undefined);
      return "SUCCESS";
    }
    const response = await responding;
    if (response !== "SUCCESS") throw new PubSubAckError(response);
    return response;
  }
}
