import { AwsMiddlewareStack } from "../aws-middleware-stack.ts";
import { readInput, WrongType } from "../aws-reading.ts";
import { AwsRequests, type AwsSend, awsSendOf, requestAborted } from "../aws-request.ts";
import { OF_REPLIES, withoutNull, writtenInput } from "../aws-shape.ts";
import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { untilAborted } from "../library-call.ts";
import { adoptClientClass } from "../library-clients.ts";
import { assertModelled, NotModelled } from "../not-modelled.ts";
import {
  type BatchInput,
  FIELDS,
  type ReceiveInput,
  type SendInput,
  type SettleInput,
  type SqsCommandName,
  type SqsMessage,
} from "./sqs-commands.ts";
import { sqsErrorFrom, SqsServiceError } from "./sqs-error.ts";
import type { SqsQueue } from "./sqs-queue.ts";

const SEE = "brokers.sqs";
/**
 * The client of an SQS queue, with the interface of `SQSClient` of `@aws-sdk/client-sqs`.
 *
 * `send` accepts `ReceiveMessageCommand`, `GetQueueUrlCommand` and `GetQueueAttributesCommand`, and
 * `DeleteMessageCommand`, `SendMessageCommand` and `ChangeMessageVisibilityCommand`, each also in its
 * batch form. What is sent to another queue than the one that is received from is a dead letter.
 * Types, defaults and errors are those of `@aws-sdk/client-sqs` 3. Middleware runs up to the step
 * "build"; `config` is refused by name when it is used: let your producer take a
 * `Pick<SQSClient, "send" | "destroy">`, which both are.
 *
 * @example A producer gets it from `checkProducer`
 * ```ts
 * import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
 * import type { SqsClient } from "faultlane/check";
 *
 * function receive(client: SqsClient) {
 *   return client.send(new ReceiveMessageCommand({ QueueUrl: "orders", WaitTimeSeconds: 20 }));
 * }
 * console.log(receive.length); // => 1
 * ```
 */
export class SqsClient {
  static {
    Object.defineProperty(this, "name", { value: "SQSClient" });
  }

  readonly #port: ClientPort;
  readonly #queue: SqsQueue;
  readonly #consumer: string;
  readonly #requests: AwsRequests;
  /**
   * Sends a command of the SDK.
   *
   * @internal
   */
  readonly send: AwsSend;
  /**
   * What runs around each command, up to the step "build".
   *
   * @internal
   */
  readonly middlewareStack: AwsMiddlewareStack = new AwsMiddlewareStack(SEE, {
    hostname: "sqs.amazonaws.com",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amzn-query-mode": "true" },
    target: "AmazonSQS",
  });
  #receiving = 0;

  /** @internal */
  constructor(port: ClientPort, host: string, queue: SqsQueue, consumer: string) {
    this.#port = port;
    this.#queue = queue;
    this.#consumer = consumer;
    const name = consumer;
    const sender = { port, host, name, errorFrom: sqsErrorFrom, hasExtendedIds: false };
    this.#requests = new AwsRequests(sender);
    const { middlewareStack } = this;
    this.send = awsSendOf({
      ...{ clientName: "SQSClient", see: SEE, middlewareStack },
      perform: (command, input, signal) => {
        const sent = this.#sent(command, input, signal);
        return command === "SendMessageBatch" ? sent.then((reply) => checked(input, reply)) : sent;
      },
    });
    adoptClientClass(this, "@aws-sdk/client-sqs", "SQSClient");
  }

  /**
   * Is not modelled.
   *
   * @internal
   */
  get config(): never {
    throw new NotModelled("SQSClient.config", SEE);
  }

  /** Closes idle connections; pending requests are not affected. */
  destroy(): void {}

  async #sent(name: string, given: object, signal: AbortSignal | undefined): Promise<object> {
    if (!isModelled(name)) throw new NotModelled(`${name}Command`, SEE);
    assertKnown(name, given);
    const written = writtenInput(FIELDS[name], given, SEE);
    let input: object;
    try {
      input = readInput(FIELDS[name], written, "refuses it");
    } catch (error) {
      if (!(error instanceof WrongType)) throw error;
      return await this.#call("broker.session", () => {
        throw new SqsServiceError("SerializationException", error.message);
      });
    }
    assertClear(name, given, input);
    return await this.#requested(name, input, signal);
  }

  #requested(
    name: SqsCommandName,
    input: object,
    signal: AbortSignal | undefined,
  ): Promise<object> {
    const queue = this.#queue;
    const consumer = this.#consumer;
    switch (name) {
      case "ReceiveMessage":
        return this.#receive(input, signal);
      case "DeleteMessage":
        return this.#call("broker.settle", () => queue.delete(consumer, input));
      case "DeleteMessageBatch":
        return this.#call("broker.settle", () => queue.deleteBatch(consumer, input));
      case "ChangeMessageVisibility":
        return this.#call(changeSite([input]), () => queue.changeVisibility(consumer, input));
      case "ChangeMessageVisibilityBatch":
        return this.#call(changeSite((input as BatchInput<SettleInput>).Entries ?? []), () =>
          queue.changeVisibilityBatch(consumer, input),
        );
      case "GetQueueUrl":
        return this.#call("broker.session", () => queue.queueUrl(input));
      case "GetQueueAttributes":
        return this.#call("broker.session", () => queue.attributes(input));
      case "SendMessage":
        return this.#call("broker.produce", () => queue.send(input));
      case "SendMessageBatch":
        return this.#call("broker.produce", () => queue.sendBatch(input));
      default:
        return name satisfies never;
    }
  }

  async #receive(input: ReceiveInput, signal: AbortSignal | undefined): Promise<object> {
    const { clock } = this.#port;
    const until = clock.now() + (input.WaitTimeSeconds ?? 0) * 1_000;
    this.#receiving += 1;
    try {
      for (;;) {
        let version = -1;
        const receive = (lies: boolean): readonly SqsMessage[] => {
          const received = this.#queue.receive(this.#consumer, input, lies);
          version = this.#queue.leases.version;
          return received;
        };
        const response = this.#call(
          "broker.fetch",
          (lies) => {
            const received = receive(lies);
            return received.length > 0 ? { Messages: [...received] } : {};
          },
          signal,
        );
        const output = await untilAborted(response, signal, requestAborted);
        if ("Messages" in output) return output;
        const leftMs = until - clock.now();
        if (signal?.aborted === true) throw requestAborted();
        if (leftMs <= 0) return output;
        await this.#queue.leases.changed(this.#port, version, leftMs, signal);
      }
    } finally {
      this.#receiving -= 1;
    }
  }

  #call(
    site: SiteName,
    effect: (lies: boolean) => object | void,
    signal?: AbortSignal,
  ): Promise<object> {
    const isRepeatable = site !== "broker.fetch";
    return this.#requests.call({ site, effect, isRepeatable, signal });
  }

  /** Describes what this client is waiting for. */
  openResources(): readonly string[] {
    return this.#receiving > 0 ? ["a receive that waits for messages"] : [];
  }
}

/** A visibility timeout of 0 settles a delivery (it gives it back); any other renews a lease. */
function changeSite(entries: readonly SettleInput[]): SiteName {
  return entries.some(({ VisibilityTimeout }) => VisibilityTimeout === 0)
    ? "broker.settle"
    : "broker.session";
}

function isModelled(name: string): name is SqsCommandName {
  return Object.hasOwn(FIELDS, name);
}

/** @throws {NotModelled} for what is read, and whose outcome is not known */
function assertClear(name: SqsCommandName, given: object, read: object): void {
  if (name === "SendMessage") assertText(given, read);
  const { Entries: entries = [] } = read as BatchInput<SettleInput & SendInput>;
  if (name === "SendMessageBatch") {
    const { Entries: all } = given as BatchInput<SendInput | null | undefined>;
    const sent = entries.length === 0 ? [] : (all ?? []).filter((entry) => entry !== null);
    const there = sent.filter((entry) => entry !== undefined);
    for (const [at, entry] of entries.entries()) assertText(there[at] ?? {}, entry);
  }
  const isSettled = name === "DeleteMessageBatch" || name === "ChangeMessageVisibilityBatch";
  if (isSettled && entries.some(({ ReceiptHandle: handle }) => handle === undefined)) {
    throw new NotModelled("an entry of a batch without a ReceiptHandle", SEE);
  }
}

/**
 * The SDK compares the sum of what was taken with that of what it was given, which need not be the
 * text that was sent.
 *
 * @throws {NotModelled} for a body that is written as a text and is none
 */
function assertText(given: SendInput, { MessageBody: read }: SendInput): void {
  if (read === undefined || typeof given.MessageBody === "string") return;
  throw new NotModelled("a MessageBody that is no text", SEE);
}

/** @throws {NotModelled} for a field that the model would have to ignore */
function assertKnown(name: SqsCommandName, given: object): void {
  const { Entries } = FIELDS[name];
  assertModelled(name, withoutNull(given), [...Object.keys(FIELDS[name]), OF_REPLIES], SEE);
  const { Entries: entries } = given as BatchInput<unknown>;
  if (Entries === undefined || !Array.isArray(entries)) return;
  const { list } = Entries as { readonly list: { readonly members: object } };
  for (const entry of entries as readonly unknown[]) {
    if (typeof entry !== "object" || entry === null) continue;
    assertModelled(name, withoutNull(entry), Object.keys(list.members), SEE);
  }
}

/** The SDK compares the sums of what was taken with its entries, once the service has them. */
function checked({ Entries: entries = [] }: BatchInput<unknown>, reply: object): object {
  for (const entry of entries) {
    if (entry !== null && entry !== undefined) continue;
    throw new TypeError(`Cannot read properties of ${String(entry)} (reading 'Id')`);
  }
  return reply;
}
