import {
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import type { Observation } from "./observation.ts";

const QueueUrl = "https://sqs/0/others";
const ATTRIBUTES_TOO_MANY = 11;
const BYTES_TOO_MANY = 1_048_577;
const NAME_OF_ALL =
  "the API reference names no other error for these, and recorded tests of the service have InvalidParameterValue";

/** "taken", or the name of the refusal. */
async function nameOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return "taken";
  } catch (error) {
    return (error as Error).name;
  }
}

/** Sends a message; "taken", or the name of its refusal. */
function sent(client: SqsClient, more: object): Promise<string> {
  return nameOf(client.send(new SendMessageCommand({ QueueUrl, MessageBody: "text", ...more })));
}

async function sentAll(client: SqsClient, inputs: readonly object[]): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const input of inputs) seen.push(await sent(client, input));
  return seen;
}

const NAMES = ["a.b-c_D1", "AWS.a", "amazon.a", ".a", "a.", "a..b", "a b"];
const NUMBERS = ["-1.5", "1e3", "five", "1e127", "0x10"];

function refused(count: number): readonly string[] {
  return Array.from({ length: count }, () => "InvalidParameterValue");
}

const withAttribute = (value: object): object => ({ MessageAttributes: { reason: value } });

/** Returns the ids of those that were taken, and of the others with why; or why none was. */
async function sentTogether(
  client: SqsClient,
  Entries: readonly ({ readonly Id: string; readonly MessageBody: string } | null)[],
): Promise<unknown> {
  try {
    const { Successful = [], Failed = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl, Entries: [...Entries] as never[] }),
    );
    return [Successful.map(({ Id }) => Id), Failed.map(({ Id, Code }) => [Id, Code])];
  } catch (error) {
    return (error as Error).name;
  }
}

/** What a queue refuses to take. */
export const SQS_SENDS: readonly Observation<SqsClient>[] = [
  {
    name: "attributes without a value, of no type, and too many",
    play: ({ client }) => {
      const many = Array.from({ length: ATTRIBUTES_TOO_MANY }, (_, at) => [
        `attribute-${at}`,
        { DataType: "String", StringValue: "text" },
      ]);
      return sentAll(client, [
        withAttribute({ DataType: "String", StringValue: "why" }),
        withAttribute({ DataType: "Number.int", StringValue: "12" }),
        withAttribute({ DataType: "Binary", BinaryValue: Uint8Array.of(1) }),
        withAttribute({ DataType: "String", StringValue: "" }),
        withAttribute({ DataType: "Strange", StringValue: "why" }),
        { MessageAttributes: Object.fromEntries(many) as object },
      ]);
    },
    real: [
      ...["taken", "taken", "taken"],
      ...["InvalidParameterValue", "InvalidParameterValue", "InvalidParameterValue"],
    ],
    standIn: {
      shows: [
        ...["taken", "taken", "taken"],
        ...["InvalidAttributeValue", "InvalidParameterValue", "InvalidAttributeValue"],
      ],
      documented: NAME_OF_ALL,
    },
  },
  {
    name: "bodies with unknown characters, and too long",
    play: ({ client }) =>
      sentAll(client, [
        { MessageBody: "tab\tnew line\n \u{1F389}" },
        { MessageBody: "null \u0000" },
        { MessageBody: "x".repeat(BYTES_TOO_MANY) },
      ]),
    real: ["taken", "InvalidMessageContents", "InvalidParameterValue"],
    standIn: {
      shows: ["taken", "InvalidAttributeValue", "InvalidAttributeValue"],
      documented: `SendMessage returns InvalidMessageContents for other characters; of sizes, ${NAME_OF_ALL}`,
    },
  },
  {
    name: "delays out of range, and what a standard queue does not take",
    play: ({ client }) =>
      sentAll(client, [
        { DelaySeconds: 900 },
        { DelaySeconds: 901 },
        { DelaySeconds: -1 },
        { MessageGroupId: "group" },
        { MessageDeduplicationId: "id" },
      ]),
    real: [
      ...["taken", "InvalidParameterValue", "InvalidParameterValue"],
      ...["taken", "InvalidParameterValue"],
    ],
  },
  {
    name: "a batch of sends of which one cannot be taken",
    async play({ client }) {
      const Entries = [
        { Id: "good", MessageBody: "text" },
        { Id: "late", MessageBody: "text", DelaySeconds: 901 },
      ];
      return await sentTogether(client, Entries);
    },
    real: [["good"], [["late", "InvalidParameterValue"]]],
  },
  {
    name: "an attribute whose bytes are given as a text, and an entry of null",
    async play({ client }) {
      const MessageAttributes = { why: { DataType: "Binary", BinaryValue: "text" as never } };
      const message = { QueueUrl, MessageBody: "text", MessageAttributes };
      const { MD5OfMessageAttributes } = await client.send(new SendMessageCommand(message));
      return [
        MD5OfMessageAttributes,
        await sentTogether(client, [{ Id: "good", MessageBody: "text" }, null]),
      ];
    },
    real: ["c531c43e0cacbc81c59f4e707bd5ebb2", "TypeError"],
  },
  {
    name: "a batch of sends of which one has an attribute of no type",
    async play({ client }) {
      const MessageAttributes = { why: { DataType: "Strange", StringValue: "why" } };
      const Entries = [
        { Id: "good", MessageBody: "text" },
        { Id: "strange", MessageBody: "text", MessageAttributes },
      ];
      return await sentTogether(client, Entries);
    },
    real: [["good"], [["strange", "InvalidParameterValue"]]],
    standIn: {
      shows: "InvalidParameterValue",
      documented:
        "SendMessageBatch reports the result of each message, and some may fail while others do not",
    },
  },
  {
    name: "attributes whose names are none, and whose numbers are none",
    play: ({ client }) =>
      sentAll(client, [
        ...NAMES.map((name) => ({
          MessageAttributes: { [name]: { DataType: "String", StringValue: "why" } },
        })),
        ...NUMBERS.map((StringValue) => withAttribute({ DataType: "Number", StringValue })),
      ]),
    real: ["taken", ...refused(6), "taken", "taken", ...refused(3)],
    standIn: {
      shows: [
        ...["taken", "taken", "taken", "taken", "taken", "taken", "taken"],
        ...["taken", "taken", "InvalidAttributeValue", "InvalidAttributeValue"],
        "InvalidAttributeValue",
      ],
      documented:
        "the developer guide has what names there are, and numbers up to 10^126; recorded tests of the service have InvalidParameterValue",
    },
  },
  {
    name: "texts that are none, and what is null",
    play: ({ client }) =>
      sentAll(client, [
        ...[{ MessageBody: 5 }, { MessageBody: true }, { MessageBody: {} }, { MessageBody: null }],
        ...[{ MessageGroupId: 5 }, { DelaySeconds: null, MessageAttributes: null }],
      ]),
    real: [
      ...["SerializationException", "SerializationException", "SerializationException"],
      ...["MissingParameter", "SerializationException", "taken"],
    ],
    standIn: {
      shows: [
        ...["SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError", "SyntaxError"],
        "taken",
      ],
      documented: "the JSON protocol has SerializationException for a field of another type",
    },
  },
  {
    name: "numbers that are no integers, and URLs that are none",
    async play({ client }) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: "https://sqs/0/orders" }),
      );
      const of = (input: object): Promise<string> =>
        nameOf(
          client.send(
            new ChangeMessageVisibilityCommand({
              ...{ QueueUrl, ReceiptHandle: "none", VisibilityTimeout: 0, ...input },
            }),
          ),
        );
      const inOne = (more: object): Promise<string> =>
        nameOf(
          client.send(
            new SendMessageBatchCommand({
              ...{ QueueUrl, Entries: [{ Id: "a", MessageBody: "text", ...more }] },
            }),
          ),
        );
      const delays = ["1", 0.5, true, [1], {}].map((DelaySeconds) => ({ DelaySeconds }));
      const urls = [5, "", null].map((url) => ({ QueueUrl: url }));
      return [
        Messages.length,
        await sentAll(client, [...delays, { DelaySeconds: Number.NaN }, ...urls]),
        [await inOne({ DelaySeconds: "1" }), await inOne({ DelaySeconds: 1.5 })],
        [await of({ VisibilityTimeout: "1" }), await of({ VisibilityTimeout: 1.5 })],
        [await of({ VisibilityTimeout: Number.NaN }), await of({ QueueUrl: 5 })],
      ];
    },
    real: [
      0,
      [
        ...Array.from({ length: 7 }, () => "SerializationException"),
        ...["MissingParameter", "MissingParameter"],
      ],
      ...Array.from({ length: 3 }, () => ["SerializationException", "SerializationException"]),
    ],
    standIn: {
      shows: [
        0,
        [...Array.from({ length: 7 }, () => "SyntaxError"), ...["InvalidAction", "SyntaxError"]],
        ...Array.from({ length: 3 }, () => ["SyntaxError", "SyntaxError"]),
      ],
      documented:
        "the JSON protocol has SerializationException for a field of another type, and a required parameter is missing: MissingParameter",
    },
  },
];
