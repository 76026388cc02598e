import { recordText } from "../record-text.ts";
import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { World } from "../../kernel/world.ts";
import type { LeasedDelivery } from "../lease.ts";
import { LeasedQueue } from "../leased-queue.ts";
import { NO_EFFECT } from "../settlement-log.ts";
import { NotModelled } from "../not-modelled.ts";
import { Refusal } from "../refusal.ts";
import { nameIn, SqsAddresses, type SqsNames } from "./sqs-addresses.ts";
import { attributesAskedFor, md5OfAttributes } from "./sqs-attributes.ts";
import { attributesOf, urlOf } from "./sqs-queue-facts.ts";
import type {
  BatchInput,
  MessageAttributes,
  QueueAttributesInput,
  QueueNameInput,
  ReceiveInput,
  SendInput,
  SettleInput,
  SqsBatchResult,
  SqsMessage,
} from "./sqs-commands.ts";
import { SqsServiceError } from "./sqs-error.ts";
import {
  accessDenied,
  assertWithin,
  BATCH_MAX,
  brokenBatch,
  internalError,
  invalidHandle,
  missing,
  outOfRange,
  sequenceText,
  uuidFrom,
} from "./sqs-refusals.ts";
import { batchRefusal, noDeduplicationId, sendRefusal } from "./sqs-send.ts";

export interface SqsQueueOptions extends SqsNames {
  readonly isFifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number | undefined;
  /** How long renewals can keep a message in flight: 12 hours in SQS. */
  readonly inFlightSecondsMax: number;
}

const WAIT_SECONDS_MAX = 20;
const VISIBILITY_SECONDS_MAX = 43_200;
/** A FIFO queue takes a message of one id once in so long. */
const DEDUPLICATION_MS = 300_000;

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
  /** While it is on, the account may neither receive nor settle. */
  readonly denial: Refusal;
  readonly #options: SqsQueueOptions;
  readonly #world: World;
  readonly #firstReceives = new Map<number, number>();
  readonly #addresses: SqsAddresses;
  #sent = 0;
  /** What was sent to a FIFO queue, by its deduplication id. */
  readonly #sentOnce = new Map<string, { readonly sent: SqsSent; readonly until: number }>();
  /**
   * How many of the next batch entries are refused; set by a disturbance. Of a batch these are the
   * last ones, and half of it at most: an answer's place in its list does not say what it is about.
   */
  entriesToRefuse = 0;

  constructor(world: World, host: string, options: SqsQueueOptions) {
    this.refusal = new Refusal(world);
    this.denial = new Refusal(world);
    this.#world = world;
    this.#options = options;
    this.#addresses = new SqsAddresses(options);
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
    this.#assertSource(input.QueueUrl, "receive");
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
      this.#messageFrom(delivery, asked, input.MessageAttributeNames ?? []),
    );
  }

  delete(consumer: string, input: SettleInput): void {
    this.#assertSource(input.QueueUrl, "delete");
    const error = this.#deleteOne(consumer, input, "InvalidParameterValue");
    if (error !== undefined) throw error;
  }

  changeVisibility(consumer: string, input: SettleInput): void {
    this.#assertSource(input.QueueUrl, "change");
    const error = this.#changeOne(consumer, input);
    if (error !== undefined) throw error;
  }

  deleteBatch(consumer: string, input: BatchInput<SettleInput>): SqsBatchResult {
    this.#assertSource(input.QueueUrl, "delete");
    const tracer = this.#refuser(consumer, "ack");
    return this.#eachOf(input, "DeleteMessageBatch", tracer, (entry) =>
      this.#deleteOne(consumer, entry, "ReceiptHandleIsInvalid"),
    );
  }

  changeVisibilityBatch(consumer: string, input: BatchInput<SettleInput>): SqsBatchResult {
    this.#assertSource(input.QueueUrl, "change");
    const tracer = this.#refuser(consumer, "extend");
    return this.#eachOf(input, "ChangeMessageVisibilityBatch", tracer, (entry) =>
      this.#changeOne(consumer, entry),
    );
  }

  /**
   * Sends a message: to the queue itself, whose receivers get it, or to another one, where it is a
   * dead letter if it contains a record's ref.
   */
  send(input: SendInput): SqsSent {
    const error = this.#sendRefusal(input.QueueUrl, input);
    if (error !== undefined) throw error;
    return this.#sentFrom(input.QueueUrl, input);
  }

  sendBatch(input: BatchInput<SendInput>): SqsBatchResult {
    const error = batchRefusal(input.Entries ?? []);
    if (error !== undefined) throw error;
    return this.#eachOf(
      input,
      "SendMessageBatch",
      () => undefined,
      (entry) => this.#sendRefusal(input.QueueUrl, entry),
      (entry) => this.#sentFrom(input.QueueUrl, entry),
    );
  }

  queueUrl({ QueueName: name }: QueueNameInput): { readonly QueueUrl: string } {
    if (name === undefined) throw missing("QueueName");
    this.#addresses.assertThere(name);
    return { QueueUrl: urlOf(name) };
  }

  /** @throws {NotModelled} for another queue than the one that is received from */
  attributes(input: QueueAttributesInput): object {
    const { QueueUrl: url, AttributeNames: asked = [] } = input;
    if (url === undefined) throw missing("QueueUrl");
    this.#addresses.assertThere(nameIn(url));
    if (this.#addresses.isAnother(url)) {
      throw new NotModelled("GetQueueAttributes of another queue", "brokers.sqs");
    }
    const Attributes = attributesOf(
      {
        ...this.#options,
        name: nameIn(url),
        createdMs: this.#world.epochMs,
        counts: this.leases.counts(),
      },
      asked,
    );
    return Attributes === undefined ? {} : { Attributes };
  }

  #assertSource(url: string | undefined, act: "receive" | "delete" | "change"): void {
    this.#addresses.assertSource(url, act);
    if (this.denial.isOn) throw accessDenied();
  }

  #deleteOne(
    consumer: string,
    { ReceiptHandle: handle }: SettleInput,
    expired: string,
  ): SqsServiceError | undefined {
    if (handle === undefined) return this.#refused(consumer, "", "ack", missing("ReceiptHandle"));
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
    { ReceiptHandle: handle, VisibilityTimeout: seconds }: SettleInput,
  ): SqsServiceError | undefined {
    const act = seconds === 0 ? "nack" : "extend";
    const refused = (error: SqsServiceError) => this.#refused(consumer, handle ?? "", act, error);
    if (handle === undefined) return refused(missing("ReceiptHandle"));
    if (seconds === undefined) return refused(missing("VisibilityTimeout"));
    const state = this.leases.stateOf(handle);
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

  #sendRefusal(url: string | undefined, input: SendInput): SqsServiceError | undefined {
    const isSource = this.#addresses.isSource(url);
    const refusal = sendRefusal(url?.endsWith(".fifo") === true, input);
    if (refusal !== undefined) return refusal;
    if (isSource && this.#options.isFifo && input.MessageDeduplicationId === undefined) {
      return noDeduplicationId();
    }
    if (!isSource && this.refusal.isOn) {
      return new SqsServiceError("KmsAccessDenied", "The caller may not use the queue's key");
    }
    return undefined;
  }

  #sentFrom(url: string | undefined, input: SendInput): SqsSent {
    const { MessageBody: body = "", MessageAttributes: attributes = {} } = input;
    const { MessageGroupId: key = "", MessageDeduplicationId: once } = input;
    const known = once === undefined ? undefined : this.#sentOnce.get(once);
    const isSource = this.#addresses.isSource(url);
    if (isSource && known !== undefined && known.until > this.#world.now) {
      // The SDK compares the sum with what it has sent.
      return { ...known.sent, MD5OfMessageBody: md5Of(body) };
    }
    this.#sent += 1;
    const hasAttributes = Object.keys(attributes).length > 0;
    const sent = {
      MessageId: uuidFrom("1", this.#sent),
      MD5OfMessageBody: md5Of(body),
      ...(hasAttributes ? { MD5OfMessageAttributes: md5OfAttributes(attributes) } : {}),
    };
    if (!isSource) {
      this.#addresses.sentTo(url ?? "");
      this.leases.deadLettered(body + JSON.stringify(attributes));
      return sent;
    }
    const content: SentContent = { body, attributes, messageId: sent.MessageId, once };
    const delayMs = (input.DelaySeconds ?? 0) * 1_000;
    const sequence = this.leases.send({ key, content, text: body, delayMs });
    if (!this.#options.isFifo) return sent;
    const numbered = { ...sent, SequenceNumber: sequenceText(sequence) };
    const until = this.#world.now + DEDUPLICATION_MS;
    if (once !== undefined) this.#sentOnce.set(once, { sent: numbered, until });
    return numbered;
  }

  #eachOf<Entry extends { readonly Id?: string }>(
    { Entries: entries = [] }: BatchInput<Entry>,
    command: string,
    traceRefused: (entry: Entry, refused: string) => void,
    act: (entry: Entry) => SqsServiceError | undefined,
    resultOf: (entry: Entry) => Partial<SqsSent> = () => ({}),
  ): SqsBatchResult {
    const broken = brokenBatch(entries, command);
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

  #messageFrom(
    delivery: LeasedDelivery,
    asked: ReadonlySet<string>,
    askedOfMessage: readonly string[],
  ): SqsMessage {
    const { ref, key, sequence, handle, deliveries, publishedAt } = delivery;
    const sent = delivery.content as SentContent | undefined;
    const firstAt = this.#firstReceives.get(sequence) ?? this.#world.now;
    this.#firstReceives.set(sequence, firstAt);
    const body = sent?.body ?? recordText(delivery);
    const own = attributesAskedFor(sent?.attributes ?? {}, askedOfMessage);
    const all: readonly (readonly [string, string])[] = [
      ["ApproximateReceiveCount", String(deliveries)],
      ["ApproximateFirstReceiveTimestamp", String(this.#world.epochMs + firstAt)],
      ["SentTimestamp", String(this.#world.epochMs + publishedAt)],
      ["SenderId", SENDER],
      ...(this.#options.isFifo
        ? ([
            ["MessageGroupId", key],
            ["MessageDeduplicationId", sent?.once ?? ref],
            ["SequenceNumber", sequenceText(sequence)],
          ] as const)
        : []),
    ];
    const attributes = all.filter(([name]) => asked.has("All") || asked.has(name));
    return {
      MessageId: sent?.messageId ?? uuidFrom("0", sequence),
      ReceiptHandle: handle,
      MD5OfBody: md5Of(body),
      Body: body,
      ...(attributes.length === 0 ? {} : { Attributes: Object.fromEntries(attributes) }),
      ...(Object.keys(own).length > 0
        ? { MD5OfMessageAttributes: md5OfAttributes(own), MessageAttributes: own }
        : {}),
    };
  }
}

/** What `SendMessage` says of a message. */
interface SqsSent {
  readonly MessageId: string;
  readonly MD5OfMessageBody: string;
  readonly MD5OfMessageAttributes?: string;
  readonly SequenceNumber?: string;
}

/** What the receiver of a message gets that a client has sent. */
interface SentContent {
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly messageId: string;
  readonly once: string | undefined;
}

function md5Of(text: string): string {
  return bytesToHex(md5(utf8ToBytes(text)));
}
