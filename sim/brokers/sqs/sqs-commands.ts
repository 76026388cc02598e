import type { Members } from "../aws-shape.ts";

/** The fields of the SDK's command inputs that the model reads. */
export interface ReceiveInput {
  readonly QueueUrl?: string;
  readonly MaxNumberOfMessages?: number;
  readonly WaitTimeSeconds?: number;
  readonly VisibilityTimeout?: number;
  readonly AttributeNames?: readonly string[];
  readonly MessageSystemAttributeNames?: readonly string[];
  readonly MessageAttributeNames?: readonly string[];
}

/** The attributes of a message, as the SDK types them. */
export interface AttributeValue {
  readonly DataType: string | undefined;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: Uint8Array | undefined;
  /** Not implemented by the service. */
  readonly StringListValues?: string[] | undefined;
  readonly BinaryListValues?: Uint8Array[] | undefined;
}

export interface MessageAttributes {
  [name: string]: AttributeValue;
}

export interface QueueNameInput {
  readonly QueueName?: string;
}

export interface QueueAttributesInput {
  readonly QueueUrl?: string;
  readonly AttributeNames?: readonly string[];
}

/** One entry of a batch, and the input of a single settlement. */
export interface SettleInput {
  readonly QueueUrl?: string;
  readonly Id?: string;
  readonly ReceiptHandle?: string;
  readonly VisibilityTimeout?: number;
}

export interface SendInput {
  readonly QueueUrl?: string;
  readonly Id?: string;
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly DelaySeconds?: number;
  readonly MessageAttributes?: MessageAttributes;
}

export interface BatchInput<Entry> {
  readonly QueueUrl?: string;
  readonly Entries?: readonly Entry[];
}

/** A message in the result of `ReceiveMessage`. */
export interface SqsMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly MD5OfBody: string;
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MD5OfMessageAttributes?: string;
  readonly MessageAttributes?: MessageAttributes;
}

export interface SqsBatchError {
  readonly Id: string;
  readonly Code: string;
  readonly Message: string;
  readonly SenderFault: boolean;
}

/** The result of a batch command: each entry is in one of the two lists. */
export interface SqsBatchResult {
  readonly Successful: { readonly Id: string; readonly MessageId?: string }[];
  readonly Failed: SqsBatchError[];
}

export type SqsCommandName =
  | "ReceiveMessage"
  | "DeleteMessage"
  | "DeleteMessageBatch"
  | "ChangeMessageVisibility"
  | "ChangeMessageVisibilityBatch"
  | "GetQueueUrl"
  | "GetQueueAttributes"
  | "SendMessage"
  | "SendMessageBatch";

const ATTRIBUTES = {
  map: {
    members: {
      StringValue: "text",
      BinaryValue: "bytes",
      StringListValues: { list: "text" },
      BinaryListValues: { list: "bytes" },
      DataType: "text",
    },
  },
} as const;
const QUEUE: Members = { QueueUrl: "text" };
const SENT: Members = {
  MessageBody: "text",
  DelaySeconds: "integer",
  MessageAttributes: ATTRIBUTES,
  MessageDeduplicationId: "text",
  MessageGroupId: "text",
};
const NAMES = { list: "text" } as const;
const DELETED: Members = { ReceiptHandle: "text" };
const CHANGED: Members = { ReceiptHandle: "text", VisibilityTimeout: "integer" };

function batchOf(entry: Members): Members {
  return { ...QUEUE, Entries: { list: { members: { Id: "text", ...entry } } } };
}

/** The fields of each command that the model has. */
export const FIELDS: Readonly<Record<SqsCommandName, Members>> = {
  ReceiveMessage: {
    ...QUEUE,
    AttributeNames: NAMES,
    MessageSystemAttributeNames: NAMES,
    MessageAttributeNames: NAMES,
    MaxNumberOfMessages: "integer",
    VisibilityTimeout: "integer",
    WaitTimeSeconds: "integer",
  },
  DeleteMessage: { ...QUEUE, ...DELETED },
  DeleteMessageBatch: batchOf(DELETED),
  ChangeMessageVisibility: { ...QUEUE, ...CHANGED },
  ChangeMessageVisibilityBatch: batchOf(CHANGED),
  GetQueueUrl: { QueueName: "text" },
  GetQueueAttributes: { ...QUEUE, AttributeNames: NAMES },
  SendMessage: { ...QUEUE, ...SENT },
  SendMessageBatch: batchOf(SENT),
};
