import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { World } from "../../kernel/world.ts";
import type { LeasedDelivery } from "../lease.ts";
import { LeasedQueue } from "../leased-queue.ts";
import { NO_EFFECT } from "../settlement-log.ts";
import { NotModelled } from "../not-modelled.ts";
import { Refusal } from "../refusal.ts";
import type {
  BatchInput,
  ReceiveInput,
  SendInput,
  SettleInput,
  SqsBatchResult,
  SqsMessage,
} from "./sqs-commands.ts";
import { SqsServiceError } from "./sqs-error.ts";
import { missing, sendRefusal } from "./sqs-send.ts";

export interface SqsQueueOptions {
  readonly isFifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number | undefined;
  /** How long renewals can keep a message in flight: 12 hours in SQS. */
  readonly inFlightSecondsMax: number;
}

const BATCH_MAX = 10;
const WAIT_SECONDS_MAX = 20;
const VISIBILITY_SECONDS_MAX = 43_200;
const BATCH_ID = /^[\w-]{1,80}$/;

/** Who has sent the records of the workload. */
const SENDER = "AIDAFAULTLANEWORKLOAD";

/**
 * The server side of one queue: the effect of each request at the instant when it arrives.
 *
 * Holds:
 * - a standard queue accepts a delete with an outdated receipt handle, without effect;
 * - a FIFO queue refuses a delete after the visibility timeout has ended;
 * - a visibility timeout cannot exceed the maximum time in flight, counted from the receive.
 */
export class SqsQueue {
  readonly leases: LeasedQueue;
  readonly refusal: Refusal;
  readonly #options: SqsQueueOptions;
  readonly #world: World;
  readonly #firstReceives = new Map<string, number>();
  #url: string | undefined;
  #sent = 0;
  /**
   * How many of the next batch entries are refused; set by a disturbance. Of a batch these are the
   * last ones, and half of it at most: an answer's place in its list does not say what it is about.
   */
  entriesToRefuse = 0;

  constructor(world: World, host: string, options: SqsQueueOptions) {
    this.refusal = new Refusal(world);
    this.#world = world;
    this.#options = options;
    this.leases = new LeasedQueue(world, host, {
      order: options.isFifo ? "group" : "none",
      deliveriesMax: options.maxReceiveCount,
    });
  }

  /**
   * Leases messages; if it `lies`, the first comes with the receipt handle of another queue's, which
   * no client library could notice: it checks the body only.
   *
   * @throws {SqsServiceError} `InvalidParameterValue` for numbers out of range,
   *   `QueueDoesNotExist` for another queue than the first that was read
   */
  receive(consumer: string, input: ReceiveInput, lies: boolean): readonly SqsMessage[] {
    this.#isSource(input.QueueUrl, "receive");
    const count = input.MaxNumberOfMessages ?? 1;
    assertWithin("MaxNumberOfMessages", count, 1, BATCH_MAX);
    assertWithin("WaitTimeSeconds", input.WaitTimeSeconds ?? 0, 0, WAIT_SECONDS_MAX);
    const seconds = input.VisibilityTimeout ?? this.#options.visibilityTimeoutSeconds;
    assertWithin("VisibilityTimeout", seconds, 0, VISIBILITY_SECONDS_MAX);
    const asked = new Set([
      ...(input.MessageSystemAttributeNames ?? []),
      ...(input.AttributeNames ?? []),
    ]);
    const taken = this.leases.take(consumer, count, seconds * 1_000);
    return (lies ? this.leases.misnamed(taken) : taken).map((delivery) =>
      this.#messageFrom(delivery, asked),
    );
  }

  delete(consumer: string, input: SettleInput): void {
    this.#isSource(input.QueueUrl, "delete");
    const error = this.#deleteOne(consumer, input, "InvalidParameterValue");
    if (error !== undefined) throw error;
  }

  changeVisibility(consumer: string, input: SettleInput): void {
    this.#isSource(input.QueueUrl, "change");
    const error = this.#changeOne(consumer, input);
    if (error !== undefined) throw error;
  }

  deleteBatch(consumer: string, input: BatchInput<SettleInput>): SqsBatchResult {
    this.#isSource(input.QueueUrl, "delete");
    const tracer = this.#refuser(consumer, "ack");
    return this.#eachOf(input, tracer, (entry) =>
      this.#deleteOne(consumer, entry, "ReceiptHandleIsInvalid"),
    );
  }

  changeVisibilityBatch(consumer: string, input: BatchInput<SettleInput>): SqsBatchResult {
    this.#isSource(input.QueueUrl, "change");
    const tracer = this.#refuser(consumer, "extend");
    return this.#eachOf(input, tracer, (entry) => this.#changeOne(consumer, entry));
  }

  /** Sends a message to another queue; it is a dead letter if it contains a record's ref. */
  send(input: SendInput): SqsSent {
    const error = this.#sendOne(input.QueueUrl, input);
    if (error !== undefined) throw error;
    return this.#sentFrom(input);
  }

  sendBatch(input: BatchInput<SendInput>): SqsBatchResult {
    return this.#eachOf(
      input,
      () => undefined,
      (entry) => this.#sendOne(input.QueueUrl, entry),
      (entry) => this.#sentFrom(entry),
    );
  }

  #deleteOne(
    consumer: string,
    { ReceiptHandle: handle = "" }: SettleInput,
    expired: string,
  ): SqsServiceError | undefined {
    const state = this.leases.stateOf(handle);
    const isOld = state === "stale" || (this.#options.isFifo && state === "lapsed");
    if (state === "unknown") return this.#refused(consumer, handle, "ack", invalidHandle(handle));
    if (isOld && this.#options.isFifo) {
      const message = `Value ${handle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`;
      return this.#refused(consumer, handle, "ack", new SqsServiceError(expired, message));
    }
    const hasEffect = state === "held" || state === "lapsed";
    this.leases.traceSettle(consumer, handle, "ack", hasEffect ? "" : NO_EFFECT);
    if (hasEffect) this.leases.settle(consumer, handle);
    return undefined;
  }

  #changeOne(
    consumer: string,
    { ReceiptHandle: handle = "", VisibilityTimeout: seconds = Number.NaN }: SettleInput,
  ): SqsServiceError | undefined {
    const act = seconds === 0 ? "nack" : "extend";
    const state = this.leases.stateOf(handle);
    const refused = (error: SqsServiceError) => this.#refused(consumer, handle, act, error);
    if (!(seconds >= 0 && seconds <= VISIBILITY_SECONDS_MAX)) {
      return refused(outOfRange("VisibilityTimeout", seconds, 0, VISIBILITY_SECONDS_MAX));
    }
    if (state === "unknown") return refused(invalidHandle(handle));
    if (state === "lapsed") {
      return refused(new SqsServiceError("MessageNotInflight", `${handle} is not in flight`));
    }
    if (state !== "held") {
      const message = `Value ${handle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`;
      return refused(new SqsServiceError("InvalidParameterValue", message));
    }
    const max = this.#options.inFlightSecondsMax;
    const inFlightMs = this.#world.now - (this.leases.leasedSince(handle) ?? 0);
    if (inFlightMs + seconds * 1_000 > max * 1_000) {
      const message = `Total VisibilityTimeout for the message is beyond the limit [${max} seconds]`;
      return refused(new SqsServiceError("InvalidParameterValue", message));
    }
    this.leases.traceSettle(consumer, handle, act);
    this.leases.extend(handle, seconds * 1_000);
    return undefined;
  }

  #sendOne(url: string | undefined, input: SendInput): SqsServiceError | undefined {
    if (this.#isSource(url, "send")) {
      throw new NotModelled("sending to the queue that is received from", "brokers.sqs");
    }
    const refusal = sendRefusal(url?.endsWith(".fifo") === true, input);
    if (refusal !== undefined) return refusal;
    if (this.refusal.isOn) {
      return new SqsServiceError("KmsAccessDenied", "The caller may not use the queue's key");
    }
    const text = input.MessageBody + JSON.stringify(input.MessageAttributes ?? {});
    this.leases.deadLettered(text);
    return undefined;
  }

  #eachOf<Entry extends { readonly Id?: string }>(
    { Entries: entries = [] }: BatchInput<Entry>,
    traceRefused: (entry: Entry, refused: string) => void,
    act: (entry: Entry) => SqsServiceError | undefined,
    resultOf: (entry: Entry) => Partial<SqsSent> = () => ({}),
  ): SqsBatchResult {
    const broken = brokenBatch(entries);
    if (broken !== undefined) {
      for (const entry of entries) traceRefused(entry, broken.name);
      throw broken;
    }
    const result: SqsBatchResult = { Successful: [], Failed: [] };
    const taken = entries.length - Math.min(this.entriesToRefuse, Math.ceil(entries.length / 2));
    for (const [at, entry] of entries.entries()) {
      const { Id = "" } = entry;
      let error: SqsServiceError | undefined;
      if (at >= taken) {
        this.entriesToRefuse -= 1;
        error = internalError();
        traceRefused(entry, error.name);
      } else {
        error = act(entry);
      }
      if (error === undefined) {
        result.Successful.push({ Id, ...resultOf(entry) });
      } else {
        const { name: Code, message: Message, $fault } = error;
        result.Failed.push({ Id, Code, Message, SenderFault: $fault === "client" });
      }
    }
    return result;
  }

  #refuser(consumer: string, act: "ack" | "extend") {
    return ({ ReceiptHandle = "" }: SettleInput, refused: string): void =>
      this.leases.traceSettle(consumer, ReceiptHandle, act, refused);
  }

  #refused(
    consumer: string,
    handle: string,
    act: "ack" | "nack" | "extend",
    error: SqsServiceError,
  ): SqsServiceError {
    this.leases.traceSettle(consumer, handle, act, error.name);
    return error;
  }

  /** Whether the URL is that of the model's queue: the one that is received from first. */
  #isSource(url: string | undefined, act: "receive" | "delete" | "change" | "send"): boolean {
    if (url === undefined) throw missing("QueueUrl");
    if (act === "send") return url === this.#url;
    if (act === "receive") this.#url ??= url;
    if (url === this.#url) return true;
    throw new SqsServiceError("QueueDoesNotExist", "The specified queue does not exist.");
  }

  #messageFrom(delivery: LeasedDelivery, asked: ReadonlySet<string>): SqsMessage {
    const { ref, key, sequence, handle, deliveries, publishedAt } = delivery;
    const firstAt = this.#firstReceives.get(ref) ?? this.#world.now;
    this.#firstReceives.set(ref, firstAt);
    const body = JSON.stringify({ ref, key });
    const all: readonly (readonly [string, string])[] = [
      ["ApproximateReceiveCount", String(deliveries)],
      ["ApproximateFirstReceiveTimestamp", String(this.#world.epochMs + firstAt)],
      ["SentTimestamp", String(this.#world.epochMs + publishedAt)],
      ["SenderId", SENDER],
      ...(this.#options.isFifo
        ? ([
            ["MessageGroupId", key],
            ["MessageDeduplicationId", ref],
            ["SequenceNumber", String(sequence).padStart(20, "0")],
          ] as const)
        : []),
    ];
    const attributes = all.filter(([name]) => asked.has("All") || asked.has(name));
    return {
      MessageId: uuidFrom("0", sequence),
      ReceiptHandle: handle,
      MD5OfBody: md5Of(body),
      Body: body,
      ...(attributes.length === 0 ? {} : { Attributes: Object.fromEntries(attributes) }),
    };
  }

  #sentFrom({ MessageBody: body = "" }: SendInput): SqsSent {
    this.#sent += 1;
    return { MessageId: uuidFrom("1", this.#sent), MD5OfMessageBody: md5Of(body) };
  }
}

/** What `SendMessage` says of a message. */
interface SqsSent {
  readonly MessageId: string;
  readonly MD5OfMessageBody: string;
}

/** The error of a batch entry that a disturbance refuses. */
function internalError(): SqsServiceError {
  return new SqsServiceError("InternalError", "We encountered an internal error", "server");
}

function md5Of(text: string): string {
  return bytesToHex(md5(utf8ToBytes(text)));
}

function brokenBatch(entries: readonly { readonly Id?: string }[]): SqsServiceError | undefined {
  if (entries.length === 0) {
    return new SqsServiceError("EmptyBatchRequest", "There should be at least one entry");
  }
  if (entries.length > BATCH_MAX) {
    const message = `Maximum number of entries per request are ${BATCH_MAX}. You have sent ${entries.length}.`;
    return new SqsServiceError("TooManyEntriesInBatchRequest", message);
  }
  const ids = entries.map(({ Id = "" }) => Id);
  if (new Set(ids).size < ids.length) {
    return new SqsServiceError("BatchEntryIdsNotDistinct", "Two entries have the same Id");
  }
  return ids.every((id) => BATCH_ID.test(id))
    ? undefined
    : new SqsServiceError("InvalidBatchEntryId", "An Id holds letters, digits, - and _ only");
}

function assertWithin(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value)) {
    const type = typeof value === "string" ? "STRING_VALUE" : "DECIMAL_VALUE";
    const message = `${type} can not be converted to an Integer`;
    throw new SqsServiceError("SerializationException", message);
  }
  if (!(value >= min && value <= max)) throw outOfRange(name, value, min, max);
}

function outOfRange(name: string, value: number, min: number, max: number): SqsServiceError {
  const message = `Value ${value} for parameter ${name} is invalid. Reason: Must be between ${min} and ${max}.`;
  return new SqsServiceError("InvalidParameterValue", message);
}

function invalidHandle(handle: string): SqsServiceError {
  const message = `The input receipt handle "${handle}" is not a valid receipt handle.`;
  return new SqsServiceError("ReceiptHandleIsInvalid", message);
}

function uuidFrom(space: "0" | "1", count: number): string {
  return `${space}0000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
}
