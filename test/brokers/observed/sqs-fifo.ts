import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSServiceException,
} from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import type { Observed } from "./observation.ts";

const QueueUrl = "https://sqs/0/orders.fifo";
const COUNTED = { MessageSystemAttributeNames: ["ApproximateReceiveCount"] } as const;

type Message = {
  readonly Body?: string;
  readonly ReceiptHandle?: string;
  readonly Attributes?: Readonly<Record<string, string>>;
};

/** Sends messages to groups: "a1" is the first of group "a". */
async function sent(client: SqsClient, ...names: readonly string[]): Promise<void> {
  for (const name of names) await send(client, name, name.slice(0, 1), name);
}

function send(client: SqsClient, MessageBody: string, group?: string, id?: string) {
  const ids = { MessageGroupId: group, MessageDeduplicationId: id };
  return client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...ids }));
}

async function received(client: SqsClient, more: object = {}): Promise<readonly Message[]> {
  const input = { QueueUrl, MaxNumberOfMessages: 10, ...more };
  const { Messages = [] } = await client.send(new ReceiveMessageCommand(input));
  return Messages as readonly Message[];
}

function bodiesOf(messages: readonly Message[]): string {
  return messages.map(({ Body = "" }) => Body).join(" ");
}

async function settle(client: SqsClient, message: Message | undefined): Promise<void> {
  const ReceiptHandle = message?.ReceiptHandle;
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

async function release(client: SqsClient, message: Message | undefined): Promise<void> {
  const input = { QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 };
  await client.send(new ChangeMessageVisibilityCommand(input));
}

async function nameOf(attempt: Promise<unknown>): Promise<string> {
  return await attempt.then(
    () => "accepted",
    (error: unknown) => (error as SQSServiceException).name,
  );
}

/** What the AWS SDK showed on a FIFO queue of a stand-in. */
export const SQS_FIFO: Observed<SqsClient> = {
  server: "ElasticMQ 1.6.14 with @aws-sdk/client-sqs 3",
  observations: [
    {
      name: "FIFO: ids of groups and of messages that are taken, and that are not",
      play: async ({ client }) => {
        const seen = [await nameOf(send(client, "1")), await nameOf(send(client, "1", "g"))];
        for (const name of ["", "a b", "é", "x".repeat(129), "x".repeat(128), "!~/"]) {
          seen.push(await nameOf(send(client, "2", name, "fine")));
          seen.push(await nameOf(send(client, "3", "g", name)));
        }
        return seen;
      },
      real: [
        ...["MissingParameter", ...Array.from({ length: 9 }, () => "InvalidParameterValue")],
        ...Array.from({ length: 4 }, () => "accepted"),
      ],
    },
    {
      name: "FIFO: the same id again, after a delete, and in another group",
      play: async ({ client }) => {
        const first = await send(client, "a", "g", "once");
        const again = await send(client, "b", "g", "once");
        const other = await send(client, "c", "h", "once");
        const isSame = [again, other].map((one) => [
          one.MessageId === first.MessageId,
          one.SequenceNumber === first.SequenceNumber,
        ]);
        const [message] = await received(client);
        await settle(client, message);
        await send(client, "d", "g", "once");
        return [isSame, message?.Body, bodiesOf(await received(client))];
      },
      real: [
        [
          [true, true],
          [true, true],
        ],
        ...["a", ""],
      ],
    },
    {
      name: "FIFO: while one of a group is out nobody gets more of it, and other groups go on",
      play: async ({ client }) => {
        await sent(client, "a1", "b1", "a2", "b2", "c1");
        const one = { MaxNumberOfMessages: 1 };
        const first = await received(client, one);
        const second = await received(client, one);
        const rest = await received(client);
        const none = await received(client);
        await settle(client, first[0]);
        return [first, second, rest, none, await received(client)].map(bodiesOf);
      },
      real: ["a1", "b1", "c1", "", "a2"],
    },
    {
      name: "FIFO: several of a group at once; the group waits for the last of them",
      play: async ({ client }) => {
        await sent(client, "a1", "a2", "a3");
        const [one, two] = await received(client, { MaxNumberOfMessages: 2 });
        await settle(client, one);
        const blocked = bodiesOf(await received(client));
        await settle(client, two);
        return [blocked, bodiesOf(await received(client))];
      },
      real: ["", "a3"],
    },
    {
      name: "FIFO: what is given back comes before what follows, and counts",
      play: async ({ client }) => {
        await sent(client, "a1", "a2", "a3");
        const [one, two] = await received(client, { MaxNumberOfMessages: 2 });
        await release(client, one);
        const early = bodiesOf(await received(client, COUNTED));
        await release(client, two);
        const late = await received(client, COUNTED);
        return [early, late.map(({ Body, Attributes }) => [Body, Attributes])];
      },
      real: ["a1", []],
    },
    {
      name: "FIFO: a timeout that ends opens the group, in order",
      play: async ({ client, pass }) => {
        await sent(client, "a1", "a2");
        await received(client, { MaxNumberOfMessages: 1, VisibilityTimeout: 1 });
        await pass(1_500);
        const late = await received(client, COUNTED);
        return late.map(({ Body, Attributes }) => [Body, Attributes]);
      },
      real: [
        ["a1", { ApproximateReceiveCount: "2" }],
        ["a2", { ApproximateReceiveCount: "1" }],
      ],
    },
    {
      name: "FIFO: one in the middle is deleted, the others come again in order",
      play: async ({ client }) => {
        await sent(client, "a1", "a2", "a3");
        const [one, two, three] = await received(client);
        await settle(client, two);
        await release(client, one);
        await release(client, three);
        return bodiesOf(await received(client));
      },
      real: "a1 a3",
    },
    {
      name: "FIFO: a batch in which one has no group and one repeats an id",
      play: async ({ client }) => {
        const Entries = [
          { Id: "1", MessageBody: "a", MessageGroupId: "g", MessageDeduplicationId: "a" },
          { Id: "2", MessageBody: "b", MessageDeduplicationId: "b" },
          { Id: "3", MessageBody: "c", MessageGroupId: "g", MessageDeduplicationId: "a" },
        ];
        const { Successful = [], Failed = [] } = await client.send(
          new SendMessageBatchCommand({ QueueUrl, Entries }),
        );
        const bodies = bodiesOf(await received(client));
        return [Successful.map(({ Id }) => Id), Failed.map(({ Id }) => Id), bodies];
      },
      real: [["1", "3"], ["2"], "a"],
    },
    {
      name: "FIFO: a long poll is woken when a group opens",
      play: async ({ client, pass }) => {
        await sent(client, "a1", "a2");
        const [one] = await received(client, { MaxNumberOfMessages: 1 });
        const waiting = received(client, { WaitTimeSeconds: 10 });
        await pass(300);
        await settle(client, one);
        return bodiesOf(await waiting);
      },
      real: "a2",
    },
  ],
};
