import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import type { Observation } from "./observation.ts";

const QueueUrl = "https://sqs/0/orders";

/** A delivery: which order, the how many-th time. */
type Delivery = readonly [ref: string, receives: string | undefined];

interface Received {
  readonly deliveries: readonly Delivery[];
  readonly handles: readonly string[];
}

/** Receives at most ten; they are invisible for `VisibilityTimeout` seconds. */
async function receive(
  client: SqsClient,
  VisibilityTimeout: number,
  WaitTimeSeconds = 0,
): Promise<Received> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      ...{ QueueUrl, VisibilityTimeout, WaitTimeSeconds },
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    }),
  );
  const refOf = ({ Body = "{}" }: Message): string =>
    (JSON.parse(Body) as { readonly ref: string }).ref;
  // A standard queue is in no order.
  const sorted = Messages.toSorted((one, other) => (refOf(one) < refOf(other) ? -1 : 1));
  return {
    deliveries: sorted.map((message) => [
      refOf(message),
      message.Attributes?.ApproximateReceiveCount,
    ]),
    handles: sorted.map(({ ReceiptHandle = "" }) => ReceiptHandle),
  };
}

function settled(client: SqsClient, ReceiptHandle: string | undefined): Promise<unknown> {
  return errorOf(client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })));
}

function kept(
  client: SqsClient,
  ReceiptHandle: string | undefined,
  VisibilityTimeout: number,
): Promise<unknown> {
  const change = { QueueUrl, ReceiptHandle, VisibilityTimeout };
  return errorOf(client.send(new ChangeMessageVisibilityCommand(change)));
}

/** Returns the name, the side and the status of a call's error. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return "no error";
  } catch (error) {
    const { name, $fault, $metadata } = error as {
      readonly name: string;
      readonly $fault?: string;
      readonly $metadata?: { readonly httpStatusCode?: number };
    };
    return [name, $fault, $metadata?.httpStatusCode];
  }
}

/** What becomes of a message between its receive and its end. */
export const LEASES: readonly Observation<SqsClient>[] = [
  {
    name: "a message is invisible for its timeout, then comes again by another handle",
    play: async ({ client, publish, pass }) => {
      await publish(2);
      const first = await receive(client, 1);
      const meanwhile = await receive(client, 1);
      await pass(1_500);
      const again = await receive(client, 1);
      const isKnown = again.handles.map((handle) => first.handles.includes(handle));
      return [first.deliveries, meanwhile.deliveries, again.deliveries, isKnown];
    },
    real: [
      [
        ["ref-000001", "1"],
        ["ref-000002", "1"],
      ],
      [],
      [
        ["ref-000001", "2"],
        ["ref-000002", "2"],
      ],
      [false, false],
    ],
  },
  {
    name: "ChangeMessageVisibility: to nothing, and to longer",
    play: async ({ client, publish, pass }) => {
      await publish(2);
      const { handles } = await receive(client, 1);
      const changes = [await kept(client, handles[0], 0), await kept(client, handles[1], 4)];
      const atOnce = await receive(client, 30);
      await pass(1_500);
      const early = await receive(client, 30);
      await pass(3_500);
      const late = await receive(client, 30);
      return [changes, atOnce.deliveries, early.deliveries, late.deliveries];
    },
    real: [["no error", "no error"], [["ref-000001", "2"]], [], [["ref-000002", "2"]]],
  },
  {
    name: "a delete is for good, also when it is sent twice",
    play: async ({ client, publish, pass }) => {
      await publish(2);
      const { handles } = await receive(client, 1);
      const deletes = [await settled(client, handles[0]), await settled(client, handles[0])];
      await pass(1_500);
      return [deletes, (await receive(client, 1)).deliveries];
    },
    real: [["no error", "no error"], [["ref-000002", "2"]]],
    standIn: {
      shows: [["no error", ["ReceiptHandleIsInvalid", "client", 400]], [["ref-000002", "2"]]],
      documented: "a delete with an old handle succeeds",
    },
  },
  {
    name: "a delete after the timeout, while nobody else has the message",
    play: async ({ client, publish, pass }) => {
      await publish(1);
      const { handles } = await receive(client, 1);
      await pass(1_500);
      const outcome = await settled(client, handles[0]);
      return [outcome, (await receive(client, 1)).deliveries];
    },
    real: ["no error", []],
  },
  {
    name: "a delete by the handle of an earlier receive",
    play: async ({ client, publish, pass }) => {
      await publish(1);
      const { handles } = await receive(client, 1);
      await pass(1_500);
      await receive(client, 1);
      const outcome = await settled(client, handles[0]);
      await pass(1_500);
      return [outcome, (await receive(client, 1)).deliveries];
    },
    real: ["no error", [["ref-000001", "3"]]],
    standIn: {
      shows: [["ReceiptHandleIsInvalid", "client", 400], [["ref-000001", "3"]]],
      documented: "it succeeds and deletes nothing",
    },
  },
  {
    name: "ChangeMessageVisibility of what is visible, deleted or unknown",
    play: async ({ client, publish, pass }) => {
      await publish(2);
      const { handles } = await receive(client, 1);
      await settled(client, handles[0]);
      await pass(1_500);
      return [
        await kept(client, handles[1], 1),
        await kept(client, handles[0], 1),
        await kept(client, "unknown", 1),
      ];
    },
    real: [
      ["MessageNotInflight", "client", 400],
      ["InvalidParameterValue", "client", 400],
      ["ReceiptHandleIsInvalid", "client", 400],
    ],
    standIn: {
      shows: [
        "no error",
        ["ReceiptHandleIsInvalid", "client", 400],
        ["ReceiptHandleIsInvalid", "client", 400],
      ],
      documented: "what is visible is not in flight, and of what is deleted the value is invalid",
    },
  },
  {
    name: "a long poll ends with the first message, or after its time",
    play: async ({ client, publish, pass }) => {
      const polling = receive(client, 1, 20);
      await pass(500);
      await publish(1);
      const { deliveries, handles } = await polling;
      await settled(client, handles[0]);
      return [deliveries, (await receive(client, 1, 1)).deliveries];
    },
    real: [[["ref-000001", "1"]], []],
  },
  {
    name: "a receive that is aborted",
    play: async ({ client, pass }) => {
      const controller = new AbortController();
      const polling = client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
        abortSignal: controller.signal,
      });
      const outcome = polling.then(
        () => "received",
        (error: unknown) => (error as Error).name,
      );
      await pass(300);
      controller.abort();
      return outcome;
    },
    real: "AbortError",
  },
  {
    name: "numbers out of range",
    play: async ({ client }) => {
      const outcomes: unknown[] = [];
      for (const numbers of [
        { MaxNumberOfMessages: 0 },
        { MaxNumberOfMessages: 11 },
        { WaitTimeSeconds: 21 },
        { VisibilityTimeout: 43_201 },
      ]) {
        const command = new ReceiveMessageCommand({ QueueUrl, ...numbers });
        outcomes.push(await errorOf(client.send(command)));
      }
      return outcomes;
    },
    real: [
      ["InvalidParameterValue", "client", 400],
      ["InvalidParameterValue", "client", 400],
      ["InvalidParameterValue", "client", 400],
      ["InvalidParameterValue", "client", 400],
    ],
    standIn: {
      shows: [
        ["InvalidAttributeValue", "client", 400],
        ["InvalidAttributeValue", "client", 400],
        ["InvalidAttributeValue", "client", 400],
        "no error",
      ],
      documented: "the value of the parameter is invalid, also of a timeout beyond twelve hours",
    },
  },
  {
    name: "batches that are empty, too long, or whose ids are alike or malformed",
    play: async ({ client, publish }) => {
      await publish(1);
      const { handles } = await receive(client, 30);
      const outcomes: unknown[] = [];
      const eleven = Array.from({ length: 11 }, (_, at) => `id-${at}`);
      for (const ids of [[], eleven, ["a", "a"], ["a b"], [""]]) {
        const Entries = ids.map((Id) => ({ Id, ReceiptHandle: handles[0] }));
        const command = new DeleteMessageBatchCommand({ QueueUrl, Entries });
        outcomes.push(await errorOf(client.send(command)));
      }
      return outcomes;
    },
    real: [
      ["EmptyBatchRequest", "client", 400],
      ["TooManyEntriesInBatchRequest", "client", 400],
      ["BatchEntryIdsNotDistinct", "client", 400],
      ["InvalidBatchEntryId", "client", 400],
      ["InvalidBatchEntryId", "client", 400],
    ],
    standIn: {
      shows: [
        "no error",
        ["TooManyEntriesInBatchRequest", "client", 400],
        ["BatchEntryIdsNotDistinct", "client", 400],
        "no error",
        "no error",
      ],
      documented:
        "an empty batch is refused, and so are ids with other than letters, digits, - and _",
    },
  },
  {
    name: "a batch in which one entry fails",
    play: async ({ client, publish }) => {
      await publish(2);
      const { handles } = await receive(client, 1);
      const entries = [handles[0], "unknown"].map((ReceiptHandle, at) => ({
        ...{ Id: `id-${at}`, ReceiptHandle },
      }));
      const changed = await client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl,
          Entries: entries.map((entry) => ({ ...entry, VisibilityTimeout: 30 })),
        }),
      );
      const deleted = await client.send(
        new DeleteMessageBatchCommand({ QueueUrl, Entries: entries }),
      );
      return [changed, deleted].map(({ Successful = [], Failed = [] }) => [
        Successful.map(({ Id }) => Id),
        Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
      ]);
    },
    real: [
      [["id-0"], [["id-1", "ReceiptHandleIsInvalid", true]]],
      [["id-0"], [["id-1", "ReceiptHandleIsInvalid", true]]],
    ],
  },
];
