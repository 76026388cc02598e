import {
  DescribeStreamCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  type ListShardsCommandInput,
  PutRecordCommand,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import type { KinesisClient as ModelledClient } from "../../../sim/brokers/kinesis/kinesis-client.ts";
import type { Observation } from "./observation.ts";

const StreamName = "orders";
const FIRST = "shardId-000000000000";
const BYTES_MAX = 1_048_576;
const TO_COME = new Date("2200-01-01T00:00:00Z");

/** Longer than a shard is being split. */
const SPLIT_MS = 100;
const NOT_NULL = "Member must not be null";
const NOT_EMPTY = "Member must have length greater than or equal to 1";
const AT_LEAST_ONE = "Member must have value greater than or equal to 1";
const NAME = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
const HASH = String.raw`Member must satisfy regular expression pattern: 0|([1-9]\d{0,38})`;
const NUMBER = String.raw`Member must satisfy regular expression pattern: 0|([1-9]\d{0,128})`;
/** Of pages of no shards, and of too many. */
const LIMITS_REFUSED = [
  ["0", AT_LEAST_ONE],
  ["10001", "Member must have value less than or equal to 10000"],
].map(
  ([limit, rule]) =>
    `1 validation error detected: Value '${limit}' at 'limit' failed to satisfy constraint: ${rule}`,
);
const UNREADABLE = "SerializationException";
const STRUCTURE = "Start of structure or map found where not expected.";
const ENCODES_OTHER =
  "Invalid StartingSequenceNumber. It encodes shardId-000000000001, while it was used in a call to a shard with shardId-000000000000";

type Port = { readonly client: ModelledClient };

function sdkOf({ client }: Port): KinesisClient {
  return client as unknown as KinesisClient;
}

async function nameOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "taken",
    (error: unknown) => (error as Error).name,
  );
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}

/** The account of an error is the server's. */
function messageTold(error: unknown): string {
  return messageOf(error).replace(/account \d+/, "account A");
}

/** The numbers of the shards of one page, and whether there is another one. */
async function listed(client: KinesisClient, input: ListShardsCommandInput): Promise<unknown> {
  const { Shards = [], NextToken } = await client.send(new ListShardsCommand(input));
  return [Shards.map(({ ShardId = "" }) => Number(ShardId.slice(-1))), NextToken !== undefined];
}

/** Filters and pages of shards, and what is taken of data and times. */
export const KINESIS_SHARDS: readonly Observation<Port>[] = [
  {
    name: "ListShards from a shard on, and what it refuses",
    async play({ client: port }) {
      const client = sdkOf(port);
      return [
        await listed(client, { StreamName, ExclusiveStartShardId: FIRST }),
        await nameOf(client.send(new ListShardsCommand({}))),
        await nameOf(client.send(new ListShardsCommand({ StreamName, NextToken: "token" }))),
        await nameOf(client.send(new ListShardsCommand({ StreamName, MaxResults: 0 }))),
      ];
    },
    real: [
      [[1], false],
      "InvalidArgumentException",
      "InvalidArgumentException",
      "ValidationException",
    ],
  },
  {
    name: "ListShards page by page, and by filters, after a split",
    async play({ client: port, operate }) {
      const client = sdkOf(port);
      await operate("a shard is split");
      const first = await client.send(new ListShardsCommand({ StreamName, MaxResults: 3 }));
      const { NextToken } = first;
      return [
        first.Shards?.length,
        NextToken === undefined ? "no token" : await listed(client, { NextToken }),
        await listed(client, { StreamName, ShardFilter: { Type: "AT_LATEST" } }),
        await listed(client, { StreamName, ShardFilter: { Type: "AT_TRIM_HORIZON" } }),
        await listed(client, { StreamName, ShardFilter: { Type: "FROM_TRIM_HORIZON" } }),
      ];
    },
    real: [
      ...[3, [[3], false], [[1, 2, 3], false]],
      ...[
        [[0, 1], false],
        [[0, 1, 2, 3], false],
      ],
    ],
    standIn: {
      shows: [
        ...[4, "no token", [[0, 1, 2, 3], false]],
        ...[
          [[0, 1, 2, 3], false],
          [[0, 1, 2, 3], false],
        ],
      ],
      documented: "ListShards has `MaxResults` and filters, which kinesalite does not look at",
    },
  },
  {
    name: "data as text, of the largest size, and too large",
    async play({ client: port }) {
      const client = sdkOf(port);
      const put = (Data: Uint8Array | string): Promise<string> => {
        const input = { StreamName, PartitionKey: "a", Data: Data as Uint8Array };
        return nameOf(client.send(new PutRecordCommand(input)));
      };
      const outcomes = [await put("größe"), await put(new Uint8Array(BYTES_MAX + 1))];
      const from = { StreamName, ShardId: FIRST, ShardIteratorType: "TRIM_HORIZON" } as const;
      const { ShardIterator } = await client.send(new GetShardIteratorCommand(from));
      const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }));
      return [outcomes, Records.map(({ Data }) => new TextDecoder().decode(Data))];
    },
    real: [["taken", "ValidationException"], ["größe"]],
  },
  {
    name: "iterators of no kind, of seconds, and of a time to come",
    async play({ client: port }) {
      const client = sdkOf(port);
      const begin = (more: object): Promise<string> => {
        const input = { StreamName, ShardId: FIRST, ShardIteratorType: undefined, ...more };
        return nameOf(client.send(new GetShardIteratorCommand(input)));
      };
      const ShardIteratorType = "AT_TIMESTAMP";
      const { ShardId } = await client.send(
        new PutRecordCommand({ StreamName, PartitionKey: "a", Data: Uint8Array.of(1) }),
      );
      return [
        ShardId === FIRST,
        await begin({}),
        await begin({ ShardIteratorType, Timestamp: 0 }),
        await begin({ ShardIteratorType, Timestamp: TO_COME }),
      ];
    },
    real: [true, "ValidationException", "taken", "InvalidArgumentException"],
  },
  {
    name: "a description in pages",
    async play({ client: port }) {
      const client = sdkOf(port);
      const described = async (input: object): Promise<unknown> => {
        const command = new DescribeStreamCommand({ StreamName, ...input });
        const { StreamDescription: page } = await client.send(command);
        return [page?.Shards?.map(({ ShardId }) => ShardId), page?.HasMoreShards];
      };
      const refused = (input: object): Promise<unknown> =>
        described(input).then(
          () => "taken",
          (error: unknown) => (error as Error).message,
        );
      return [
        await described({ Limit: 1 }),
        await described({ Limit: 1, ExclusiveStartShardId: FIRST }),
        await described({ ExclusiveStartShardId: FIRST }),
        await described({ Limit: 10_000 }),
        await refused({ Limit: 0 }),
        await refused({ Limit: 10_001 }),
      ];
    },
    real: [
      [[FIRST], true],
      [["shardId-000000000001"], false],
      [["shardId-000000000001"], false],
      [[FIRST, "shardId-000000000001"], false],
      ...LIMITS_REFUSED,
    ],
    standIn: {
      shows: [
        ...Array.from({ length: 4 }, () => [[FIRST, "shardId-000000000001"], false]),
        ...LIMITS_REFUSED,
      ],
      documented:
        "`Limit` and `ExclusiveStartShardId` choose the shards, and `HasMoreShards` tells of others",
    },
  },
  {
    name: "a put behind another, by its number",
    async play({ client: port }) {
      const client = sdkOf(port);
      const put = async (SequenceNumberForOrdering?: string): Promise<string> => {
        const record = { StreamName, PartitionKey: "a", Data: Uint8Array.of(1) };
        const command = new PutRecordCommand({ ...record, SequenceNumberForOrdering });
        return (await client.send(command)).SequenceNumber ?? "";
      };
      const refused = (number: string): Promise<unknown> =>
        put(number).then(
          () => "taken",
          (error: unknown) => {
            return [(error as Error).name, messageTold(error).replace(/\b9\d{55}\b/, "*")];
          },
        );
      const first = await put();
      const second = await put(first);
      const third = await put(first);
      return [
        BigInt(first) < BigInt(second) && BigInt(second) < BigInt(third),
        await refused(`9${first.slice(1)}`),
        await refused("number"),
        await refused(""),
      ];
    },
    real: [
      true,
      [
        "InvalidArgumentException",
        "ExclusiveMinimumSequenceNumber * used in PutRecord on stream orders under account A is invalid.",
      ],
      ...["number", ""].map((number) => [
        "ValidationException",
        `1 validation error detected: Value '${number}' at 'sequenceNumberForOrdering' failed to satisfy constraint: ${NUMBER}`,
      ]),
    ],
  },
  {
    name: "what is known of the stream",
    async play({ client: port }) {
      const client = sdkOf(port);
      const { StreamDescriptionSummary: summary } = await client.send(
        new DescribeStreamSummaryCommand({ StreamName }),
      );
      const { StreamDescription: whole } = await client.send(
        new DescribeStreamCommand({ StreamName }),
      );
      return [
        Object.keys(summary ?? {}).toSorted(),
        [summary?.OpenShardCount, summary?.StreamStatus, summary?.RetentionPeriodHours],
        Object.keys(whole ?? {}).toSorted(),
        whole?.Shards?.map(({ ShardId, HashKeyRange }) => [ShardId, HashKeyRange]),
      ];
    },
    real: [
      [
        "ConsumerCount",
        "EncryptionType",
        "EnhancedMonitoring",
        "OpenShardCount",
        "RetentionPeriodHours",
        "StreamARN",
        "StreamCreationTimestamp",
        "StreamName",
        "StreamStatus",
      ],
      [2, "ACTIVE", 24],
      [
        "EncryptionType",
        "EnhancedMonitoring",
        "HasMoreShards",
        "RetentionPeriodHours",
        "Shards",
        "StreamARN",
        "StreamCreationTimestamp",
        "StreamName",
        "StreamStatus",
      ],
      [
        [
          "shardId-000000000000",
          { StartingHashKey: "0", EndingHashKey: "170141183460469231731687303715884105727" },
        ],
        [
          "shardId-000000000001",
          {
            StartingHashKey: "170141183460469231731687303715884105728",
            EndingHashKey: "340282366920938463463374607431768211455",
          },
        ],
      ],
    ],
  },
  {
    name: "the shard of an explicit hash key, and keys that are none",
    async play({ client: port }) {
      const client = sdkOf(port);
      const seen: unknown[] = [];
      const last = 2n ** 128n - 1n;
      for (const hash of ["0", 2n ** 127n - 1n, 2n ** 127n, last, last + 1n, "-1", "abc"]) {
        const record = { PartitionKey: "a", Data: Uint8Array.of(1), ExplicitHashKey: String(hash) };
        const put = client.send(new PutRecordCommand({ StreamName, ...record }));
        seen.push(await put.then(({ ShardId }) => ShardId, messageOf));
      }
      return seen;
    },
    real: [
      "shardId-000000000000",
      "shardId-000000000000",
      "shardId-000000000001",
      "shardId-000000000001",
      "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. Specified value was 340282366920938463463374607431768211456",
      "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. Specified value was -1",
      "1 validation error detected: Value 'abc' at 'explicitHashKey' failed to satisfy constraint: Member must satisfy regular expression pattern: 0|([1-9]\\d{0,38})",
    ],
  },
  {
    name: "what the refusals of requests say",
    async play({ client: port }) {
      const client = sdkOf(port);
      const iterator = (input: object): Promise<unknown> =>
        client.send(
          new GetShardIteratorCommand({
            ...{ StreamName, ShardId: FIRST, ShardIteratorType: "TRIM_HORIZON", ...input },
          }),
        );
      const put = (input: object): Promise<unknown> =>
        client.send(
          new PutRecordCommand({
            ...{ StreamName, PartitionKey: "a", Data: Uint8Array.of(1), ...input },
          }),
        );
      const calls = [
        iterator({ ShardIteratorType: "AT_SEQUENCE_NUMBER" }),
        iterator({ StartingSequenceNumber: "5" }),
        iterator({ ShardIteratorType: "AT_SEQUENCE_NUMBER", StartingSequenceNumber: "abc" }),
        iterator({ ShardIteratorType: "OLDEST" }),
        iterator({ ShardIteratorType: "AT_TIMESTAMP" }),
        iterator({ ShardIteratorType: undefined }),
        put({ PartitionKey: "" }),
        put({ PartitionKey: "k".repeat(257) }),
        put({ Data: undefined }),
        put({ Data: new Uint8Array(BYTES_MAX + 1) }),
        client.send(new GetRecordsCommand({ ShardIterator: "" })),
        client.send(new GetRecordsCommand({ ShardIterator: undefined })),
        client.send(new GetRecordsCommand({ ShardIterator: "x", Limit: 0 })),
        client.send(new GetRecordsCommand({ ShardIterator: "x", Limit: 10_001 })),
        client.send(new PutRecordsCommand({ StreamName, Records: [] })),
      ];
      return await Promise.all(calls.map((call) => call.then(() => "taken", messageOf)));
    },
    real: [
      "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified AT_SEQUENCE_NUMBER and no StartingSequenceNumber.",
      "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified TRIM_HORIZON and also a StartingSequenceNumber.",
      "1 validation error detected: Value 'abc' at 'startingSequenceNumber' failed to satisfy constraint: Member must satisfy regular expression pattern: 0|([1-9]\\d{0,128})",
      "1 validation error detected: Value 'OLDEST' at 'shardIteratorType' failed to satisfy constraint: Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_TIMESTAMP, AT_SEQUENCE_NUMBER, TRIM_HORIZON]",
      "Must specify timestampInMillis parameter for iterator of type AT_TIMESTAMP. Current request has no timestamp parameter.",
      "1 validation error detected: Value null at 'shardIteratorType' failed to satisfy constraint: Member must not be null",
      "1 validation error detected: Value '' at 'partitionKey' failed to satisfy constraint: Member must have length greater than or equal to 1",
      "1 validation error detected: Value 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk' at 'partitionKey' failed to satisfy constraint: Member must have length less than or equal to 256",
      "1 validation error detected: Value null at 'data' failed to satisfy constraint: Member must not be null",
      "1 validation error detected: Value 'java.nio.HeapByteBuffer[pos=0 lim=1048577 cap=1048577]' at 'data' failed to satisfy constraint: Member must have length less than or equal to 1048576",
      "1 validation error detected: Value '' at 'shardIterator' failed to satisfy constraint: Member must have length greater than or equal to 1",
      "1 validation error detected: Value null at 'shardIterator' failed to satisfy constraint: Member must not be null",
      "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
      "1 validation error detected: Value '10001' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 10000",
      "1 validation error detected: Value '[]' at 'records' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
  },
  {
    name: "several fields of a request that cannot be",
    async play({ client: port }) {
      const client = sdkOf(port);
      const x = Uint8Array.of(1);
      const none = undefined as never;
      const wrong = { StreamName: "!", PartitionKey: "", Data: x, ExplicitHashKey: "z" };
      const iterator = { ShardId: "", ShardIteratorType: "X" as never, StreamName: "none" };
      const calls = [
        client.send(new PutRecordCommand({ PartitionKey: none, Data: none })),
        client.send(new PutRecordCommand(wrong)),
        client.send(new PutRecordCommand({ StreamName: "", PartitionKey: "a", Data: x })),
        client.send(new PutRecordCommand({ StreamName: "none", PartitionKey: "", Data: x })),
        client.send(
          new PutRecordsCommand({
            Records: [{ PartitionKey: "", Data: x, ExplicitHashKey: "z" }, {} as never],
          }),
        ),
        client.send(
          new PutRecordsCommand({ Records: Array.from({ length: 6 }, () => ({}) as never) }),
        ),
        client.send(new GetShardIteratorCommand(iterator)),
        client.send(new GetRecordsCommand({ ShardIterator: "", Limit: 0 })),
        client.send(new ListShardsCommand({ StreamName: "!", MaxResults: 0 })),
        client.send(new DescribeStreamSummaryCommand({ StreamName: "" })),
      ];
      const told = await Promise.all(calls.map((call) => call.then(() => "taken", messageOf)));
      return told.map((text) => text.split(/ failed to satisfy constraint: |; | detected: /));
    },
    real: [
      [
        "3 validation errors",
        ...["Value null at 'partitionKey'", NOT_NULL, "Value null at 'data'", NOT_NULL],
        ...["Value null at 'streamName'", NOT_NULL],
      ],
      [
        "3 validation errors",
        ...["Value '' at 'partitionKey'", NOT_EMPTY, "Value 'z' at 'explicitHashKey'", HASH],
        ...["Value '!' at 'streamName'", NAME],
      ],
      [
        "2 validation errors",
        ...["Value '' at 'streamName'", NAME, "Value '' at 'streamName'", NOT_EMPTY],
      ],
      ["1 validation error", "Value '' at 'partitionKey'", NOT_EMPTY],
      [
        "5 validation errors",
        ...["Value '' at 'records.1.member.partitionKey'", NOT_EMPTY],
        ...["Value 'z' at 'records.1.member.explicitHashKey'", HASH],
        ...["Value null at 'records.2.member.partitionKey'", NOT_NULL],
        ...["Value null at 'records.2.member.data'", NOT_NULL],
        ...["Value null at 'streamName'", NOT_NULL],
      ],
      [
        "10 validation errors",
        ...[1, 2, 3, 4, 5].flatMap((at) => [
          ...[`Value null at 'records.${at}.member.partitionKey'`, NOT_NULL],
          ...[`Value null at 'records.${at}.member.data'`, NOT_NULL],
        ]),
      ],
      [
        "3 validation errors",
        ...["Value '' at 'shardId'", NAME, "Value '' at 'shardId'", NOT_EMPTY],
        "Value 'X' at 'shardIteratorType'",
        "Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_TIMESTAMP, AT_SEQUENCE_NUMBER, TRIM_HORIZON]",
      ],
      [
        ...["2 validation errors", "Value '0' at 'limit'", AT_LEAST_ONE],
        ...["Value '' at 'shardIterator'", NOT_EMPTY],
      ],
      [
        ...["2 validation errors", "Value '0' at 'maxResults'", AT_LEAST_ONE],
        ...["Value '!' at 'streamName'", NAME],
      ],
      [
        ...["2 validation errors", "Value '' at 'streamName'", NAME],
        ...["Value '' at 'streamName'", NOT_EMPTY],
      ],
    ],
  },
  {
    name: "data that are neither bytes nor text",
    async play({ client: port }) {
      const client = sdkOf(port);
      const seen: unknown[] = [];
      const some = [{ a: 1 }, [1], new Date(0), new Uint16Array([1]), new ArrayBuffer(1)];
      for (const data of some) {
        const record = { PartitionKey: "a", Data: data as never };
        const one = client.send(new PutRecordCommand({ StreamName, ...record }));
        const many = client.send(new PutRecordsCommand({ StreamName, Records: [record] }));
        seen.push(await one.then(() => "taken", messageOf), await nameOf(many));
      }
      for (const data of [5, true]) {
        const record = { PartitionKey: "a", Data: data as never };
        seen.push(await nameOf(client.send(new PutRecordCommand({ StreamName, ...record }))));
      }
      return seen;
    },
    real: [
      ...[STRUCTURE, UNREADABLE, "Start of list found where not expected", UNREADABLE],
      "'1970-01-01T00:00:00.000Z' can not be converted to a Blob: Invalid Base64 character: '-'",
      ...[UNREADABLE, STRUCTURE, UNREADABLE, STRUCTURE, UNREADABLE, UNREADABLE, UNREADABLE],
    ],
  },
  {
    name: "iterators at the numbers of a shard itself, and of another one",
    async play({ client: port, operate, pass }) {
      const client = sdkOf(port);
      const numbers: (string | undefined)[] = [];
      for (const PartitionKey of ["a", "a", "b"]) {
        const Data = Uint8Array.of(numbers.length);
        const put = await client.send(new PutRecordCommand({ StreamName, PartitionKey, Data }));
        numbers.push(put.SequenceNumber);
      }
      const read = async (number: string | undefined, more: object = {}): Promise<unknown> => {
        const input = { ShardIteratorType: "AT_SEQUENCE_NUMBER" as const, ShardId: FIRST, ...more };
        const { ShardIterator } = await client.send(
          new GetShardIteratorCommand({ StreamName, StartingSequenceNumber: number, ...input }),
        );
        const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }));
        return Records.map(({ Data }) => Data?.[0]);
      };
      await operate("a shard is split");
      await pass(SPLIT_MS);
      const { Shards: [first, second] = [] } = await client.send(
        new ListShardsCommand({ StreamName }),
      );
      const { StartingSequenceNumber: from, EndingSequenceNumber: to } =
        first?.SequenceNumberRange ?? {};
      const other = second?.SequenceNumberRange?.StartingSequenceNumber;
      const after = { ShardIteratorType: "AFTER_SEQUENCE_NUMBER" };
      return [
        ...[await read(from), await read(from, after), await read(to)],
        await read(other).catch(messageOf),
        await read(numbers[2], after).catch(messageOf),
        await read(numbers[2], { StreamName: "none" }).catch(messageTold),
        await read(numbers[2], { StreamName: "none", ShardId: "x" }).catch(messageTold),
      ];
    },
    real: [
      ...[[0, 1], [0, 1], []],
      ...[ENCODES_OTHER, ENCODES_OTHER],
      "Shard shardId-000000000000 in stream none under account A does not exist",
      "Could not find shard x in stream none under account A.",
    ],
  },
  {
    name: "fields that are no numbers, no lists and no times, and entries of null",
    async play({ client: port }) {
      const client = sdkOf(port);
      const iterator = (ShardIteratorType: "LATEST" | "AT_TIMESTAMP", more: object = {}) =>
        client.send(
          new GetShardIteratorCommand({ StreamName, ShardId: FIRST, ShardIteratorType, ...more }),
        );
      const { ShardIterator } = await iterator("LATEST");
      const read = (Limit: unknown): Promise<string> =>
        nameOf(client.send(new GetRecordsCommand({ ShardIterator, Limit: Limit as number })));
      const put = (Records: unknown): Promise<string> =>
        nameOf(client.send(new PutRecordsCommand({ StreamName, Records: Records as never })));
      const at = (Timestamp: unknown): Promise<string> =>
        nameOf(iterator("AT_TIMESTAMP", { Timestamp }));
      return [
        ...[await read("5"), await read(true), await read(null), await read(1.5)],
        ...[await read(Number.NaN), await read(Number.POSITIVE_INFINITY)],
        ...[await put("x"), await put([5]), await put([null])],
        ...[await at("x"), await at(new Date(Number.NaN))],
      ];
    },
    real: [
      ...[UNREADABLE, UNREADABLE, "taken", "taken", UNREADABLE, UNREADABLE],
      ...[UNREADABLE, UNREADABLE, "ValidationException", UNREADABLE, UNREADABLE],
    ],
  },
];
