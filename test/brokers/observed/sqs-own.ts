import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import type { Observation } from "./observation.ts";

const QueueUrl = "https://sqs/0/orders";
const MessageAttributes = {
  "trace.a": { DataType: "String", StringValue: "1" },
  "trace.b": { DataType: "Number", StringValue: "2" },
  other: { DataType: "Binary", BinaryValue: Uint8Array.of(3, 4) },
};

async function received(client: SqsClient, more: object = {}) {
  const input = { QueueUrl, MaxNumberOfMessages: 10, ...more };
  const { Messages = [] } = await client.send(new ReceiveMessageCommand(input));
  return Messages;
}

/** What is seen of it; `prefixed` are the attributes that come by their prefix. */
function seenWith(prefixed: readonly string[]): unknown {
  const seen = [[], ["other", "trace.a", "trace.b"], prefixed, ["other"], []];
  return [
    ["fee40dc24d0ad6a90c608052aa4e9e66", "0294336227b3149823fa2482d6c81149"],
    "0294336227b3149823fa2482d6c81149",
    seen.map((names) => ["grüße", true, names]),
    { DataType: "Number", StringValue: "2" },
  ];
}

/** Messages that a client sends to the queue that it receives from, and what it learns of a queue. */
export const SQS_OWN: readonly Observation<SqsClient>[] = [
  {
    name: "a message to the queue itself, with attributes that are asked for",
    play: async ({ client }) => {
      await received(client);
      const sent = await client.send(
        new SendMessageCommand({ QueueUrl, MessageBody: "grüße", MessageAttributes }),
      );
      const visible = { VisibilityTimeout: 0 };
      const ways = [[], ["All"], ["trace.*"], ["other"], ["none"]];
      const seen: unknown[] = [];
      for (const MessageAttributeNames of ways) {
        const [one] = await received(client, { ...visible, MessageAttributeNames });
        const names = Object.keys(one?.MessageAttributes ?? {}).toSorted();
        seen.push([one?.Body, one?.MessageId === sent.MessageId, names]);
      }
      const [all] = await received(client, { MessageAttributeNames: ["All"] });
      const sums = [sent.MD5OfMessageBody, sent.MD5OfMessageAttributes];
      return [sums, all?.MD5OfMessageAttributes, seen, all?.MessageAttributes?.["trace.b"]];
    },
    real: seenWith(["trace.a", "trace.b"]),
    standIn: {
      shows: seenWith([]),
      documented: 'ReceiveMessage has "bar.*" for all attributes that begin with the prefix "bar"',
    },
  },
  {
    name: "attributes that are asked for by names that are parts of one another",
    play: async ({ client }) => {
      await received(client);
      const names = ["a", "ab", "a.b", "b"];
      const value = { DataType: "String", StringValue: "1" };
      const given = Object.fromEntries(names.map((name) => [name, value]));
      await client.send(
        new SendMessageCommand({ QueueUrl, MessageBody: "x", MessageAttributes: given }),
      );
      const seen: unknown[] = [];
      for (const MessageAttributeNames of [["a"], ["ab"], ["a.*"], ["b", "a"]]) {
        const [one] = await received(client, { VisibilityTimeout: 0, MessageAttributeNames });
        seen.push(Object.keys(one?.MessageAttributes ?? {}).toSorted());
      }
      return seen;
    },
    real: [["a"], ["ab"], ["a", "a.b", "ab"], ["a", "b"]],
    standIn: {
      shows: [["a"], ["a", "ab", "b"], ["a"], ["a", "b"]],
      documented:
        "MessageAttributeNames are names of attributes, and `.*` makes one a prefix: ElasticMQ brings each whose name is part of a wanted one",
    },
  },
  {
    name: "messages to the queue itself in a batch, and late",
    play: async ({ client, pass }) => {
      await received(client);
      await client.send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: [
            { Id: "a", MessageBody: "soon" },
            { Id: "b", MessageBody: "late", DelaySeconds: 1 },
          ],
        }),
      );
      const soon = await received(client);
      await pass(1_300);
      const late = await received(client);
      return [soon, late].map((messages) => messages.map(({ Body }) => Body));
    },
    real: [["soon"], ["late"]],
  },
  {
    name: "counts and settings of the queue",
    play: async ({ client, publish }) => {
      await publish(3);
      await received(client, { MaxNumberOfMessages: 1 });
      await client.send(
        new SendMessageCommand({ QueueUrl, MessageBody: "late", DelaySeconds: 60 }),
      );
      const names = [
        ...(["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const),
        ...(["ApproximateNumberOfMessagesDelayed", "VisibilityTimeout", "DelaySeconds"] as const),
      ];
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: names }),
      );
      return Attributes;
    },
    real: {
      ApproximateNumberOfMessagesDelayed: "1",
      VisibilityTimeout: "30",
      ApproximateNumberOfMessagesNotVisible: "1",
      ApproximateNumberOfMessages: "2",
      DelaySeconds: "0",
    },
  },
  {
    name: "an input that is changed when it was sent, and a callback",
    play: async ({ client }) => {
      await received(client);
      const input = { QueueUrl, MessageBody: "before" };
      const sending = client.send(new SendMessageCommand(input));
      await Promise.resolve();
      input.MessageBody = "after";
      await sending;
      const error = await new Promise((resolve) => {
        client.send(new SendMessageCommand({ QueueUrl, MessageBody: "third" }), (told, output) => {
          resolve([told, typeof output?.MessageId]);
        });
      });
      const messages = await received(client);
      return [error, messages.map(({ Body = "" }) => Body).toSorted((a, b) => (a < b ? -1 : 1))];
    },
    real: [
      [null, "string"],
      ["after", "third"],
    ],
  },
  {
    name: "a queue's URL by its name",
    play: async ({ client }) => {
      const found = await client.send(new GetQueueUrlCommand({ QueueName: "orders" }));
      return found.QueueUrl?.split("/").at(-1);
    },
    real: "orders",
  },
  {
    name: "a reply is a request, too: what says how it came is not sent",
    play: async ({ client }) => {
      const reply = await client.send(new GetQueueUrlCommand({ QueueName: "orders" }));
      const queue = { ...reply, QueueUrl: reply.QueueUrl };
      await client.send(new SendMessageCommand({ ...queue, MessageBody: "a" }));
      const { Messages = [] } = await client.send(new ReceiveMessageCommand(queue));
      return Messages.map(({ Body }) => Body);
    },
    real: ["a"],
  },
];
