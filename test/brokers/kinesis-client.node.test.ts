// What the SDK's client of a Kinesis worker does beyond what a stand-in shows.
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  ProvisionedThroughputExceededException,
  PutRecordCommand,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { KinesisWorker } from "../../sim/brokers/kinesis/client.ts";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { bytesOf, sdkOf, textsOf } from "./observed/kinesis.ts";

const StreamName = "orders";
const ShardId = "shardId-000000000000";
/** Until records of the workload are aggregated. */
const AGGREGATED_MS = 100;

async function read(worker: KinesisWorker, Limit?: number) {
  const client = sdkOf(worker);
  const begin = { StreamName, ShardId, ShardIteratorType: "TRIM_HORIZON" as const };
  const { ShardIterator } = await client.send(new GetShardIteratorCommand(begin));
  return client.send(new GetRecordsCommand({ ShardIterator, Limit }));
}

test("records of the workload come aggregated, as the producer library sends them", async () => {
  const stage = new BrokerStage(kinesis({ shards: 1 }));
  stage.publish(2, "k");
  stage.publish(1, "m");
  const [record, ...others] = await stage.play(async (client, life) => {
    await pass(life, AGGREGATED_MS);
    return (await read(client, 1)).Records ?? [];
  });
  const bodies = ["ref-000001", "ref-000002", "ref-000003"].map((ref, at) =>
    JSON.stringify({ ref, key: at === 2 ? "m" : "k" }),
  );
  const parts = bodies.map((body, at) => {
    const head = [0x1a, body.length + 4, 0x08, at === 2 ? 1 : 0, 0x1a, body.length];
    return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
  });
  const message = Buffer.concat([Buffer.from("0a016b0a016d", "hex"), ...parts]);
  const sum = createHash("md5").update(message).digest();
  const expected = Buffer.concat([Buffer.from("f3899ac2", "hex"), message, sum]);
  expect(Buffer.from(record?.Data ?? []).toString("hex")).toBe(expected.toString("hex"));
  expect([record?.PartitionKey, others.length]).toEqual(["a", 0]);
  expect(stage.told("delivered", ({ ref }) => ref)).toHaveLength(3);
});

test("a limit counts records of the stream, and the reply says how old the last is", async () => {
  const stage = new BrokerStage(kinesis({ shards: 1 }));
  const seen = await stage.play(async (worker, life) => {
    const put = (text: string) =>
      new PutRecordCommand({ StreamName, PartitionKey: "a", Data: bytesOf(text) });
    await sdkOf(worker).send(put("1"));
    await pass(life, 1_000);
    await sdkOf(worker).send(put("2"));
    const first = await read(worker, 1);
    return [textsOf(first.Records), (first.MillisBehindLatest ?? 0) >= 1_000];
  });
  expect(seen).toEqual([["1"], true]);
});

test("the last read of a shard names its children", async () => {
  const stage = new BrokerStage(kinesis({ shards: 1 }));
  const { ChildShards = [], NextShardIterator } = await stage.play((worker) => {
    stage.broker.disturbances.find(({ name }) => name === "a shard is split")?.strike();
    return read(worker);
  });
  expect(NextShardIterator).toBeUndefined();
  const children = ["shardId-000000000001", "shardId-000000000002"];
  expect(ChildShards.map((child) => child.ShardId)).toEqual(children);
  expect(ChildShards[0]?.ParentShards).toEqual([ShardId]);
});

test("another stream takes dead letters, and may be throttled", async () => {
  const stage = new BrokerStage(kinesis());
  stage.publish(1);
  const seen = await stage.play(async (worker) => {
    const Data = bytesOf("ref-000001");
    const dead = { StreamName: "dead", PartitionKey: "a", Data };
    const client = sdkOf(worker);
    await client.send(new PutRecordCommand(dead));
    stage.broker.disturbances.find(({ name }) => name.includes("throttled"))?.strike();
    const refused = await client.send(new PutRecordCommand(dead)).then(
      () => undefined,
      (error: unknown) => error instanceof ProvisionedThroughputExceededException,
    );
    const Records = [dead, dead].map(({ PartitionKey }) => ({ PartitionKey, Data }));
    const some = await client.send(new PutRecordsCommand({ StreamName: "dead", Records }));
    return [refused, some.FailedRecordCount, some.Records?.map((one) => one.ErrorCode ?? "")];
  });
  expect(seen).toEqual([true, 1, ["ProvisionedThroughputExceededException", ""]]);
  expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001", "ref-000001"]);
});

test("records of one request are no longer than 5 MiB, with their keys", async () => {
  const stage = new BrokerStage(kinesis({ shards: 1 }));
  const seen = await stage.play(async (worker) => {
    const client = sdkOf(worker);
    const Data = new Uint8Array(1_048_576);
    const put = async (keys: readonly string[]): Promise<unknown> => {
      const Records = keys.map((PartitionKey) => ({ PartitionKey, Data }));
      const last = { PartitionKey: "a", Data: new Uint8Array(1_048_576 - keys.length - 1) };
      try {
        return await client.send(
          new PutRecordsCommand({ StreamName, Records: [...Records, last] }),
        );
      } catch (error) {
        return [(error as Error).name, (error as Error).message];
      }
    };
    const taken = (await put(["a", "b", "c", "d"])) as { readonly FailedRecordCount: number };
    return [taken.FailedRecordCount, await put(["a", "b", "c", "dd"])];
  });
  expect(seen).toEqual([0, ["InvalidArgumentException", "Records size exceeds 5 MB limit"]]);
});

test("an error of a request without a reply says how often it was tried", async () => {
  const stage = new BrokerStage(kinesis({ shards: 1 }));
  const server = stage.network.host("broker");
  const seen = await stage.play(async (client) => {
    server?.crash();
    const error = await read(client).catch((caught: unknown) => caught);
    const { name, $metadata } = error as Error & { readonly $metadata: { attempts: number } };
    return [name, Object.keys($metadata), $metadata.attempts];
  });
  expect(seen).toEqual(["TimeoutError", ["attempts", "totalRetryDelay"], 3]);
});
