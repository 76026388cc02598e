import { request, type RetryOptions, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import { KafkaJSError, KafkaJSNonRetriableError, KafkaJSProtocolError } from "./kafka-errors.ts";
import {
  Instrumentation,
  type InstrumentationEvent,
  type KafkaLogger,
  PRODUCER_EVENTS,
  SILENT_LOGGER,
} from "./kafka-events.ts";
import type { KafkaHeaders } from "./kafka-message.ts";

export interface ProducerConfig {
  readonly allowAutoTopicCreation?: boolean;
  readonly idempotent?: boolean;
  readonly maxInFlightRequests?: number;
  readonly retry?: RetryOptions;
}

export interface ProducedMessage {
  readonly key?: Uint8Array | string | null;
  readonly value: Uint8Array | string | null;
  readonly partition?: number;
  readonly headers?: KafkaHeaders;
  readonly timestamp?: string;
}

export interface ProducerRecord {
  readonly topic: string;
  readonly messages: ProducedMessage[];
  readonly acks?: number;
  readonly timeout?: number;
  readonly compression?: number;
}

export interface RecordMetadata {
  readonly topicName: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly baseOffset?: string;
}

/** Appends one message; throws what the broker answers instead. */
export type Append = (topic: string, message: ProducedMessage) => RecordMetadata;

/** A producer in the shape of kafkajs. */
export class KafkaProducer {
  readonly events: typeof PRODUCER_EVENTS = PRODUCER_EVENTS;
  readonly #parts: ClientParts;
  readonly #config: ProducerConfig;
  readonly #append: Append;
  readonly #instrumentation: Instrumentation;
  #isConnected = false;

  constructor(parts: ClientParts, append: Append, config: ProducerConfig) {
    this.#parts = parts;
    this.#append = append;
    this.#config = config;
    this.#instrumentation = new Instrumentation(() => parts.wire.clock.wallNow());
  }

  get isOpen(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    const { wire, host } = this.#parts;
    await retried(wire, this.#config.retry ?? {}, () =>
      request(wire, "broker.session", host, () => undefined),
    );
    this.#isConnected = true;
    this.#instrumentation.emit(PRODUCER_EVENTS.CONNECT, null);
  }

  async disconnect(): Promise<void> {
    await Promise.resolve();
    this.#isConnected = false;
    this.#instrumentation.emit(PRODUCER_EVENTS.DISCONNECT, null);
  }

  /**
   * Durable when it resolves, unless `acks` is 0: then nobody knows.
   *
   * @throws a `KafkaJSError`; of several messages some may have been appended
   */
  async send({ topic, messages, acks = -1 }: ProducerRecord): Promise<RecordMetadata[]> {
    if (!this.#isConnected) throw new KafkaJSError("The producer is disconnected");
    if (topic === undefined || topic === "") throw new KafkaJSNonRetriableError("Invalid topic");
    if (!Array.isArray(messages)) {
      throw new KafkaJSNonRetriableError(`Invalid messages array [${String(messages)}]`);
    }
    const { wire, host } = this.#parts;
    const sent = retried(wire, this.#config.retry ?? {}, () =>
      request(wire, "broker.produce", host, () => this.#appendAll(topic, messages)),
    );
    if (acks !== 0) return await sent;
    sent.catch(() => undefined);
    return [];
  }

  async sendBatch(batch: { readonly topicMessages?: ProducerRecord[] }): Promise<RecordMetadata[]> {
    const sent: RecordMetadata[] = [];
    for (const record of batch.topicMessages ?? []) sent.push(...(await this.send(record)));
    return sent;
  }

  // The library's listeners take an event of their own shape each.
  // oxlint-disable-next-line typescript/no-explicit-any
  on(eventName: string, listener: (event: InstrumentationEvent<any>) => unknown): () => void {
    return this.#instrumentation.on(eventName, listener);
  }

  isIdempotent(): boolean {
    return this.#config.idempotent ?? false;
  }

  logger(): KafkaLogger {
    return SILENT_LOGGER;
  }

  /** All that can be appended is; then the first refusal is thrown. */
  #appendAll(topic: string, messages: readonly ProducedMessage[]): RecordMetadata[] {
    const appended: RecordMetadata[] = [];
    let refusal: KafkaJSProtocolError | undefined;
    for (const message of messages) {
      try {
        appended.push(this.#append(topic, message));
      } catch (error) {
        if (!(error instanceof KafkaJSProtocolError)) throw error;
        refusal ??= error;
      }
    }
    if (refusal !== undefined) throw refusal;
    return appended;
  }
}
