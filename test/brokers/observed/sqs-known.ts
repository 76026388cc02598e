import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSServiceException,
} from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import type { Observation } from "./observation.ts";

const QueueUrl = "https://sqs/0/orders";
const NOWHERE = "https://sqs/0/nowhere";
const MOMENT_MS = 300;
/** What the stand-in tells of a queue. */
const QUEUE = [
  ...["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"],
  ...["ApproximateNumberOfMessagesNotVisible", "CreatedTimestamp", "DelaySeconds"],
  ...["LastModifiedTimestamp", "QueueArn", "ReceiveMessageWaitTimeSeconds", "VisibilityTimeout"],
];

async function received(client: SqsClient, more: object = {}) {
  const input = { QueueUrl, MaxNumberOfMessages: 10, ...more };
  const { Messages = [] } = await client.send(new ReceiveMessageCommand(input));
  return Messages;
}

function sent(client: SqsClient, MessageBody: string, more: object = {}) {
  return client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
}

function bodiesOf(messages: readonly { readonly Body?: string | undefined }[]): string[] {
  return messages.map(({ Body = "" }) => Body).toSorted();
}

async function refusalOf(attempt: Promise<unknown>): Promise<unknown> {
  return await attempt.then(
    () => "accepted",
    (error: unknown) => {
      const { name, $fault, $metadata } = error as SQSServiceException;
      const isOne = [error instanceof QueueDoesNotExist, error instanceof SQSServiceException];
      return [name, $fault, $metadata.httpStatusCode, ...isOne];
    },
  );
}

/** What a middleware gets. */
interface Given {
  readonly input: object;
  readonly request?: { readonly method: string; readonly headers: Record<string, string> };
}

/** The headers of the protocol. */
const PROTOCOL = [
  ["content-type", "application/x-amz-json-1.0"],
  ["x-amz-target", "AmazonSQS.SendMessage"],
  ["x-amzn-query-mode", "true"],
];

/** Returns the headers that the protocol has. */
function namedIn(headers: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  return PROTOCOL.flatMap(([name = ""]) => (name in headers ? [[name, headers[name] ?? ""]] : []));
}

/** Which queues there are, and what is sent to the queue itself before anything was received. */
export const SQS_KNOWN: readonly Observation<SqsClient>[] = [
  {
    name: "a queue that is none",
    play: async ({ client }) => {
      const body = { QueueUrl: NOWHERE, MessageBody: "x" };
      const Entries = [{ Id: "1", MessageBody: "x" }];
      const attempts = [
        client.send(new ReceiveMessageCommand({ QueueUrl: NOWHERE })),
        client.send(new SendMessageCommand(body)),
        client.send(new SendMessageBatchCommand({ QueueUrl: NOWHERE, Entries })),
        client.send(new DeleteMessageCommand({ QueueUrl: NOWHERE, ReceiptHandle: "x" })),
        client.send(new GetQueueUrlCommand({ QueueName: "nowhere" })),
        client.send(new GetQueueUrlCommand({ QueueName: "" })),
        client.send(new GetQueueAttributesCommand({ QueueUrl: NOWHERE })),
      ];
      return await Promise.all(attempts.map(refusalOf));
    },
    real: Array.from({ length: 7 }, () => ["QueueDoesNotExist", "client", 400, true, true]),
  },
  {
    name: "GetQueueAttributes: all that there are, none, and one that is none",
    play: async ({ client }) => {
      const namesOf = async (AttributeNames?: readonly string[]): Promise<unknown> => {
        const input = { QueueUrl, AttributeNames } as never;
        const { Attributes = {} } = await client.send(new GetQueueAttributesCommand(input));
        return Object.keys(Attributes).toSorted();
      };
      const all = await namesOf(["All"]);
      const few = await namesOf(["QueueArn", "VisibilityTimeout"]);
      const none = [await namesOf(), await namesOf([])];
      return [all, few, none, await refusalOf(namesOf(["Nonsense"]))];
    },
    real: [
      [...QUEUE, "MaximumMessageSize", "MessageRetentionPeriod", "SqsManagedSseEnabled"].toSorted(),
      ...[
        ["QueueArn", "VisibilityTimeout"],
        [[], []],
      ],
      ["InvalidAttributeName", "client", 400, false, true],
    ],
    standIn: {
      shows: [QUEUE, ["QueueArn", "VisibilityTimeout"], [[], []], "accepted"],
      documented:
        "every queue has a size and a retention, too, and is encrypted unless told otherwise, and that an unknown name is InvalidAttributeName",
    },
  },
  {
    name: "a handle, a timeout or a body that is missing",
    play: async ({ client, publish }) => {
      await publish(1);
      const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
      const { ReceiptHandle } = Messages[0] ?? {};
      const without = { QueueUrl, VisibilityTimeout: 5 } as never;
      const untimed = { QueueUrl, ReceiptHandle } as never;
      return [
        await refusalOf(client.send(new DeleteMessageCommand({ QueueUrl } as never))),
        await refusalOf(client.send(new ChangeMessageVisibilityCommand(without))),
        await refusalOf(client.send(new ChangeMessageVisibilityCommand(untimed))),
        await refusalOf(client.send(new SendMessageCommand({ QueueUrl } as never))),
        await refusalOf(client.send(new SendMessageCommand({ QueueUrl, MessageBody: "" }))),
      ];
    },
    real: Array.from({ length: 5 }, () => ["MissingParameter", "client", 400, false, true]),
    standIn: {
      shows: [
        ...Array.from({ length: 4 }, () => ["SyntaxError", undefined, 500, false, false]),
        ["InvalidAttributeValue", "client", 400, false, true],
      ],
      documented:
        "a required parameter is missing, a body of no characters among them: MissingParameter; its reply cannot be read",
    },
  },
  {
    name: "a handle of another queue",
    play: async ({ client, publish }) => {
      await publish(1);
      const [message] = await received(client);
      const of = { QueueUrl: "https://sqs/0/others", ReceiptHandle: message?.ReceiptHandle };
      const attempts = [
        client.send(new DeleteMessageCommand(of)),
        client.send(new ChangeMessageVisibilityCommand({ ...of, VisibilityTimeout: 1 })),
      ];
      return await Promise.all(attempts.map(refusalOf));
    },
    real: Array.from({ length: 2 }, () => ["ReceiptHandleIsInvalid", "client", 400, false, true]),
  },
  {
    name: "messages that are sent before anything was received",
    play: async ({ client, pass }) => {
      await sent(client, "a");
      await sent(client, "b");
      await sent(client, "late", { DelaySeconds: 1 });
      const first = bodiesOf(await received(client));
      await pass(1_400);
      return [first, bodiesOf(await received(client))];
    },
    real: [["a", "b"], ["late"]],
  },
  {
    name: "a handle that is none, before anything was received",
    play: async ({ client }) => {
      const ReceiptHandle = "nonsense";
      const attempts = [
        client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })),
        client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }),
        ),
      ];
      return await Promise.all(attempts.map(refusalOf));
    },
    real: Array.from({ length: 2 }, () => ["ReceiptHandleIsInvalid", "client", 400, false, true]),
  },
  {
    name: "a long poll is woken by a send, by the end of a delay, and by what is given back",
    play: async ({ client, pass }) => {
      const long = { WaitTimeSeconds: 10 };
      const bySend = received(client, long);
      await pass(MOMENT_MS);
      await sent(client, "sent");
      const seen = [bodiesOf(await bySend)];
      await sent(client, "delayed", { DelaySeconds: 1 });
      const delayed = await received(client, long);
      const byReturn = received(client, long);
      await pass(MOMENT_MS);
      const ReceiptHandle = delayed[0]?.ReceiptHandle;
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
      return [...seen, bodiesOf(delayed), bodiesOf(await byReturn)];
    },
    real: [["sent"], ["delayed"], ["delayed"]],
  },
  {
    name: "a timeout that is changed counts from the change, also when it is shorter",
    play: async ({ client, pass }) => {
      await sent(client, "x");
      const [first] = await received(client, { VisibilityTimeout: 1 });
      const change = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
        client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
        );
      await pass(500);
      await change(first?.ReceiptHandle, 2);
      await pass(1_000);
      const during = (await received(client)).length;
      await pass(1_500);
      const [second] = await received(client);
      await change(second?.ReceiptHandle, 1);
      await pass(1_400);
      return [during, second?.Body, (await received(client)).length];
    },
    real: [0, "x", 1],
  },
  {
    name: "an error as JSON has its message",
    play: async ({ client }) => {
      const sending = client.send(new SendMessageCommand({ QueueUrl: NOWHERE, MessageBody: "x" }));
      const error: unknown = await sending
        .then(() => "accepted")
        .catch((caught: unknown) => caught);
      const { name, message, $fault } = JSON.parse(JSON.stringify(error)) as SQSServiceException;
      return [name, message, $fault];
    },
    real: ["QueueDoesNotExist", "The specified queue does not exist.", "client"],
  },
  {
    name: "what a middleware sees of a request, and what of its input counts",
    play: async ({ client }) => {
      const seen: unknown[] = [];
      // Of each step the library has a type of its own.
      const step = (name: string, priority: "high" | "normal"): void =>
        client.middlewareStack.add(
          ((next: (given: object) => Promise<object>) => (given: Given) => {
            const { input, request } = given;
            seen.push([name, priority, request?.method, namedIn(request?.headers ?? {})]);
            const DelaySeconds = priority === "high" ? 0 : 900;
            const isSend = "MessageBody" in input;
            return next({ ...given, input: isSend ? { ...input, DelaySeconds } : input });
          }) as never,
          { step: name, priority },
        );
      step("build", "normal");
      step("serialize", "normal");
      step("serialize", "high");
      await sent(client, "text", { DelaySeconds: 900 });
      const heard = [...seen];
      return [heard, bodiesOf(await received(client))];
    },
    real: [
      [
        ["serialize", "high", undefined, []],
        ["serialize", "normal", "POST", PROTOCOL],
        ["build", "normal", "POST", PROTOCOL],
      ],
      ["text"],
    ],
  },
];
