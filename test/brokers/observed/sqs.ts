import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import type { Observed } from "./observation.ts";
import { SQS_KNOWN } from "./sqs-known.ts";
import { LEASES } from "./sqs-leases.ts";
import { SQS_OWN } from "./sqs-own.ts";
import { SQS_SENDS } from "./sqs-sends.ts";

const QueueUrl = "https://sqs/0/orders";
const OTHER = "https://sqs/0/others";

function keysOf(value: object | undefined): string[] {
  return Object.keys(value ?? {}).toSorted();
}

const METADATA = [
  ...["attempts", "cfId", "extendedRequestId"],
  ...["httpStatusCode", "requestId", "totalRetryDelay"],
];

/** What the AWS SDK showed on a stand-in for SQS, and what AWS documents where that differs. */
export const SQS: Observed<SqsClient> = {
  server: "ElasticMQ 1.6.14 with @aws-sdk/client-sqs 3",
  observations: [
    {
      name: "ReceiveMessage: fields, attributes and times",
      play: async ({ client, publish }) => {
        await publish(1);
        const { $metadata, Messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ["All"] }),
        );
        const [{ Attributes = {}, ...message } = {}] = Messages;
        const years = [Attributes.SentTimestamp, Attributes.ApproximateFirstReceiveTimestamp].map(
          (at) => new Date(Number(at)).getUTCFullYear() >= 2025,
        );
        return [keysOf($metadata), keysOf(message), keysOf(Attributes), years];
      },
      real: [
        METADATA,
        ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"],
        [
          ...["ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount"],
          ...["SenderId", "SentTimestamp"],
        ],
        [true, true],
      ],
    },
    {
      name: "SendMessage, one and in a batch: the body's sum",
      play: async ({ client }) => {
        const sent = await client.send(
          new SendMessageCommand({ QueueUrl: OTHER, MessageBody: "hello" }),
        );
        const Entries = [{ Id: "a", MessageBody: "hello" }];
        const { Successful = [] } = await client.send(
          new SendMessageBatchCommand({ QueueUrl: OTHER, Entries }),
        );
        return [sent.MD5OfMessageBody, Successful.map(keysOf)];
      },
      real: ["5d41402abc4b2a76b9719d911017c592", [["Id", "MD5OfMessageBody", "MessageId"]]],
    },
    {
      name: "DeleteMessageBatch names the entries alone",
      play: async ({ client, publish }) => {
        await publish(1);
        const { Messages: [message] = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl }),
        );
        const Entries = [{ Id: "a", ReceiptHandle: message?.ReceiptHandle }];
        const { Successful = [] } = await client.send(
          new DeleteMessageBatchCommand({ QueueUrl, Entries }),
        );
        return Successful.map(keysOf);
      },
      real: [["Id"]],
    },
    {
      name: "an error says which request it was",
      play: async ({ client }) => {
        try {
          await client.send(new ReceiveMessageCommand({ QueueUrl }));
          const Entries = ["a", "a"].map((Id) => ({ Id, ReceiptHandle: Id }));
          await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
          return "no error";
        } catch (error) {
          const { $metadata } = error as { readonly $metadata: { readonly requestId: unknown } };
          return [typeof $metadata.requestId, (error as Error).name];
        }
      },
      real: ["string", "BatchEntryIdsNotDistinct"],
      standIn: {
        shows: ["undefined", "BatchEntryIdsNotDistinct"],
        documented: "a reply names its request",
      },
    },
    ...LEASES,
    ...SQS_SENDS,
    ...SQS_OWN,
    ...SQS_KNOWN,
  ],
};
