import { request, type RetryOptions, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import {
  isProtocolError,
  KafkaJSError,
  KafkaJSNonRetriableError,
  type KafkaJSProtocolError,
} from "./kafka-errors.ts";
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

/** Appends one message, or throws the broker's error. */
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
    this.#instrumentation = new Instrumentation(() => parts.port.clock.wallNow());
  }

  get isOpen(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    const { port, host } = this.#parts;
    await retried(port, this.#config.retry ?? {}, () =>
      request(port, "broker.session", host, () => undefined),
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
   * Resolves when the messages are durable; with `acks: 0` it resolves at once.
   *
   * @throws {KafkaJSError} when a message was refused; others may have been appended
   */
  async send({ topic, messages, acks = -1 }: ProducerRecord): Promise<RecordMetadata[]> {
    if (!this.#isConnected) throw new KafkaJSError("The producer is disconnected");
    if (topic === undefined || topic === "") throw new KafkaJSNonRetriableError("Invalid topic");
    if (!Array.isArray(messages)) {
      throw new KafkaJSNonRetriableError(`Invalid messages array [${String(messages)}]`);
    }
    const { port, host } = this.#parts;
    const sent = retried(port, this.#config.retry ?? {}, () =>
      request(port, "broker.produce", host, () => this.#appendAll(topic, messages)),
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

  /** Appends every message that is accepted, then throws the first refusal, if any. */
  #appendAll(topic: string, messages: readonly ProducedMessage[]): RecordMetadata[] {
    const appended: RecordMetadata[] = [];
    let refusal: KafkaJSProtocolError | undefined;
    for (const message of messages) {
      try {
        appended.push(this.#append(topic, message));
      } catch (error) {
        if (!isProtocolError(error)) throw error;
        refusal ??= error;
      }
    }
    if (refusal !== undefined) throw refusal;
    return appended;
  }
}
