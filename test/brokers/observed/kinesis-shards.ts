import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  type ListShardsCommandInput,
  PutRecordCommand,
} from "@aws-sdk/client-kinesis";
import type { KinesisClient as ModelledClient } from "../../../sim/brokers/kinesis/kinesis-client.ts";
import type { Observation } from "./observation.ts";

const StreamName = "orders";
const FIRST = "shardId-000000000000";
const BYTES_MAX = 1_048_576;
const TO_COME = new Date("2200-01-01T00:00:00Z");

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
];
