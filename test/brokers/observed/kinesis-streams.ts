import {
  DescribeStreamCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  KinesisServiceException,
  ListShardsCommand,
  PutRecordCommand,
  PutRecordsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-kinesis";
import type { KinesisClient as ModelledClient } from "../../../sim/brokers/kinesis/kinesis-client.ts";
import type { Observation } from "./observation.ts";

type Port = { readonly client: ModelledClient };

const NOWHERE = { StreamName: "nowhere" };
const ORDERS = { StreamName: "orders" };
const ShardId = "shardId-000000000000";
const CONTENTS = [Uint8Array.of(), Uint8Array.of(0, 255, 7)];

function sdkOf({ client }: Port): KinesisClient {
  return client as unknown as KinesisClient;
}

async function refusalOf(attempt: Promise<unknown>): Promise<unknown> {
  return await attempt.then(
    () => "accepted",
    (error: unknown) => {
      const { name, $fault, $metadata } = error as KinesisServiceException;
      const classes = [ResourceNotFoundException, KinesisServiceException];
      const isOne = classes.map((one) => error instanceof one);
      return [name, $fault, $metadata.httpStatusCode, ...isOne];
    },
  );
}

/** Which streams there are, and what comes of bytes. */
export const KINESIS_STREAMS: readonly Observation<Port>[] = [
  {
    name: "a stream whose name cannot be one",
    async play({ client: port }) {
      const client = sdkOf(port);
      const record = { PartitionKey: "a", Data: Uint8Array.of(1) };
      const start = { ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
      const seen: unknown[] = [];
      for (const StreamName of ["a b", "a/b", "", "x".repeat(129)]) {
        const attempts = [
          client.send(new PutRecordCommand({ StreamName, ...record })),
          client.send(new PutRecordsCommand({ StreamName, Records: [record] })),
          client.send(new GetShardIteratorCommand({ StreamName, ...start })),
          client.send(new ListShardsCommand({ StreamName })),
          client.send(new DescribeStreamSummaryCommand({ StreamName })),
          client.send(new DescribeStreamCommand({ StreamName })),
        ];
        seen.push(...(await Promise.all(attempts.map(refusalOf))));
      }
      return seen;
    },
    real: Array.from({ length: 24 }, () => ["ValidationException", "client", 400, false, true]),
  },
  {
    name: "a stream that is none",
    async play({ client: port }) {
      const client = sdkOf(port);
      const record = { PartitionKey: "a", Data: Uint8Array.of(1) };
      const start = { ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
      const attempts = [
        client.send(new PutRecordCommand({ ...NOWHERE, ...record })),
        client.send(new PutRecordsCommand({ ...NOWHERE, Records: [record] })),
        client.send(new GetShardIteratorCommand({ ...NOWHERE, ...start })),
        client.send(new ListShardsCommand(NOWHERE)),
        client.send(new DescribeStreamSummaryCommand(NOWHERE)),
        client.send(new DescribeStreamCommand(NOWHERE)),
      ];
      return await Promise.all(attempts.map(refusalOf));
    },
    real: Array.from({ length: 6 }, () => {
      return ["ResourceNotFoundException", "client", 400, true, true];
    }),
  },
  {
    name: "shards that are none, are not named, or cannot be; what a sequence number looks like",
    async play({ client: port }) {
      const client = sdkOf(port);
      const from = { ...ORDERS, ShardIteratorType: "TRIM_HORIZON" } as const;
      const names = ["shardId-000000000009", "ninth", "a b", "", undefined] as const;
      const refusals: unknown[] = [];
      for (const name of names) {
        const attempt = client.send(new GetShardIteratorCommand({ ...from, ShardId: name }));
        refusals.push(await refusalOf(attempt));
      }
      const record = { ...ORDERS, PartitionKey: "a", Data: Uint8Array.of(1) };
      const { SequenceNumber = "" } = await client.send(new PutRecordCommand(record));
      return [refusals, /^49\d{54}$/.test(SequenceNumber)];
    },
    real: [
      [
        ["ResourceNotFoundException", "client", 400, true, true],
        ["ResourceNotFoundException", "client", 400, true, true],
        ...Array.from({ length: 3 }, () => ["ValidationException", "client", 400, false, true]),
      ],
      true,
    ],
  },
  {
    name: "no bytes, and any bytes",
    async play({ client: port }) {
      const client = sdkOf(port);
      for (const Data of CONTENTS) {
        await client.send(new PutRecordCommand({ ...ORDERS, PartitionKey: "a", Data }));
      }
      const start = { ...ORDERS, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
      const { ShardIterator } = await client.send(new GetShardIteratorCommand(start));
      const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }));
      return Records.map(({ Data, PartitionKey }) => [[...(Data ?? [])], PartitionKey]);
    },
    real: CONTENTS.map((bytes) => [[...bytes], "a"]),
  },
  {
    name: "fields that are no texts, and what is null",
    async play({ client: port }) {
      const client = sdkOf(port);
      const five = 5 as unknown as string;
      const none = null as unknown as undefined;
      const record = { PartitionKey: "a", Data: Uint8Array.of(1) };
      const start = { ...ORDERS, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
      const attempts = [
        client.send(new PutRecordCommand({ ...ORDERS, ...record, PartitionKey: five })),
        client.send(new PutRecordCommand({ ...ORDERS, ...record, ExplicitHashKey: five })),
        client.send(
          new PutRecordsCommand({ ...ORDERS, Records: [{ ...record, PartitionKey: five }] }),
        ),
        client.send(new GetShardIteratorCommand({ ...start, ShardId: five })),
        client.send(new GetRecordsCommand({ ShardIterator: five })),
        client.send(new PutRecordCommand({ ...ORDERS, ...record, ExplicitHashKey: none })),
      ];
      return await Promise.all(attempts.map(refusalOf));
    },
    real: [
      ...Array.from({ length: 5 }, () => ["SerializationException", "client", 400, false, true]),
      "accepted",
    ],
  },
];
