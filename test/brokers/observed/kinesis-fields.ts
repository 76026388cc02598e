import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  PutRecordCommand,
} from "@aws-sdk/client-kinesis";
import type { KinesisWorker } from "../../../sim/brokers/kinesis/client.ts";
import type { Observation } from "./observation.ts";

const StreamName = "orders";

async function nameOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "taken",
    (error: unknown) => (error as Error).name,
  );
}

/** What a refusal says, whoever's the stream is. */
function messageTold(error: unknown): string {
  return (error as Error).message.replace(/account \d+/, "account A");
}

/** Fields that are given otherwise than they are documented. */
export const KINESIS_FIELDS: readonly Observation<Pick<KinesisWorker, "client">>[] = [
  {
    name: "shards by their numbers alone, and fields that are other objects than they should be",
    async play({ client: port }) {
      const client = port.client as unknown as KinesisClient;
      const put = (fields: object) =>
        client.send(
          new PutRecordCommand({
            ...{ StreamName, PartitionKey: "a", Data: Uint8Array.of(1) },
            ...fields,
          }),
        );
      const shards: unknown[] = [];
      for (const PartitionKey of [new Date(0), new String("b"), { toJSON: () => "c" }]) {
        shards.push((await put({ PartitionKey })).ShardId);
      }
      const begin = (ShardId: string) =>
        client.send(
          new GetShardIteratorCommand({ StreamName, ShardId, ShardIteratorType: "TRIM_HORIZON" }),
        );
      for (const ShardId of ["1", "x-1", "shardId-1", "x-1-2"]) {
        shards.push(typeof (await begin(ShardId)).ShardIterator);
      }
      const refused = [
        ...[{ PartitionKey: Symbol("a") }, { PartitionKey: 5n }, { Data: ["x"] }, { Data: {} }],
        ...[{ PartitionKey: new Date(Number.NaN) }, { PartitionKey: { toJSON: () => undefined } }],
      ];
      for (const fields of refused) shards.push(await nameOf(put(fields)));
      for (const ShardId of ["x", "7", "x-y", "99999999999"]) {
        shards.push(await begin(ShardId).catch(messageTold));
      }
      return shards;
    },
    real: [
      ...["shardId-000000000001", "shardId-000000000001", "shardId-000000000000"],
      ...["string", "string", "string", "string"],
      ...["SerializationException", "SerializationException", "SerializationException"],
      ...["SerializationException", "ValidationException", "TypeError"],
      "Could not find shard x in stream orders under account A.",
      "Shard shardId-000000000007 in stream orders under account A does not exist",
      "Could not find shard x-y in stream orders under account A.",
      "Could not find shard 99999999999 in stream orders under account A.",
    ],
  },
  {
    name: "a reply is a request, too: what says how it came is not sent",
    async play(stage) {
      const client = stage.client.client as unknown as KinesisClient;
      const Data = Uint8Array.of(7);
      await client.send(new PutRecordCommand({ StreamName, PartitionKey: "a", Data }));
      const ShardId = "shardId-000000000000";
      const place = { StreamName, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
      const begun = await client.send(new GetShardIteratorCommand(place));
      const { Records = [] } = await client.send(
        new GetRecordsCommand({ ...begun, ShardIterator: begun.ShardIterator }),
      );
      return Records.map((record) => [...(record.Data ?? [])]);
    },
    real: [[7]],
  },
];
