import { once } from "../library-call.ts";
import { NotModelled } from "../not-modelled.ts";
import { assertFits, fits } from "./kafka-bits.ts";
import { isRetriable, pause, type RetryOptions, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import {
  isNamed,
  isProtocolError,
  KafkaJSError,
  KafkaJSNonRetriableError,
  KafkaJSNotImplemented,
  KafkaJSProtocolError,
  KafkaJSRequestTimeoutError,
} from "./kafka-errors.ts";
import {
  assertEventOf,
  Instrumentation,
  type InstrumentationEvent,
  type KafkaLogger,
  PRODUCER_EVENTS,
  SILENT_LOGGER,
} from "./kafka-events.ts";
import { KafkaLink } from "./kafka-link.ts";
import type { ProducedMessage } from "./kafka-message.ts";
import {
  assertKinds,
  assertProducerKinds,
  either,
  isNull,
  isNumber,
  isText,
  isWhole,
  listOf,
  optional,
} from "./kafka-kinds.ts";
import { isTopicName } from "./kafka-topic-name.ts";
import { defaultPartitioner, type Partitioner } from "./kafka-partitioner.ts";
import { assertWritable, type WrittenMessages, writtenFrom } from "./kafka-written.ts";

export interface ProducerConfig {
  readonly allowAutoTopicCreation?: boolean;
  /** Whether a message that is sent again, because no reply came, is appended once. */
  readonly idempotent?: boolean;
  readonly maxInFlightRequests?: number;
  readonly retry?: RetryOptions;
  readonly transactionalId?: string;
  createPartitioner?(): Partitioner;
}

export interface ProducerRecord {
  readonly topic: string;
  readonly messages: ProducedMessage[];
  readonly acks?: number;
  readonly timeout?: number;
  readonly compression?: number;
}

type TopicMessages = Pick<ProducerRecord, "topic" | "messages">;

export interface ProducerBatch {
  readonly topicMessages?: TopicMessages[];
  readonly acks?: number;
  readonly timeout?: number;
  readonly compression?: number;
}

export interface RecordMetadata {
  readonly topicName: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly baseOffset?: string;
  readonly logAppendTime?: string;
  readonly logStartOffset?: string;
}

/** What the broker does with messages that go to one partition. */
export interface ProduceTarget {
  partitionsOf(topic: string): number;
  /**
   * Appends the messages, or throws the broker's error and appends none of them. Unless `isFull`,
   * the reply does not wait for the followers of the partition, which copy them later.
   */
  append(
    topic: string,
    partition: number,
    messages: readonly ProducedMessage[],
    isFull?: boolean,
  ): RecordMetadata;
}

const NOT_MODELLED = "brokers.kafka";
/** The leader replies when its followers have the messages, too. */
const ALL_REPLICAS = -1;
/** The library has gzip; the application would have to bring the others. */
const NO_CODECS: Readonly<Record<number, string>> = { 2: "Snappy", 3: "LZ4", 4: "ZSTD" };
const GZIP = 1;
/** How long the library waits for a reply. */
const REQUEST_TIMEOUT_MS = 30_000;
/** What the server takes at most in one batch of records: its default. */
const BATCH_BYTES_MAX = 1_048_588;
/** So many bytes a batch has besides its records, and a record besides key and value. */
const OVERHEAD_BYTES = { batch: 61, record: 7 };

/** A producer in the shape of kafkajs. */
export class KafkaProducer {
  readonly events: typeof PRODUCER_EVENTS = PRODUCER_EVENTS;
  readonly #parts: ClientParts;
  readonly #link: KafkaLink;
  readonly #config: ProducerConfig;
  readonly #target: ProduceTarget;
  readonly #partitioner: Partitioner;
  readonly #instrumentation: Instrumentation;
  #isConnected = false;

  constructor(parts: ClientParts, target: ProduceTarget, config: ProducerConfig) {
    const { idempotent = false, retry } = config;
    if (idempotent && Number(retry?.retries) < 1) {
      throw new KafkaJSNonRetriableError(
        "Idempotent producer must allow retries to protect against transient errors",
      );
    }
    assertProducerKinds(config);
    this.#parts = parts;
    this.#link = new KafkaLink(parts.port, parts.host, parts.crashes);
    this.#target = target;
    this.#config = config;
    this.#partitioner =
      config.createPartitioner?.() ??
      defaultPartitioner((count) => parts.port.choices("data").choose(count, "partition"));
    this.#instrumentation = new Instrumentation(() => parts.port.clock.wallNow());
  }

  get isOpen(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    await this.#link.connect();
    this.#isConnected = true;
    this.#instrumentation.emit(PRODUCER_EVENTS.CONNECT, undefined);
  }

  async disconnect(): Promise<void> {
    await Promise.resolve();
    this.#link.disconnect();
    this.#isConnected = false;
    this.#instrumentation.emit(PRODUCER_EVENTS.DISCONNECT, undefined);
  }

  /**
   * Resolves when the messages are durable, with one entry for each partition; with `acks: 0` it
   * resolves at once.
   *
   * @throws {KafkaJSError} when a message was refused; others may have been appended
   */
  async send({ topic, messages, ...how }: ProducerRecord): Promise<RecordMetadata[]> {
    return await this.sendBatch({ ...how, topicMessages: [{ topic, messages }] });
  }

  /** Sends messages to several topics, as `send` does. */
  async sendBatch(batch: ProducerBatch): Promise<RecordMetadata[]> {
    const { topicMessages = [], acks = ALL_REPLICAS, compression = 0, timeout = 0 } = batch;
    assertSendable(topicMessages, acks, this.isIdempotent());
    if (!this.#isConnected) throw new KafkaJSError("The producer is disconnected");
    assertSent(batch, topicMessages);
    assertTopics(topicMessages);
    const replicas = wordOf(acks);
    const merged = new Map<string, ProducedMessage[]>();
    for (const { topic, messages } of topicMessages) {
      merged.set(topic, [...(merged.get(topic) ?? []), ...messages]);
    }
    const { port } = this.#parts;
    const prepare = (): (() => RecordMetadata[]) => {
      const chosen = this.#byPartition(merged);
      // Where nothing goes to a server, nothing is written, and nothing refused.
      if (chosen.length > 0) {
        assertCodec(compression);
        assertFits(replicas, 16);
        assertFits(timeout, 32);
        if (![-1, 0, 1].includes(replicas)) throw new KafkaJSProtocolError("INVALID_REQUIRED_ACKS");
      }
      return () => this.#appendAll(chosen, replicas === ALL_REPLICAS);
    };
    // What cannot be written fails also where no reply is waited for.
    const prepared = this.isIdempotent() || acks === 0 ? once(prepare()) : undefined;
    const sent = retried(
      port,
      this.#retry,
      async () => {
        const reply = await this.#produce(prepared ?? prepare());
        if (replicas !== 0 || acks === 0 || reply.length === 0) return reply;
        // The server appends, and does not reply to who seems not to care.
        await pause(port, REQUEST_TIMEOUT_MS);
        throw new KafkaJSRequestTimeoutError("Request Produce timed out");
      },
      isFinal,
    );
    // It is written at once, where there is a connection.
    if (acks !== 0 || !this.#link.isUp) return await sent;
    sent.catch(() => undefined);
    return [];
  }

  // The library's listeners take an event of their own shape each.
  // oxlint-disable-next-line typescript/no-explicit-any
  on(eventName: string, listener: (event: InstrumentationEvent<any>) => unknown): () => void {
    assertEventOf("producer", PRODUCER_EVENTS, eventName);
    return this.#instrumentation.on(eventName, listener);
  }

  isIdempotent(): boolean {
    return this.#config.idempotent ?? false;
  }

  transaction(): Promise<never> {
    return Promise.reject(new NotModelled("transactions of a kafkajs producer", NOT_MODELLED));
  }

  logger(): KafkaLogger {
    return SILENT_LOGGER;
  }

  get #retry(): RetryOptions {
    // The library means to let an idempotent producer try for ever, but does not.
    return this.#config.retry ?? {};
  }

  /** Sends the request; where its connection is gone, it makes a new one before it fails. */
  async #produce(append: () => RecordMetadata[]): Promise<RecordMetadata[]> {
    const link = this.#link;
    try {
      if (!link.isUp) await link.findBroker();
      return await link.request("broker.produce", append);
    } catch (error) {
      if (isNamed(error, "KafkaJSConnectionClosedError")) link.forgetBroker();
      const isAway = !link.isUp || isNamed(error, "KafkaJSNumberOfRetriesExceeded");
      if (!isAway) throw error;
      let failure = error as Error;
      try {
        await link.connect();
        await link.refresh();
      } catch (another) {
        failure = another as Error;
      }
      if (isRetriable(failure)) throw failure;
      throw new KafkaJSNonRetriableError(failure.message, { cause: failure.cause });
    }
  }

  /**
   * Appends the messages of each partition that accepts them, then throws the first refusal, if
   * any.
   */
  #appendAll(chosen: readonly Chosen[], isFull: boolean): RecordMetadata[] {
    const appended: RecordMetadata[] = [];
    let refusal: KafkaJSProtocolError | undefined;
    for (const { topic, partition, messages, isMalformed } of chosen) {
      try {
        if (isMalformed) throw new KafkaJSProtocolError("INVALID_RECORD");
        if (bytesOf(messages) > BATCH_BYTES_MAX) {
          throw new KafkaJSProtocolError("MESSAGE_TOO_LARGE");
        }
        appended.push(this.#target.append(topic, partition, messages, isFull));
      } catch (error) {
        if (!isProtocolError(error)) throw error;
        refusal ??= error;
      }
    }
    if (refusal !== undefined) throw refusal;
    return appended;
  }

  /** Leaves out messages for partitions that do not exist, without an error, as the library does. */
  #byPartition(merged: ReadonlyMap<string, readonly ProducedMessage[]>): Chosen[] {
    return [...merged].flatMap(([topic, messages]) => {
      const count = this.#target.partitionsOf(topic);
      const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({
        ...{ partitionErrorCode: 0, partitionId, leader: 0 },
        ...{ replicas: [0], isr: [0], offlineReplicas: [] },
      }));
      const groups: ProducedMessage[][] = partitionMetadata.map(() => []);
      for (const message of messages) {
        groups[this.#partitioner({ topic, partitionMetadata, message })]?.push(message);
      }
      for (const message of groups.flat()) assertWritable(message);
      return groups
        .map((group, partition) => ({ topic, partition, ...writtenFrom(group) }))
        .filter((one) => one.messages.length > 0);
    });
  }
}

/** Messages that go to one partition. */
interface Chosen extends WrittenMessages {
  readonly topic: string;
  readonly partition: number;
}

/** @throws {KafkaJSNonRetriableError} for a topic whose name is none */
function assertTopics(batch: readonly TopicMessages[]): void {
  // A caller without types may give a number, which names nothing where it is written as four bytes.
  if (batch.some(({ topic }) => typeof topic !== "string" || !isTopicName(topic))) {
    const cause = new KafkaJSProtocolError("INVALID_TOPIC_EXCEPTION");
    throw new KafkaJSNonRetriableError(cause.message, { cause });
  }
}

/** A topic that is a number, as long as the client can still send other messages after it. */
function isShort(value: unknown): boolean {
  return typeof value === "number" && fits(value, 32);
}

const MESSAGE_KINDS = { partition: optional(either(isNull, isNumber, isText)) };

/** @throws {NotModelled} for what only a caller without types can give, and would be written */
function assertSent(batch: ProducerBatch, topics: readonly TopicMessages[]): void {
  const isAnObject = (value: unknown): boolean => typeof value === "object" && value !== null;
  assertKinds("kafka.producer().send()", batch, { timeout: optional(isWhole) });
  for (const one of topics) {
    const kinds = { topic: either(isText, isShort), messages: listOf(isAnObject) };
    assertKinds("kafka.producer().send()", one, kinds);
    for (const message of one.messages) {
      assertKinds("kafka.producer().send()", message, MESSAGE_KINDS);
    }
  }
}

/** The number of acknowledgements as it is written into two bytes, also where it is none. */
function wordOf(acks: unknown): number {
  return Math.trunc(Number(acks)) || 0;
}

/**
 * @throws {KafkaJSNotImplemented} for a compression that the application would have to bring
 * @throws {TypeError} for one that is none
 */
function assertCodec(compression: unknown): void {
  const missing = NO_CODECS[compression as number];
  if (missing !== undefined) {
    throw new KafkaJSNotImplemented(`${missing} compression not implemented`);
  }
  // The library finds a codec by its name, and none by the number that means no compression.
  const isKnown = compression === 0 || String(compression) === String(GZIP);
  if (!isKnown) throw new TypeError(`Cannot compress by codec ${String(compression)}: it is none`);
}

/** How long the batch of these messages is, about; their headers are not counted. */
function bytesOf(messages: readonly ProducedMessage[]): number {
  const lengthOf = (value: Uint8Array | string | null | undefined): number =>
    typeof value === "string" ? new TextEncoder().encode(value).length : (value?.length ?? 0);
  return messages.reduce(
    (sum, { key, value }) => sum + OVERHEAD_BYTES.record + lengthOf(key) + lengthOf(value),
    OVERHEAD_BYTES.batch,
  );
}

/** The library gives up at once, with this error. */
function isFinal(error: unknown): boolean {
  return (error as { readonly retriable?: unknown }).retriable !== true;
}

function assertSendable(
  batch: readonly TopicMessages[],
  acks: number,
  isIdempotent: boolean,
): void {
  if (batch.some(({ topic }) => !topic)) throw new KafkaJSNonRetriableError("Invalid topic");
  if (isIdempotent && acks !== -1) {
    throw new KafkaJSNonRetriableError(
      "Not requiring ack for all messages invalidates the idempotent producer's EoS guarantees",
    );
  }
  for (const { topic, messages } of batch) {
    // A caller without types may give none.
    if (!(messages as unknown)) {
      throw new KafkaJSNonRetriableError(
        `Invalid messages array [${messages as unknown as string}] for topic "${topic}"`,
      );
    }
    const without = messages.find((message) => message.value === undefined);
    // As the library, which takes a message that is nothing for one that it has not found.
    if (!(without as unknown)) continue;
    throw new KafkaJSNonRetriableError(
      `Invalid message without value for topic "${topic}": ${JSON.stringify(without)}`,
    );
  }
}
