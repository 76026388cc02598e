import type { SiteName } from "../../faults/site.ts";
import type { BrokerLink, Wire } from "../broker.ts";
import { callAsLibrary, type LibraryRetries, untilAborted } from "../library-call.ts";
import {
  type BatchInput,
  commandNameOf,
  type ReceiveInput,
  type SettleInput,
  type SqsCommand,
  type SqsCommandName,
  type SqsMessage,
} from "./sqs-commands.ts";
import { requestAborted, sqsErrorFrom } from "./sqs-error.ts";
import type { SqsQueue } from "./sqs-queue.ts";

/** The SDK's standard mode: three attempts, the first pause 100 ms. */
const RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 100 };

export interface SqsSendOptions {
  readonly abortSignal?: AbortSignal;
}

type Callback<Output> = (error: unknown, data?: Output) => void;

/**
 * An `SQSClient` of `@aws-sdk/client-sqs` in a simulated world: `send` takes the SDK's own commands
 * for receiving, deleting, changing visibility and sending, single and in batches.
 */
export class SqsClient {
  readonly #wire: Wire;
  readonly #host: string;
  readonly #queue: SqsQueue;
  readonly #consumer: string;
  #receiving = 0;

  constructor(wire: Wire, host: string, queue: SqsQueue, consumer: string) {
    this.#wire = wire;
    this.#host = host;
    this.#queue = queue;
    this.#consumer = consumer;
  }

  send<Output extends object>(
    command: SqsCommand<Output>,
    options?: SqsSendOptions,
  ): Promise<Output>;
  send<Output extends object>(command: SqsCommand<Output>, callback: Callback<Output>): void;
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
    const answer = this.#sent(command, signal) as Promise<Output>;
    if (callback === undefined) return answer;
    answer.then((data) => callback(undefined, data), callback);
  }

  /** Closes idle connections; what is on its way is answered. */
  destroy(): void {}

  #sent(command: { readonly input: object }, signal: AbortSignal | undefined): Promise<object> {
    const queue = this.#queue;
    const consumer = this.#consumer;
    const name = commandNameOf(command) as SqsCommandName;
    const { input } = command;
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
      case "SendMessage":
        return this.#call("broker.produce", () => queue.send(input));
      case "SendMessageBatch":
        return this.#call("broker.produce", () => queue.sendBatch(input));
      default:
        name satisfies never;
        return Promise.reject(
          new TypeError(`Cannot send "${command.constructor.name}": the model does not know it`),
        );
    }
  }

  async #receive(input: ReceiveInput, signal: AbortSignal | undefined): Promise<object> {
    const { clock } = this.#wire;
    const until = clock.now() + (input.WaitTimeSeconds ?? 0) * 1_000;
    this.#receiving += 1;
    try {
      for (;;) {
        let changes = -1;
        const receive = (): readonly SqsMessage[] => {
          const received = this.#queue.receive(this.#consumer, input);
          changes = this.#queue.leases.changes;
          return received;
        };
        const answer = this.#call("broker.fetch", receive, signal);
        const messages = await untilAborted(answer, signal, requestAborted);
        if (hasMessages(messages)) return { $metadata: {}, Messages: [...messages] };
        const leftMs = until - clock.now();
        if (signal?.aborted === true) throw requestAborted();
        if (leftMs <= 0) return { $metadata: {} };
        await this.#queue.leases.changed(this.#wire, changes, leftMs, signal);
      }
    } finally {
      this.#receiving -= 1;
    }
  }

  async #call(site: SiteName, effect: () => object | void, signal?: AbortSignal): Promise<object> {
    try {
      const isRepeatable = site !== "broker.fetch";
      const request = { site, to: this.#host, effect, isRepeatable, signal };
      const answer = await callAsLibrary(this.#wire, request, RETRIES);
      return Array.isArray(answer) ? answer : { $metadata: {}, ...answer };
    } catch (error) {
      throw sqsErrorFrom(error);
    }
  }

  /** What this client still waits for. */
  open(): readonly string[] {
    return this.#receiving > 0 ? ["a receive that waits for messages"] : [];
  }
}

export function sqsLink(client: SqsClient): BrokerLink<SqsClient> {
  return { client, open: () => client.open() };
}

/** A renewal keeps what is held; a visibility timeout of 0 gives it back. */
function changeSite(entries: readonly SettleInput[]): SiteName {
  return entries.some(({ VisibilityTimeout }) => VisibilityTimeout === 0)
    ? "broker.settle"
    : "broker.session";
}

function hasMessages(answer: object): answer is readonly SqsMessage[] {
  return Array.isArray(answer) && answer.length > 0;
}
