import { utf8Bytes } from "../../../src/platform/mod.ts";
import { once } from "../library-call.ts";
import { refusing } from "../not-modelled.ts";
import { ConfluentAdmin } from "./confluent-admin.ts";
import { settingsToConnect, throwsUncaught, withoutClient } from "./confluent-connecting.ts";
import {
  argumentError,
  ConfluentError,
  confluentErrorFrom,
  LibrdKafkaError,
  stateError,
} from "./confluent-errors.ts";
import { ConfluentLogger } from "./confluent-logger.ts";
import { confluentPartitioner } from "./confluent-partitioner.ts";
import {
  type ConfluentConfig,
  type ProducerSettings,
  producerSettings,
} from "./confluent-settings.ts";
import { pause, request, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import { isProtocolError, KafkaJSProtocolError } from "./kafka-errors.ts";
import type { KafkaHeaders, ProducedMessage } from "./kafka-message.ts";
import type { ProduceTarget, RecordMetadata } from "./kafka-producer.ts";
import { isTopicName } from "./kafka-topic-name.ts";

export interface ConfluentProducerRecord {
  readonly topic: string;
  readonly messages: ProducedMessage[];
}

export interface ConfluentProducerBatch {
  readonly topicMessages?: ConfluentProducerRecord[];
}

/** Members of the library's producer that the model does not have. */
export type RefusedConfluentProducerCall =
  | ("transaction" | "commit" | "abort" | "sendOffsets" | "isActive")
  | ("setSaslCredentials" | "setSaslCredentialProvider");

const REFUSED: Readonly<Record<RefusedConfluentProducerCall, true>> = {
  ...{ transaction: true, commit: true, abort: true, sendOffsets: true, isActive: true },
  ...{ setSaslCredentials: true, setSaslCredentialProvider: true },
};

type State = "new" | "connecting" | "broken" | "connected" | "disconnecting" | "disconnected";

/** A message as the library leaves it behind: it changes the object that it is given. */
type Sent = { -readonly [Name in keyof ProducedMessage]: unknown };

/** A property of librdkafka that limits what is sent. */
interface Limits {
  readonly "message.max.bytes"?: number | string;
}

const NOT_MODELLED = "brokers.confluentKafka";
const FLUSH_MS_DEFAULT = 500;
const DISCONNECT_MS = 5_000;
/** The default of `message.max.bytes`. */
const MESSAGE_BYTES_MAX = 1_000_000;
/** What a message takes at most besides its key, its value and its headers. */
const OVERHEAD_BYTES = 36;
/** Options of kafkajs that the library wants in the producer's configuration. */
const MISPLACED = ["acks", "timeout", "compression"];

/**
 * A producer in the shape of the KafkaJS face of `@confluentinc/kafka-javascript`.
 *
 * Holds, as in the library: messages are sent in the background, those of one partition in order,
 * and tried again until `message.timeout.ms` is over or the retries are used up; `send` changes the
 * messages that it is given.
 */
export class ConfluentProducer {
  readonly #parts: ClientParts;
  readonly #target: ProduceTarget;
  readonly #config: ConfluentConfig;
  readonly #queues = new Map<string, Promise<unknown>>();
  /** Names that the broker has refused. */
  readonly #noTopics = new Set<string>();
  readonly #logger = new ConfluentLogger();
  #state: State = "new";
  #settings: ProducerSettings | undefined;

  constructor(parts: ClientParts, target: ProduceTarget, config: ConfluentConfig) {
    this.#parts = parts;
    this.#target = target;
    this.#config = config;
    for (const name of Object.keys(REFUSED)) {
      Object.defineProperty(this, name, { value: refusing(`producer.${name}()`, NOT_MODELLED) });
    }
  }

  get isOpen(): boolean {
    return this.#state === "connected" || this.#state === "disconnecting";
  }

  async connect(): Promise<void> {
    if (this.#state !== "new") throw stateError("Connect has already been called elsewhere.");
    this.#state = "connecting";
    this.#settings = settingsToConnect(producerSettings, this.#config, (why) => {
      this.#state = why === "values together" ? "disconnected" : "broken";
    });
    const { port, host } = this.#parts;
    try {
      await retried(port, {}, () => request(port, "broker.session", host, () => undefined));
    } catch (error) {
      this.#state = "disconnected";
      throw confluentErrorFrom((error as Error).cause ?? error);
    }
    if (!this.#isConnecting) return await throwsUncaught(port);
    this.#state = "connected";
  }

  /** False if it was disconnected meanwhile. */
  get #isConnecting(): boolean {
    return this.#state === "connecting";
  }

  /** Waits for what is under way, for five seconds at most. */
  async disconnect(): Promise<void> {
    const before = this.#state;
    if (before !== "connecting" && before !== "broken" && before !== "connected") return;
    this.#state = "disconnecting";
    if (before === "broken") throw withoutClient("disconnect");
    if (before === "connecting") throw new Error("Producer not connected");
    await this.#flushed(DISCONNECT_MS);
    this.#state = "disconnected";
  }

  /**
   * Resolves when all messages are durable, with one entry for each partition.
   *
   * @throws {KafkaJSError} when one was not delivered; the others may have been
   */
  async send(record: ConfluentProducerRecord): Promise<RecordMetadata[]> {
    this.#assertConnected("send");
    assertRecord(record, "send");
    const { topic, messages } = record;
    // A caller without types may give no list: the library counts up to its length.
    const sent: Sent[] = [];
    try {
      for (let at = 0; at < messages.length; at += 1) sent.push(changed(messages[at] as Sent));
    } catch (error) {
      // Those before one that is none are under way.
      for (const one of this.#produce(topic, sent)) void one.catch(() => undefined);
      throw error;
    }
    const results = await Promise.all(this.#produce(topic, sent));
    const found = new Map<number, RecordMetadata>();
    for (const result of results.flat()) {
      if (!found.has(result.partition)) found.set(result.partition, result);
    }
    return [...found.values()];
  }

  /** Sends messages to several topics, as `send` does. */
  async sendBatch(batch: ConfluentProducerBatch): Promise<RecordMetadata[]> {
    this.#assertConnected("sendBatch");
    assertRecord(batch, "sendBatch");
    const { topicMessages } = batch;
    if (topicMessages !== null && !Array.isArray(topicMessages)) {
      throw argumentError("The argument passed to sendbatch must contain 'topicMessages'.");
    }
    const sent = await Promise.all((topicMessages ?? []).map((one) => this.send(one)));
    return sent.flat();
  }

  /** @throws {KafkaJSTimeout} when messages are still under way after so long */
  async flush(
    options: { readonly timeout?: number } = { timeout: FLUSH_MS_DEFAULT },
  ): Promise<void> {
    this.#assertConnected("flush");
    if (!Object.hasOwn(options, "timeout")) throw argumentError("timeout must be set for flushing");
    const timeout = options.timeout ?? FLUSH_MS_DEFAULT;
    if (typeof timeout !== "number") throw new Error("Need to specify a timeout and a callback");
    const isDone = await this.#flushed(timeout);
    if (!isDone) throw new ConfluentError("Local: Timed out", "ERR__TIMED_OUT");
  }

  /** An admin client that shares this producer's connection. */
  dependentAdmin(): ConfluentAdmin {
    return new ConfluentAdmin(this.#parts, {}, () => this.isOpen);
  }

  logger(): ConfluentLogger {
    return this.#logger;
  }

  #assertConnected(call: string): void {
    if (this.#state === "connected") return;
    throw stateError(`Cannot ${call} without awaiting connect()`);
  }

  /** The broker refuses a name that is none; from then on the library knows, and asks no more. */
  #noTopic(topic: string): Error {
    if (this.#noTopics.has(topic)) {
      return new LibrdKafkaError("ERR__UNKNOWN_TOPIC", "Local: Unknown topic");
    }
    this.#noTopics.add(topic);
    return confluentErrorFrom(new KafkaJSProtocolError("INVALID_TOPIC_EXCEPTION"));
  }

  /** Queues messages; those of one partition go in one request. */
  #produce(topic: string, messages: readonly Sent[]): Promise<RecordMetadata[]>[] {
    // The library looks at the topic of each message.
    if (messages.length === 0) return [];
    if (typeof topic !== "string" || topic === "") {
      return [Promise.reject(new TypeError('"topic" must be a string'))];
    }
    if (!isTopicName(topic)) return [Promise.reject(this.#noTopic(topic))];
    const { isMurmur } = this.#settings as ProducerSettings;
    const count = this.#target.partitionsOf(topic);
    const choose = confluentPartitioner(isMurmur, count, () =>
      this.#parts.port.choices("data").choose(count, "partition"),
    );
    const { "message.max.bytes": given = MESSAGE_BYTES_MAX } = this.#config as Limits;
    const bytesMax = Number(given);
    const chosen = new Map<number, ProducedMessage[]>();
    const refusals: Error[] = [];
    for (const message of messages) {
      const refusal = refusalOf(message, bytesMax);
      if (refusal !== undefined) refusals.push(refusal.error);
      if (refusal?.isSent === false) continue;
      const stored = storable(message);
      const partition = choose({ ...stored, partition: (message.partition as number) | 0 });
      const others = chosen.get(partition) ?? [];
      chosen.set(partition, [...others, stored]);
    }
    const sent = [...chosen].map(([partition, group]) => {
      if (partition < count) return this.#queue(topic, partition, group);
      const message = "Local: Unknown partition";
      return Promise.reject(new LibrdKafkaError("ERR__UNKNOWN_PARTITION", message));
    });
    const [refused] = refusals;
    if (refused !== undefined) sent.unshift(Promise.reject(refused));
    return sent;
  }

  #queue(
    topic: string,
    partition: number,
    messages: readonly ProducedMessage[],
  ): Promise<RecordMetadata[]> {
    const place = `${topic}/${partition}`;
    const before = this.#queues.get(place) ?? Promise.resolve();
    const sent = before.then(() => this.#deliver(topic, partition, messages));
    const settled = sent.catch(() => undefined);
    this.#queues.set(place, settled);
    return sent.then((result) => [result]);
  }

  async #deliver(
    topic: string,
    partition: number,
    messages: readonly ProducedMessage[],
  ): Promise<RecordMetadata> {
    const { port, host } = this.#parts;
    const settings = this.#settings as ProducerSettings;
    const append = (): RecordMetadata => this.#target.append(topic, partition, messages);
    const first = once(append);
    const until = port.clock.now() + settings.timeoutMs;
    let waitMs = settings.firstRetryMs;
    for (let retries = 0; ;) {
      const effect = settings.isIdempotent ? first : once(append);
      try {
        const result = await request(port, "broker.produce", host, effect);
        return { ...result, logStartOffset: "0" };
      } catch (error) {
        if (isProtocolError(error)) throw confluentErrorFrom(error);
        const isOver = port.clock.now() >= until;
        if (isOver) throw new ConfluentError("Local: Message timed out", "ERR__MSG_TIMED_OUT");
        // A cluster that cannot be reached has not been tried.
        if (!isRefused(error)) retries += 1;
        if (retries > settings.retries) throw deliveryError(error);
      }
      await pause(port, waitMs);
      waitMs = Math.min(waitMs * 2, settings.retryMaxMs);
    }
  }

  /** Returns whether nothing is under way any more, after `ms` at most. */
  async #flushed(ms: number): Promise<boolean> {
    let isDone = false;
    const all = Promise.all(this.#queues.values()).then(() => {
      isDone = true;
    });
    await Promise.race([all, pause(this.#parts.port, ms)]);
    return isDone;
  }
}

/** What becomes of a message when it is sent: its headers are a list then. */
function changed(message: Sent): Sent {
  message.partition ??= -1;
  if (typeof message.value === "string") message.value = utf8Bytes(message.value);
  const { timestamp } = message;
  message.timestamp = timestamp === undefined || timestamp === "" ? 0 : Number(timestamp);
  message.headers = headerList(message.headers as KafkaHeaders | null | undefined);
  return message;
}

type HeaderList = readonly Readonly<Record<string, unknown>>[];

function headerList(headers: KafkaHeaders | null | undefined): HeaderList | null {
  if (headers === null || headers === undefined) return null;
  return Object.entries(headers).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => ({ [name]: one })) : [{ [name]: value }],
  );
}

/** Why the library refuses a message; one with a wrong header it sends nevertheless. */
function refusalOf(
  { key, value, headers }: Sent,
  bytesMax: number,
): { readonly error: Error; readonly isSent: boolean } | undefined {
  if (value !== null && !ArrayBuffer.isView(value)) {
    return { error: new Error("Message must be a buffer or null"), isSent: false };
  }
  const list = (headers ?? []) as HeaderList;
  if (sizeOf(storableKey(key), value, list) > bytesMax) {
    const message = "Broker: Message size too large";
    return { error: new LibrdKafkaError("ERR_MSG_SIZE_TOO_LARGE", message), isSent: false };
  }
  const values = list.flatMap((header) => Object.values(header));
  // The error of a wrong header is lost where others follow.
  if (values.length === 0 || isHeaderValue(values.at(-1))) return undefined;
  return { error: new Error("Header value must be a string or buffer"), isSent: true };
}

/** What a message takes at most on its way, as librdkafka reckons before it sends it. */
function sizeOf(key: unknown, value: ArrayBufferView | null, headers: HeaderList): number {
  const named = headers.flatMap((header) => Object.entries(header).flat());
  const ofHeaders = named.map((one) => lengthOf(one) + varintLength(lengthOf(one)));
  const sum = ofHeaders.reduce((before, length) => before + length, 0);
  return OVERHEAD_BYTES + lengthOf(key) + (value?.byteLength ?? 0) + sum;
}

function lengthOf(part: unknown): number {
  if (ArrayBuffer.isView(part)) return part.byteLength;
  return typeof part === "string" ? utf8Bytes(part).length : 0;
}

/** How many bytes a length is written with, seven bits in each and one of them for the sign. */
function varintLength(length: number): number {
  return Math.ceil(Math.max(1, (length * 2).toString(2).length) / 7);
}

function isHeaderValue(value: unknown): boolean {
  return typeof value === "string" || ArrayBuffer.isView(value);
}

/** The library has every other key as its text. */
function storableKey(key: unknown): unknown {
  const isKept = key === null || key === undefined || ArrayBuffer.isView(key);
  // oxlint-disable-next-line typescript/no-base-to-string
  return isKept ? key : String(key);
}

/** As the log keeps it: without what no header can be. */
function storable({ key, value, headers, timestamp }: Sent): ProducedMessage {
  const named = new Map<string, unknown[]>();
  for (const header of (headers ?? []) as HeaderList) {
    for (const [name, one] of Object.entries(header)) {
      if (isHeaderValue(one)) named.set(name, [...(named.get(name) ?? []), one]);
    }
  }
  const shown = Object.fromEntries(
    [...named].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
  return {
    ...{ key: storableKey(key), value, headers: shown as KafkaHeaders },
    ...(timestamp === 0 ? {} : { timestamp: String(timestamp) }),
  } as ProducedMessage;
}

function assertRecord(given: unknown, call: string): void {
  if (!(given instanceof Object)) {
    throw argumentError(`The argument passed to ${call} must be an object.`);
  }
  const misplaced = MISPLACED.find((name) => name in given);
  if (misplaced === undefined) return;
  throw argumentError(
    `'${misplaced}' is not supported as a property to '${call}', but must be passed to the producer during creation.`,
  );
}

/** Whether the broker's host could not be reached at all. */
function isRefused(error: unknown): boolean {
  return (
    ((error as Error).cause as { readonly name?: unknown } | undefined)?.name ===
    "ConnectionRefused"
  );
}

function deliveryError(error: unknown): ConfluentError {
  const found = confluentErrorFrom(error);
  if (found.type !== "ERR__TIMED_OUT") return found;
  return new ConfluentError("Local: Message timed out", "ERR__MSG_TIMED_OUT");
}
