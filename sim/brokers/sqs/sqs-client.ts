import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, type LibraryRetries, untilAborted } from "../library-call.ts";
import { assertModelled, NotModelled } from "../not-modelled.ts";
import { SqsMiddlewareStack } from "./middleware-stack.ts";
import {
  type BatchInput,
  commandNameOf,
  type ReceiveInput,
  type SettleInput,
  type SqsCommand,
  type SqsCommandName,
  type SqsMessage,
} from "./sqs-commands.ts";
import {
  requestAborted,
  sqsErrorFrom,
  type SqsMetadata,
  type SqsServiceError,
} from "./sqs-error.ts";
import type { SqsQueue } from "./sqs-queue.ts";

/** The SDK's standard mode: three attempts, the first pause 100 ms. */
const RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 100 };

const OK = 200;
const SEE = "brokers.sqs";
/** Records have no attributes of their own, so that asking for these changes nothing. */
const RECEIVING = [
  ...["QueueUrl", "MaxNumberOfMessages", "WaitTimeSeconds", "VisibilityTimeout"],
  ...["AttributeNames", "MessageSystemAttributeNames", "MessageAttributeNames"],
];

export interface SqsSendOptions {
  readonly abortSignal?: AbortSignal;
}

type Callback<Output> = (error: unknown, data?: Output) => void;

/**
 * The client of an SQS queue, with the interface of `SQSClient` of `@aws-sdk/client-sqs`.
 *
 * `send` accepts `ReceiveMessageCommand`, and `DeleteMessageCommand`, `SendMessageCommand` and
 * `ChangeMessageVisibilityCommand`, each also in its batch form. What is sent is a dead letter.
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
  readonly #port: ClientPort;
  readonly #host: string;
  readonly #queue: SqsQueue;
  readonly #consumer: string;
  /**
   * What runs around each command, up to the step "build".
   *
   * @internal
   */
  readonly middlewareStack: SqsMiddlewareStack = new SqsMiddlewareStack();
  #receiving = 0;
  #requests = 0;

  /** @internal */
  constructor(port: ClientPort, host: string, queue: SqsQueue, consumer: string) {
    this.#port = port;
    this.#host = host;
    this.#queue = queue;
    this.#consumer = consumer;
  }

  /**
   * Sends a command of the SDK.
   *
   * @internal
   */
  send<Output extends object>(
    command: SqsCommand<Output>,
    options?: SqsSendOptions,
  ): Promise<Output>;
  /**
   * Sends a command of the SDK.
   *
   * @internal
   */
  send<Output extends object>(command: SqsCommand<Output>, callback: Callback<Output>): void;
  /**
   * Sends a command of the SDK.
   *
   * @internal
   */
  send<Output extends object>(
    command: SqsCommand<Output>,
    options: SqsSendOptions,
    callback: Callback<Output>,
  ): void;
  send<Output extends object>(
    command: SqsCommand<Output>,
    options?: SqsSendOptions | Callback<Output>,
    callback: Callback<Output> | undefined = typeof options === "function" ? options : undefined,
  ): Promise<Output> | void {
    const signal = typeof options === "object" ? options.abortSignal : undefined;
    if (typeof options === "object") assertModelled("send()", options, ["abortSignal"], SEE);
    const commandName = command.constructor.name;
    const response = this.middlewareStack.run(
      command.input,
      { clientName: "SQSClient", commandName },
      (input) => this.#sent(commandNameOf(command) as SqsCommandName, input, signal),
    ) as Promise<Output>;
    if (callback === undefined) return response;
    response.then((data) => callback(undefined, data), callback);
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

  #sent(name: SqsCommandName, input: object, signal: AbortSignal | undefined): Promise<object> {
    const queue = this.#queue;
    const consumer = this.#consumer;
    switch (name) {
      case "ReceiveMessage":
        assertModelled("ReceiveMessage", input, RECEIVING, SEE);
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
      case "SendMessage":
        return this.#call("broker.produce", () => queue.send(input));
      case "SendMessageBatch":
        return this.#call("broker.produce", () => queue.sendBatch(input));
      default:
        name satisfies never;
        return Promise.reject(
          new TypeError(`Cannot send "${name as string}Command": the model does not support it`),
        );
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

  async #call(
    site: SiteName,
    effect: (lies: boolean) => object | void,
    signal?: AbortSignal,
  ): Promise<object> {
    this.#requests += 1;
    const requestId = requestIdFrom(this.#consumer, this.#requests);
    let made = { attempts: 0, totalRetryDelay: 0 };
    const metadata = (httpStatusCode: number): SqsMetadata => ({
      ...{ httpStatusCode, requestId, extendedRequestId: undefined, cfId: undefined },
      ...made,
    });
    const onAttempt = (attempts: number, totalRetryDelay: number): void => {
      made = { attempts, totalRetryDelay };
    };
    try {
      const isRepeatable = site !== "broker.fetch";
      const request = { site, to: this.#host, effect, isRepeatable, signal, onAttempt };
      const response = await callAsLibrary(this.#port, request, RETRIES);
      return { $metadata: metadata(OK), ...response };
    } catch (caught) {
      const error = sqsErrorFrom(caught);
      if (isServiceError(error)) error.$metadata = metadata(error.$metadata.httpStatusCode);
      throw error;
    }
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

function isServiceError(error: unknown): error is SqsServiceError {
  return error instanceof Error && "$metadata" in error;
}

/** A UUID that differs for each request of each client. */
function requestIdFrom(consumer: string, count: number): string {
  const hex = bytesToHex(md5(utf8ToBytes(`${consumer} ${count}`)));
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
