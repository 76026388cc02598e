import * as Sqs from "@aws-sdk/client-sqs";
import * as fc from "fast-check";
import type { Members } from "../../../sim/brokers/aws-shape.ts";
import type { SqsClient } from "../../../sim/brokers/sqs/sqs-client.ts";
import { FIELDS, type SqsCommandName } from "../../../sim/brokers/sqs/sqs-commands.ts";
import { ODD } from "../aws/odd-inputs.ts";
import { errorSeen } from "../aws/outcome.ts";
import type { DrawnSequences } from "./drawn.ts";

/** A command with its input; a text such as "handle 2" stands for the last but two of them. */
type Call = readonly [SqsCommandName, Readonly<Record<string, unknown>>];

const right = (...values: readonly unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);
const text = (DataType: string, StringValue: unknown) => ({ DataType, StringValue });
const bytes = (DataType: string, BinaryValue: unknown) => ({ DataType, BinaryValue });
const ATTRIBUTE = right(
  ...[text("String", "x"), text("String.a", "ü"), text("Number", "1.5"), text("Number.int", "7")],
  ...[text("Number", "x"), text("String", ""), text("Other", "x"), text("Binary", "x")],
  ...[bytes("Binary", Uint8Array.of(1, 255)), bytes("Binary.png", "text"), bytes("String", "x")],
  ...[{ StringValue: "x" }, { DataType: "String" }, {}],
);
const TAKEN = right(text("String", "x"), text("Number", "1.5"), bytes("Binary", Uint8Array.of(1)));
const QUEUE_NAMES = right(undefined, [], ["All"], ["VisibilityTimeout"]);
const ATTRIBUTES = fc.dictionary(fc.constantFrom("a", "b.c", "b.d", "trace-id", "A_1"), ATTRIBUTE, {
  maxKeys: 3,
});
const NAMES = right(undefined, undefined, [], ["All"], ["a"], ["a", "trace-id"]);
const RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  QueueUrl: right(
    ...Array.from({ length: 12 }, () => "https://sqs/0/orders"),
    "https://sqs/0/none",
  ),
  QueueName: right("orders", "others", "none"),
  MessageBody: right("x", "grüße", '{"ref":"r"}', "\t\r\n", "😀"),
  DelaySeconds: right(undefined, undefined, undefined, 0, 1, 900, 901, -1),
  MessageAttributes: fc.oneof(right(undefined), right(undefined), ATTRIBUTES),
  MessageDeduplicationId: right(undefined),
  MessageGroupId: right(undefined),
  ReceiptHandle: right("handle 0", "handle 0", "handle 1", "handle 2", "none"),
  // What is visible again is another matter: sqs.ts has it.
  VisibilityTimeout: right(30, 60),
  MaxNumberOfMessages: right(10, 10, 10, undefined),
  WaitTimeSeconds: right(undefined, 0),
  AttributeNames: NAMES,
  MessageSystemAttributeNames: right(undefined, ["All"], ["ApproximateReceiveCount"]),
  MessageAttributeNames: NAMES,
  Id: right("a", "b", "c-1", "d_2", "e"),
};

/** Values that are no text, whatever is made of them. */
const isNoText = (value: unknown): boolean =>
  ["number", "boolean", "bigint"].includes(typeof value) || Array.isArray(value);
const isNoNumber = (value: unknown): boolean =>
  ["string", "boolean"].includes(typeof value) || Array.isArray(value);
/** Which odd values are drawn of what the stand-in is known to take, or refuse as a whole. */
const SHOWN: Readonly<Record<string, (value: unknown) => boolean>> = {
  Id: (value) =>
    isNoText(value) ||
    value === undefined ||
    (typeof value === "string" && /^[\w-]{1,80}$/.test(value)),
  Entries: (value) =>
    !Array.isArray(value) || value.some((one) => one !== null && one !== undefined),
  MessageBody: isNoText,
  DelaySeconds: isNoNumber,
  MessageAttributes: (value) => ["number", "boolean"].includes(typeof value),
  VisibilityTimeout: isNoNumber,
  MaxNumberOfMessages: isNoNumber,
  WaitTimeSeconds: isNoNumber,
  // The stand-in takes names that no attribute has.
  AttributeNames: (value) => !Array.isArray(value) || value.every((one) => typeof one !== "string"),
};
/** Of a batch a service refuses each entry; of one message it says the same. */
const RIGHT_OF_ENTRY: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...RIGHT,
  DelaySeconds: right(undefined, undefined, 0, 900),
  MessageAttributes: fc.oneof(right(undefined), fc.dictionary(fc.constantFrom("a", "b.c"), TAKEN)),
};

type Values = typeof RIGHT;

function fieldOf(name: string, values: Values): fc.Arbitrary<unknown> {
  const odd = ODD.filter((value) => SHOWN[name]?.(value) !== false);
  return fc.oneof(
    { weight: 20, arbitrary: values[name] ?? fc.constant(undefined) },
    { weight: 1, arbitrary: right(...odd) },
  );
}

function inputOf(members: Members, values: Values = RIGHT): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.keys(members).map((name) => [name, fieldOf(name, values)] as const);
  return fc.record(Object.fromEntries(fields));
}

function callOf(name: SqsCommandName): fc.Arbitrary<Call> {
  const { Entries, ...fields } = FIELDS[name];
  // Which attributes of a queue there are is another matter.
  const values = name === "GetQueueAttributes" ? { ...RIGHT, AttributeNames: QUEUE_NAMES } : RIGHT;
  if (Entries === undefined) return fc.tuple(fc.constant(name), inputOf(fields, values));
  const { list } = Entries as { readonly list: { readonly members: Members } };
  const one = inputOf(list.members, RIGHT_OF_ENTRY);
  const odd = ODD.filter((value) => SHOWN["Entries"]?.(value) !== false);
  const entries = fc.oneof(
    { weight: 9, arbitrary: fc.array(one, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: right(...odd) },
  );
  return fc.tuple(
    fc.constant(name),
    fc.tuple(inputOf(fields), entries).map(([more, all]) => ({ ...more, Entries: all })),
  );
}

/** Every command with every field missing, right and odd, and what becomes of the queue. */
export const SQS_INPUTS: DrawnSequences<SqsClient, Call> = {
  operation: fc.oneof(
    { weight: 5, arbitrary: callOf("SendMessage") },
    { weight: 3, arbitrary: callOf("SendMessageBatch") },
    { weight: 5, arbitrary: callOf("ReceiveMessage") },
    { weight: 2, arbitrary: callOf("DeleteMessage") },
    { weight: 2, arbitrary: callOf("DeleteMessageBatch") },
    { weight: 2, arbitrary: callOf("ChangeMessageVisibility") },
    { weight: 2, arbitrary: callOf("ChangeMessageVisibilityBatch") },
    { weight: 1, arbitrary: callOf("GetQueueUrl") },
    { weight: 1, arbitrary: callOf("GetQueueAttributes") },
  ),
  operationsMax: 12,
  async play({ client }, calls) {
    const handles: string[] = [];
    const seen: unknown[] = [];
    let sent = 0;
    for (const [name, drawn] of calls) {
      const input = name === "ReceiveMessage" && sent > 1 ? askedForAll(drawn) : drawn;
      const { Entries } = input;
      if (name.startsWith("SendMessage")) sent += Array.isArray(Entries) ? Entries.length : 1;
      const command = commandOf(name, input, handles);
      const outcome = await client.send(command as never).then(
        (output) => outputSeen(output, handles),
        (error: unknown) => refusalSeen(error),
      );
      forgetDeleted(name, command.input, handles);
      seen.push([name, fc.stringify(input), outcome]);
    }
    return seen;
  },
};

/** Which of several messages comes first is open. */
function askedForAll(input: Call[1]): Call[1] {
  const { MaxNumberOfMessages: most = 10 } = input;
  return { ...input, MaxNumberOfMessages: most };
}

function refusalSeen(error: unknown): unknown {
  const seen = errorSeen(error, (message) => message);
  if (!Array.isArray(seen)) return seen;
  const isService = error instanceof Error && "$fault" in error;
  return isService || String(error).includes("Deserialization") ? ["refused"] : seen.slice(0, 2);
}

/** What is said of a message that was deleted is another matter: sqs.ts has it. */
function forgetDeleted(name: SqsCommandName, input: Settling, handles: string[]): void {
  if (!name.startsWith("DeleteMessage")) return;
  const entries = Array.isArray(input.Entries) ? (input.Entries as unknown[]) : [input];
  const deleted = entries.flatMap((one) =>
    isRecord(one) ? [(one as Settling).ReceiptHandle] : [],
  );
  handles.splice(0, handles.length, ...handles.filter((handle) => !deleted.includes(handle)));
}

function commandOf(
  name: SqsCommandName,
  input: Call[1],
  handles: readonly string[],
): { readonly input: Settling } {
  const deleted = new Set<string>();
  const handleAt = (nth: number): string => {
    const handle = handles.at(-1 - nth);
    if (handle === undefined || deleted.has(handle)) return "none";
    if (name === "DeleteMessageBatch") deleted.add(handle);
    return handle;
  };
  const named = (fields: object): object =>
    Object.fromEntries(
      Object.entries(fields).map(([field, value]) => {
        const [kind, nth] = typeof value === "string" ? value.split(" ") : [];
        const isHandle = field === "ReceiptHandle" && kind === "handle";
        return [field, isHandle ? handleAt(Number(nth)) : value] as const;
      }),
    );
  const { Entries } = input;
  const isList = Array.isArray(Entries);
  const entries = isList
    ? (Entries as unknown[]).map((one) => (isRecord(one) ? named(one) : one))
    : Entries;
  const { [`${name}Command`]: Command } = Sqs as unknown as Record<
    string,
    new (input: object) => { readonly input: Settling }
  >;
  if (Command === undefined) throw new Error(`There is no ${name}`);
  return new Command({ ...named(input), ...("Entries" in input ? { Entries: entries } : {}) });
}

/** What a command has to say of messages; a caller may have given anything. */
interface Settling {
  readonly Entries?: unknown;
  readonly ReceiptHandle?: unknown;
}

function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}

interface Output {
  readonly Messages?: readonly Sqs.Message[];
  readonly Successful?: readonly { readonly Id?: string }[];
  readonly Failed?: readonly { readonly Id?: string }[];
  readonly QueueUrl?: string;
  readonly Attributes?: Readonly<Record<string, string>>;
}

function outputSeen(given: object, handles: string[]): unknown {
  const {
    Messages = [],
    Successful = [],
    Failed = [],
    QueueUrl,
    Attributes,
    ...more
  } = given as Output;
  const rank = ({ Body = "", MD5OfMessageAttributes = "" }: (typeof Messages)[number]): string =>
    `${Body}\n${MD5OfMessageAttributes}`;
  const sorted = Messages.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  handles.push(...sorted.map(({ ReceiptHandle = "" }) => ReceiptHandle));
  const { MessageId, $metadata, ...sums } = more as Record<string, unknown>;
  void MessageId;
  void $metadata;
  return [
    sums,
    sorted.map(({ Body, MD5OfBody, MessageAttributes: all = {}, MD5OfMessageAttributes: sum }) => [
      ...[Body, MD5OfBody, sum],
      Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]),
    sorted.map((one) => one.Attributes?.ApproximateReceiveCount),
    Successful.map(({ Id = "" }) => Id).toSorted((one, other) => (one < other ? -1 : 1)),
    Failed.map(({ Id }) => Id),
    QueueUrl?.split("/").at(-1),
    Attributes?.["VisibilityTimeout"],
  ];
}
