import * as Kinesis from "@aws-sdk/client-kinesis";
import * as fc from "fast-check";
import type { Members } from "../../../sim/brokers/aws-shape.ts";
import { ENTRY, FIELDS, type KinesisCommand } from "../../../sim/brokers/kinesis/inputs.ts";
import { ODD } from "../aws/odd-inputs.ts";
import { errorSeen } from "../aws/outcome.ts";
import { bytesOf, type KinesisPort, sdkOf, textsOf } from "../observed/kinesis.ts";
import type { DrawnSequences } from "./drawn.ts";

/** A command with its input; a text such as "iterator 2" stands for the last but two of them. */
type Call = readonly [KinesisCommand, Readonly<Record<string, unknown>>];

/** A later instant: a stand-in numbers by it. */
const SOON_MS = 2;
const TEXT_MAX = 400;
const HASHES = 2n ** 128n;

const right = (...values: readonly unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);
const key = right("a", "b", "key-1", "größe", "x".repeat(256), "ü".repeat(256));
const bytes = right(bytesOf("1"), bytesOf("two"), "text", new Uint8Array(), Buffer.from("4"));
const stream = right("orders");
const shardId = right("shardId-000000000000", "shardId-000000000001");
const number = right("number 0", "number 1", "number 2", undefined);
/** An iterator at an instant is none where nothing comes behind it: the stand-in never replies. */
const TYPES = ["TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"];
const hash = right(undefined, undefined, "0", "1", String(HASHES - 1n), String(HASHES), "07", "-1");
const RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  PartitionKey: key,
  ExplicitHashKey: hash,
  Data: bytes,
  StreamName: stream,
  ShardId: right(
    "shardId-000000000000",
    "shardId-000000000001",
    "shardId-000000000002",
    "1",
    "x-1",
  ),
  ShardIteratorType: right(...TYPES, ...TYPES, "latest", "AT_TIMESTAMP"),
  StartingSequenceNumber: number,
  // Only one to come has a text of its own.
  Timestamp: right(undefined, 99_999_999_999),
  Limit: right(undefined, undefined, 1, 2, 3, 100),
  ShardIterator: right("iterator 0", "iterator 0", "iterator 1", "iterator 2"),
  NextToken: right(undefined),
  ExclusiveStartShardId: fc.oneof(right(undefined), shardId),
  // The stand-in looks at neither.
  MaxResults: right(undefined, 10_000),
  ShardFilter: right(undefined),
};
/** Where the stand-in is known to do otherwise, which the page of differences tells. */
const SHOWN: Readonly<Record<string, (value: unknown) => boolean>> = {
  // Its patterns end with the text, or begin with it.
  ExplicitHashKey: (value) => typeof value !== "string" || /^-?\d*$/.test(value),
  StartingSequenceNumber: (value) => typeof value !== "string" || value.startsWith("number"),
  MaxResults: (value) => typeof value !== "number" || value < 1 || value > 9_999,
  NextToken: (value) => typeof value !== "string",
  ShardFilter: (value) => value === undefined || value === null,
  SequenceNumberForOrdering: (value) => typeof value !== "string" || !/^\d+$/.test(value),
  Timestamp: (value) => ["string", "boolean"].includes(typeof value) || Array.isArray(value),
};

function fieldOf(name: string): fc.Arbitrary<unknown> {
  const odd = ODD.filter((value) => SHOWN[name]?.(value) !== false);
  return fc.oneof(
    { weight: 14, arbitrary: RIGHT[name] ?? fc.constant(undefined) },
    { weight: 1, arbitrary: right(...odd) },
  );
}

function inputOf(members: Members): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.keys(members).map((name) => [name, fieldOf(name)] as const);
  return fc.record(Object.fromEntries(fields));
}

const records = fc.oneof(
  { weight: 9, arbitrary: fc.array(inputOf(ENTRY), { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: right(...ODD) },
);

function callOf(name: KinesisCommand): fc.Arbitrary<Call> {
  const input = inputOf(FIELDS[name]);
  const all = fc.tuple(input, records).map(([fields, Records]) => ({ ...fields, Records }));
  return fc.tuple(fc.constant(name), name === "PutRecords" ? all : input);
}

/** The stand-in is older than `StreamARN`, and says something else where neither is given. */
function namesStream([, { StreamName }]: Call): boolean {
  return !["undefined", "null"].includes(String(StreamName)) && !isNoDate(StreamName);
}

/** The stand-in describes all shards, whatever is asked. */
function asksForAll([, { Limit, ExclusiveStartShardId }]: Call): boolean {
  return typeof Limit !== "number" && typeof ExclusiveStartShardId !== "string";
}

function isNoDate(value: unknown): boolean {
  return value instanceof Date && Number.isNaN(value.getTime());
}

/** Every command with every field missing, right and odd, and what becomes of the stream. */
export const KINESIS_INPUTS: DrawnSequences<KinesisPort, Call> = {
  operation: fc.oneof(
    { weight: 4, arbitrary: callOf("PutRecord") },
    { weight: 3, arbitrary: callOf("PutRecords") },
    { weight: 5, arbitrary: callOf("GetShardIterator") },
    { weight: 5, arbitrary: callOf("GetRecords") },
    { weight: 2, arbitrary: callOf("ListShards") },
    { weight: 1, arbitrary: callOf("DescribeStream").filter(namesStream).filter(asksForAll) },
    { weight: 1, arbitrary: callOf("DescribeStreamSummary").filter(namesStream) },
  ),
  operationsMax: 16,
  async play(stage, calls) {
    const client = sdkOf(stage.client);
    const known: Record<string, string[]> = { number: [], iterator: [] };
    const seen: unknown[] = [];
    for (const call of calls) {
      const [name, input] = call;
      const outcome = await client.send(commandOf(name, input, known) as never).then(
        (output) => outputSeen(name, output, known),
        (error: unknown) => errorSeen(error, (text) => textSeen(text, known)),
      );
      await stage.pass(SOON_MS);
      seen.push([name, fc.stringify(input), outcome]);
    }
    return seen;
  },
};

type Known = Readonly<Record<string, string[]>>;

function commandOf(name: KinesisCommand, input: Call[1], known: Known): object {
  const fields = Object.entries(input).map(([field, value]) => {
    const [kind = "", nth] = typeof value === "string" ? value.split(" ") : [];
    const all = known[kind];
    return [field, all === undefined ? value : all.at(-1 - Number(nth))] as const;
  });
  const { [`${name}Command`]: Command } = Kinesis as unknown as Record<
    string,
    new (input: object) => object
  >;
  if (Command === undefined) throw new Error(`There is no ${name}`);
  return new Command(Object.fromEntries(fields));
}

interface Output {
  readonly ShardId?: string;
  readonly SequenceNumber?: string;
  readonly FailedRecordCount?: number;
  readonly Records?: readonly Output[];
  readonly Data?: Uint8Array;
  readonly PartitionKey?: string;
  readonly ShardIterator?: string;
  readonly NextShardIterator?: string;
  readonly Shards?: readonly object[];
  readonly StreamDescription?: { readonly Shards?: readonly object[] };
}

function outputSeen(name: KinesisCommand, given: unknown, known: Known): unknown {
  const output = given as Output;
  const { ShardId, SequenceNumber, Records = [], ShardIterator, NextShardIterator } = output;
  const got = [ShardIterator, NextShardIterator].filter((one) => one !== undefined);
  known["iterator"]?.push(...got);
  if (SequenceNumber !== undefined) known["number"]?.push(SequenceNumber);
  switch (name) {
    case "PutRecord":
      return ShardId;
    case "PutRecords":
      known["number"]?.push(...Records.map((one) => one.SequenceNumber ?? ""));
      return [output.FailedRecordCount, Records.map((one) => one.ShardId)];
    case "GetShardIterator":
      return typeof ShardIterator;
    case "GetRecords":
      return [
        textsOf(Records),
        Records.map((one) => one.PartitionKey),
        Records.map((one) => known["number"]?.indexOf(one.SequenceNumber ?? "")),
        typeof NextShardIterator,
      ];
    case "ListShards":
      return shardsSeen(output.Shards);
    case "DescribeStream":
      return shardsSeen(output.StreamDescription?.Shards);
    default:
      return Object.keys(given as object).toSorted();
  }
}

function shardsSeen(shards: readonly object[] = []): unknown {
  return shards.map((shard) => {
    const { ShardId, HashKeyRange } = shard as { ShardId?: string; HashKeyRange?: object };
    return [ShardId, HashKeyRange, Object.keys(shard).toSorted()];
  });
}

const WORDED: readonly (readonly [RegExp, string])[] = [
  [/class com\.amazon\.coral\.value\.json\.numbers\.TruncatingBigNumber/, "NUMBER_VALUE"],
  [/class java\.lang\.String/, "STRING_VALUE"],
  [/class java\.lang\.Boolean|TRUE_VALUE|FALSE_VALUE/, "TRUE_OR_FALSE"],
  [/ an String/, " a String"],
  [/\[com\.amazonaws\.kinesis[^\]]*\]/g, "[...]"],
  [/\d{13}/g, "instant"],
];

/** A text without what differs on purpose, or from one run to the next. */
function textSeen(text: string, { number: numbers = [] }: Known): string {
  const named = numbers.reduce((all, one, at) => all.replaceAll(one, `number ${at}`), text);
  return WORDED.reduce((all, [pattern, word]) => all.replace(pattern, word), named).slice(
    0,
    TEXT_MAX,
  );
}
