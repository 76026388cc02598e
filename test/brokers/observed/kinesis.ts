import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  PutRecordCommand,
  PutRecordsCommand,
  type ShardIteratorType,
} from "@aws-sdk/client-kinesis";
import type { KinesisWorker } from "../../../sim/brokers/kinesis/client.ts";
import { KINESIS_FIELDS } from "./kinesis-fields.ts";
import { KINESIS_SHARDS } from "./kinesis-shards.ts";
import { KINESIS_STREAMS } from "./kinesis-streams.ts";
import type { Observed } from "./observation.ts";

/** The model's worker has the SDK's client; a server is observed with that alone. */
export type KinesisPort = Pick<KinesisWorker, "client">;

const StreamName = "orders";
const FIRST = "shardId-000000000000";
const KEYS = ["a", "b", "key-1", "key-2", "größe", "", "x".repeat(257)];
const KEPT = 5;
const TICK_MS = 30;
/** A stand-in closes a shard some moments after it was split. */
const END_TRIES = 100;
const METADATA = [
  ...["attempts", "cfId", "extendedRequestId"],
  ...["httpStatusCode", "requestId", "totalRetryDelay"],
];

/** The model's client is typed as the part of the SDK's that it has. */
export function sdkOf({ client }: KinesisPort): KinesisClient {
  return client as unknown as KinesisClient;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function textsOf(records: readonly { Data?: Uint8Array | undefined }[] = []): string[] {
  return records.map(({ Data }) => new TextDecoder().decode(Data));
}

/** Puts records of the first shard, called 1 and so on; returns their sequence numbers. */
async function putSome(client: KinesisClient, count: number): Promise<readonly string[]> {
  const numbers: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const Data = bytesOf(String(n));
    const put = await client.send(new PutRecordCommand({ StreamName, PartitionKey: "a", Data }));
    numbers.push(put.SequenceNumber ?? "");
  }
  return numbers;
}

async function iteratorAt(
  client: KinesisClient,
  ShardIteratorType: ShardIteratorType,
  more: { readonly StartingSequenceNumber?: string | undefined; readonly Timestamp?: Date } = {},
): Promise<string | undefined> {
  const input = { StreamName, ShardId: FIRST, ShardIteratorType, ...more };
  return (await client.send(new GetShardIteratorCommand(input))).ShardIterator;
}

function keysOf(value: object | undefined): string[] {
  return Object.keys(value ?? {}).toSorted();
}

async function refusalOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return "no error";
  } catch (error) {
    const { name, $fault, $metadata } = error as Error & {
      readonly $fault?: string;
      readonly $metadata?: { readonly httpStatusCode?: number };
    };
    return [name, $fault, $metadata?.httpStatusCode, keysOf($metadata).length];
  }
}

const refused = (name: string): unknown => [name, "client", 400, METADATA.length];

/** What the AWS SDK showed on a stand-in for Kinesis. */
export const KINESIS: Observed<KinesisPort> = {
  server: "kinesalite 3.3.3 with @aws-sdk/client-kinesis 3",
  observations: [
    {
      name: "what a record and its replies have",
      async play(stage) {
        const client = sdkOf(stage.client);
        const Data = Uint8Array.of(0, 255, 10);
        const put = await client.send(
          new PutRecordCommand({ StreamName, PartitionKey: "a", Data }),
        );
        const ShardIterator = await iteratorAt(client, "TRIM_HORIZON");
        const got = await client.send(new GetRecordsCommand({ ShardIterator }));
        const [record] = got.Records ?? [];
        const { ApproximateArrivalTimestamp: at, PartitionKey } = record ?? {};
        const content = [PartitionKey, [...(record?.Data ?? [])], got.MillisBehindLatest];
        const isIt = record?.SequenceNumber === put.SequenceNumber && at instanceof Date;
        return [keysOf(put), keysOf(got), keysOf(got.$metadata), keysOf(record), content, isIt];
      },
      real: [
        ["$metadata", "SequenceNumber", "ShardId"],
        ["$metadata", "MillisBehindLatest", "NextShardIterator", "Records"],
        METADATA,
        ["ApproximateArrivalTimestamp", "Data", "PartitionKey", "SequenceNumber"],
        ["a", [0, 255, 10], 0],
        true,
      ],
    },
    {
      name: "keys choose shards, and numbers grow",
      async play(stage) {
        const client = sdkOf(stage.client);
        const Records = KEYS.slice(0, KEPT).map((PartitionKey) => ({
          PartitionKey,
          Data: bytesOf("x"),
        }));
        const first = await client.send(new PutRecordsCommand({ StreamName, Records }));
        const second = await client.send(new PutRecordsCommand({ StreamName, Records }));
        const grows = Records.map((_, at) => {
          const [before, after] = [first, second].map((put) => put.Records?.[at]?.SequenceNumber);
          return BigInt(before ?? 0) < BigInt(after ?? 0);
        });
        const shards = first.Records?.map(({ ShardId }) => Number(ShardId?.slice(-1)));
        return [first.FailedRecordCount, shards, grows, keysOf(first.Records?.[0])];
      },
      real: [0, [0, 1, 0, 1, 1], Array(KEPT).fill(true), ["SequenceNumber", "ShardId"]],
    },
    {
      name: "ListShards: ids and ranges",
      async play(stage) {
        const { Shards } = await sdkOf(stage.client).send(new ListShardsCommand({ StreamName }));
        return Shards?.map(({ ShardId, HashKeyRange, SequenceNumberRange, ...more }) => [
          ...[ShardId, HashKeyRange?.StartingHashKey, HashKeyRange?.EndingHashKey],
          ...[keysOf(SequenceNumberRange), keysOf(more)],
        ]);
      },
      real: [
        [
          ...[FIRST, "0", "170141183460469231731687303715884105727"],
          ...[["StartingSequenceNumber"], []],
        ],
        [
          ...["shardId-000000000001", "170141183460469231731687303715884105728"],
          ...["340282366920938463463374607431768211455", ["StartingSequenceNumber"], []],
        ],
      ],
    },
    {
      name: "where iterators begin",
      async play(stage) {
        const client = sdkOf(stage.client);
        const [, second] = await putSome(client, 3);
        const StartingSequenceNumber = second;
        const iterators = [
          await iteratorAt(client, "TRIM_HORIZON"),
          await iteratorAt(client, "AT_SEQUENCE_NUMBER", { StartingSequenceNumber }),
          await iteratorAt(client, "AFTER_SEQUENCE_NUMBER", { StartingSequenceNumber }),
          await iteratorAt(client, "LATEST"),
        ];
        await putSome(client, 1);
        const seen: unknown[] = [];
        for (const ShardIterator of iterators) {
          const { Records } = await client.send(new GetRecordsCommand({ ShardIterator }));
          seen.push(textsOf(Records));
        }
        return seen;
      },
      real: [["1", "2", "3", "1"], ["2", "3", "1"], ["3", "1"], ["1"]],
    },
    {
      name: "an iterator at an instant begins with what came then",
      async play(stage) {
        const client = sdkOf(stage.client);
        await putSome(client, 1);
        await stage.pass(TICK_MS);
        await putSome(client, 2);
        const start = await iteratorAt(client, "TRIM_HORIZON");
        const all = await client.send(new GetRecordsCommand({ ShardIterator: start }));
        const Timestamp = all.Records?.[1]?.ApproximateArrivalTimestamp ?? new Date(0);
        const ShardIterator = await iteratorAt(client, "AT_TIMESTAMP", { Timestamp });
        return textsOf((await client.send(new GetRecordsCommand({ ShardIterator }))).Records);
      },
      real: ["1", "2"],
    },
    {
      name: "a limit, the end of what there is, and an iterator that is used again",
      async play(stage) {
        const client = sdkOf(stage.client);
        await putSome(client, 3);
        const first = await iteratorAt(client, "TRIM_HORIZON");
        const seen: unknown[] = [];
        let ShardIterator = first;
        for (let reads = 0; reads < 3; reads += 1) {
          const got = await client.send(new GetRecordsCommand({ ShardIterator, Limit: 2 }));
          ShardIterator = got.NextShardIterator;
          seen.push([textsOf(got.Records), typeof ShardIterator]);
        }
        await putSome(client, 1);
        const later = await client.send(new GetRecordsCommand({ ShardIterator }));
        const again = await client.send(new GetRecordsCommand({ ShardIterator: first, Limit: 1 }));
        return [seen, textsOf(later.Records), textsOf(again.Records)];
      },
      real: [
        [
          [["1", "2"], "string"],
          [["3"], "string"],
          [[], "string"],
        ],
        ["1"],
        ["1"],
      ],
    },
    {
      name: "a shard that is split ends, and its children have what comes then",
      async play(stage) {
        const client = sdkOf(stage.client);
        await putSome(client, 2);
        await stage.operate("a shard is split");
        const Data = bytesOf("3");
        const put = await client.send(
          new PutRecordCommand({ StreamName, PartitionKey: "a", Data }),
        );
        const { Shards = [] } = await client.send(new ListShardsCommand({ StreamName }));
        const read: string[] = [];
        let ShardIterator = await iteratorAt(client, "TRIM_HORIZON");
        for (let tries = 0; tries < END_TRIES && ShardIterator !== undefined; tries += 1) {
          const got = await client.send(new GetRecordsCommand({ ShardIterator }));
          read.push(...textsOf(got.Records));
          ShardIterator = got.NextShardIterator;
          if (ShardIterator !== undefined) await stage.pass(TICK_MS);
        }
        const parents = Shards.map(({ ShardId, ParentShardId, SequenceNumberRange }) => [
          ...[ShardId?.slice(-1), ParentShardId?.slice(-1) ?? "none"],
          keysOf(SequenceNumberRange),
        ]);
        return [parents, put.ShardId?.slice(-1), read, typeof ShardIterator];
      },
      real: [
        [
          ["0", "none", ["EndingSequenceNumber", "StartingSequenceNumber"]],
          ["1", "none", ["StartingSequenceNumber"]],
          ["2", "0", ["StartingSequenceNumber"]],
          ["3", "0", ["StartingSequenceNumber"]],
        ],
        "2",
        ["1", "2"],
        "undefined",
      ],
    },
    {
      name: "what is wrong with a put",
      async play(stage) {
        const client = sdkOf(stage.client);
        const Data = bytesOf("x");
        const put = (PartitionKey: string | undefined, data: Uint8Array | undefined) => () =>
          client.send(new PutRecordCommand({ StreamName, PartitionKey, Data: data }));
        const many = (count: number, PartitionKey = "a") => {
          const Records = Array.from({ length: count }, () => ({ PartitionKey, Data }));
          return () => client.send(new PutRecordsCommand({ StreamName, Records }));
        };
        const calls = [
          ...KEYS.slice(KEPT).flatMap((key) => [put(key, Data), many(1, key)]),
          ...[put(undefined, Data), put("a", undefined), many(0), many(501)],
        ];
        return [
          new Set(await Promise.all(calls.map(async (call) => String(await refusalOf(call))))).size,
          await refusalOf(many(501)),
        ];
      },
      real: [1, refused("ValidationException")],
    },
    {
      name: "what is wrong with an iterator or a read",
      async play(stage) {
        const client = sdkOf(stage.client);
        const [number] = await putSome(client, 1);
        const start = await iteratorAt(client, "TRIM_HORIZON");
        const iterator =
          (type: string, more: object = {}) =>
          () =>
            iteratorAt(client, type as ShardIteratorType, more);
        const get = (ShardIterator: string | undefined, Limit?: number) => () =>
          client.send(new GetRecordsCommand({ ShardIterator, Limit }));
        const other = "shardId-000000000001";
        const calls: readonly (() => Promise<unknown>)[] = [
          iterator("AT_SEQUENCE_NUMBER"),
          iterator("LATEST", { StartingSequenceNumber: number }),
          iterator("AFTER_SEQUENCE_NUMBER", { StartingSequenceNumber: number, ShardId: other }),
          iterator("AFTER_SEQUENCE_NUMBER", { StartingSequenceNumber: "12" }),
          iterator("AT_TIMESTAMP"),
          iterator("LATEST", { ShardId: "shardId-000000000009" }),
          iterator("LATEST", { ShardId: "none" }),
          iterator("SOMEWHERE"),
          iterator("AFTER_SEQUENCE_NUMBER", { StartingSequenceNumber: "nonsense" }),
          get(start, 0),
          get(start, 10_001),
          get("nonsense"),
        ];
        const seen: unknown[] = [];
        for (const call of calls) seen.push(await refusalOf(call));
        return seen;
      },
      real: [
        ...Array.from({ length: 5 }, () => refused("InvalidArgumentException")),
        ...Array.from({ length: 2 }, () => refused("ResourceNotFoundException")),
        ...Array.from({ length: 4 }, () => refused("ValidationException")),
        refused("InvalidArgumentException"),
      ],
    },
    {
      name: "the callback of send",
      async play(stage) {
        const client = sdkOf(stage.client);
        const found = await new Promise((resolve) => {
          client.send(new ListShardsCommand({ StreamName }), (error: unknown, data) =>
            resolve([error ?? "none", data?.Shards?.length]),
          );
        });
        const failed = await new Promise((resolve) => {
          const command = new GetRecordsCommand({ ShardIterator: "nonsense" });
          client.send(command, (error: unknown) => resolve((error as Error).name));
        });
        return [found, failed];
      },
      real: [["none", 2], "InvalidArgumentException"],
    },
    ...KINESIS_SHARDS,
    ...KINESIS_FIELDS,
    ...KINESIS_STREAMS,
  ],
};
