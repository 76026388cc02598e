import {
  type Message,
  type ReceiveMessageCommandOutput,
  type SQSClient,
  SQSServiceException,
} from "@aws-sdk/client-sqs";
import { commandNameOf } from "../../sim/brokers/aws-request.ts";
import type { BatchInput, ReceiveInput, SettleInput } from "../../sim/brokers/sqs/sqs-commands.ts";

/** Where drawn sequences are shown what AWS documents, in place of what ElasticMQ would show. */
export const EXPLAINED: readonly (readonly [what: string, documented: string])[] = [
  [
    "A receive with `MaxNumberOfMessages` or `VisibilityTimeout` out of range is refused as `InvalidParameterValue`",
    'the API reference has "Valid values: 1 to 10" and "0 to 43200", and that error for all actions',
  ],
  [
    "So is a change of visibility to a timeout out of range",
    'the API reference has "Values range: 0 to 43200"',
  ],
  [
    "A change of what is visible again is refused as `MessageNotInflight`",
    'the API reference of the action has "The specified message isn\'t in flight"; recorded tests of others show that the service may as well accept it without effect',
  ],
  [
    "A change of what was deleted, or has a newer handle, is refused as `InvalidParameterValue`",
    "AWS SDK issue 1927 for .NET has the service's text: it does not exist or is not available",
  ],
  [
    "A standard queue accepts a delete of what was deleted, or by an older handle",
    'the API reference has "the request will succeed, but the message might not be deleted"',
  ],
  [
    "A FIFO queue refuses a delete after the timeout",
    "AWS's knowledge centre has `InvalidParameterValue`, the receipt handle has expired",
  ],
  ["A batch without entries is refused", "the API reference has `EmptyBatchRequest`"],
  [
    "One receive of a standard queue brings all that is visible",
    "ElasticMQ may hide some behind a message whose timeout was changed, and is asked again; AWS documents that a short poll may bring fewer",
  ],
];

/** What is known of a receipt handle. */
interface Handle {
  readonly messageId: string;
  until: number;
  isDeleted: boolean;
}

/** What a call is answered with, in place of what ElasticMQ would. */
interface Verdict {
  /** The name of the error; undefined where the call succeeds, without effect. */
  readonly error: string | undefined;
}

const CLIENT_ERROR = 400;
const OK = 200;
const VISIBILITY_SECONDS_MAX = 43_200;

/**
 * A client of one queue of ElasticMQ that shows what AWS documents wherever ElasticMQ is known to
 * do something else: such a call does not reach it. Everything else is ElasticMQ's.
 */
export class ElasticMqAsAws {
  readonly #client: SQSClient;
  readonly #url: string;
  readonly #kind: "standard" | "fifo";
  readonly #handles = new Map<string, Handle>();
  /** The newest receipt handle of each message. */
  readonly #newest = new Map<string, string>();

  #changes = 0;

  constructor(client: SQSClient, url: string, kind: "standard" | "fifo") {
    this.#client = client;
    this.#url = url;
    this.#kind = kind;
  }

  async send(command: { readonly input: object }): Promise<object> {
    const name = commandNameOf(command);
    const { input } = command;
    switch (name) {
      case "ReceiveMessage":
        return this.#receive(command, input);
      case "DeleteMessage":
      case "ChangeMessageVisibility": {
        const verdict = this.#verdictOf(name, input);
        if (verdict === undefined) {
          const output = await this.#forward(command, input);
          this.#settled(name, input);
          return output;
        }
        if (verdict.error !== undefined) throw errorNamed(verdict.error);
        return { $metadata: { httpStatusCode: OK } };
      }
      case "DeleteMessageBatch":
      case "ChangeMessageVisibilityBatch":
        return this.#batch(command, name.replace("Batch", ""), input);
      default:
        throw new TypeError(`No sequence sends ${name}`);
    }
  }

  async #receive(command: object, input: ReceiveInput): Promise<object> {
    const { MaxNumberOfMessages: count = 1, VisibilityTimeout: seconds = 30 } = input;
    const isInRange = count >= 1 && count <= 10 && seconds >= 0;
    if (!isInRange || seconds > VISIBILITY_SECONDS_MAX) throw errorNamed("InvalidParameterValue");
    const Messages: Message[] = [];
    // A message whose timeout was changed can hide the others from one call; a short poll may.
    const calls = this.#kind === "fifo" ? 1 : 1 + this.#changes;
    for (let at = 0; at < calls && Messages.length < count; at += 1) {
      const left = { ...input, MaxNumberOfMessages: count - Messages.length };
      const output = (await this.#forward(command, left)) as ReceiveMessageCommandOutput;
      for (const message of output.Messages ?? []) {
        const { MessageId = "", ReceiptHandle = "" } = message;
        const until = Date.now() + seconds * 1_000;
        this.#handles.set(ReceiptHandle, { messageId: MessageId, until, isDeleted: false });
        this.#newest.set(MessageId, ReceiptHandle);
        Messages.push(message);
      }
    }
    return { $metadata: { httpStatusCode: OK }, Messages };
  }

  /** Sends the entries of which ElasticMQ shows what AWS does, and adds the others to the result. */
  async #batch(command: object, name: string, input: BatchInput<SettleInput>): Promise<object> {
    const { Entries: entries = [] } = input;
    if (entries.length === 0) throw errorNamed("EmptyBatchRequest");
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const entry of entries) {
      const verdict = this.#verdictOf(name, entry);
      const { Id } = entry;
      if (verdict === undefined) {
        const output = await this.#forward(command, { Entries: [entry] });
        const result = output as { Successful?: object[]; Failed?: object[] };
        if (result.Successful !== undefined && result.Successful.length > 0)
          this.#settled(name, entry);
        Successful.push(...(result.Successful ?? []));
        Failed.push(...(result.Failed ?? []));
      } else if (verdict.error === undefined) {
        Successful.push({ Id });
      } else {
        const isDelete = name === "DeleteMessage";
        // Observed: github.com/smaskalik/sqsmover/issues/54.
        const Code = isDelete ? "ReceiptHandleIsInvalid" : verdict.error;
        Failed.push({ Id, Code, SenderFault: true });
      }
    }
    return { $metadata: { httpStatusCode: OK }, Successful, Failed };
  }

  #verdictOf(name: string, input: SettleInput): Verdict | undefined {
    const { ReceiptHandle = "", VisibilityTimeout: seconds = 0 } = input;
    const handle = this.#handles.get(ReceiptHandle);
    const isChange = name === "ChangeMessageVisibility";
    if (isChange && !(seconds >= 0 && seconds <= VISIBILITY_SECONDS_MAX)) {
      return { error: "InvalidParameterValue" };
    }
    if (handle === undefined) return undefined;
    const isOver = handle.until <= Date.now();
    const isOld = this.#newest.get(handle.messageId) !== ReceiptHandle;
    if (isChange) {
      if (handle.isDeleted || isOld) {
        return { error: "InvalidParameterValue" };
      }
      return isOver ? { error: "MessageNotInflight" } : undefined;
    }
    if (this.#kind === "fifo" && !handle.isDeleted && (isOld || isOver)) {
      return { error: "InvalidParameterValue" };
    }
    return handle.isDeleted || isOld ? { error: undefined } : undefined;
  }

  #settled(name: string, { ReceiptHandle = "", VisibilityTimeout = 0 }: SettleInput): void {
    const handle = this.#handles.get(ReceiptHandle);
    if (handle === undefined) return;
    if (name === "DeleteMessage") {
      for (const other of this.#handles.values()) {
        if (other.messageId === handle.messageId) other.isDeleted = true;
      }
    } else {
      this.#changes += 1;
      handle.until = Date.now() + VisibilityTimeout * 1_000;
    }
  }

  #forward(command: object, input: object): Promise<object> {
    const Command = command.constructor as new (input: object) => never;
    return this.#client.send(new Command({ ...input, QueueUrl: this.#url }));
  }
}

function errorNamed(name: string): SQSServiceException {
  return new SQSServiceException({
    ...{ name, message: name, $fault: "client" },
    $metadata: { httpStatusCode: CLIENT_ERROR },
  });
}
