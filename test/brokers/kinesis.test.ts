import { describe, expect, test } from "vitest";
import type { KinesisRecord, ShardReader } from "../../sim/brokers/kinesis/client.ts";
import { ResourceNotFoundException } from "../../sim/brokers/kinesis/errors.ts";
import { kinesis } from "../../sim/brokers/kinesis/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";

const words = (records: readonly KinesisRecord[]): string[] =>
  records.map(({ data, subSequenceNumber }) => {
    const { ref } = JSON.parse(new TextDecoder().decode(data)) as { ref: string };
    return `${ref}.${subSequenceNumber}`;
  });

async function readAll(reader: ShardReader): Promise<readonly KinesisRecord[]> {
  const { records } = await reader.getRecords(await reader.getShardIterator());
  return records;
}

const nameOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "",
    (error: Error) => error.name,
  );

describe("a Kinesis stream", () => {
  test("collects a burst into aggregated records, and reads on from the checkpoint", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(4);
    const seen = await stage.play(async (client, life) => {
      await pass(life, 100);
      const [reader] = await client.takeLeases();
      const first = await readAll(reader as ShardReader);
      const { sequenceNumber, subSequenceNumber } = first[1] as KinesisRecord;
      await reader?.checkpointer.checkpoint(sequenceNumber, subSequenceNumber);
      const rest = await readAll(reader as ShardReader);
      await client.shutdown();
      return { first: words(first), rest: words(rest) };
    });
    expect(seen).toEqual({
      first: ["ref-000001.0", "ref-000002.1", "ref-000003.2", "ref-000004.0"],
      rest: ["ref-000003.2", "ref-000004.0"],
    });
    expect(stage.broker.owed()).toEqual(["ref-000003", "ref-000004"]);
    expect(stage.links[0]?.open()).toEqual([]);
  });

  // Observed with @aws-sdk/client-kinesis 3 on moto 5.2.5; the error is the API reference's.
  test("gives plain bytes, and refuses a sequence number that no record has", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(1);
    const seen = await stage.play(async (client, life) => {
      await pass(life, 100);
      const [reader] = await client.takeLeases();
      const [record] = await readAll(reader as ShardReader);
      const refused = ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"] as const;
      const errors = refused.map((shardIteratorType) => {
        const place = { shardIteratorType, startingSequenceNumber: "nonsense" };
        return nameOf(reader?.getShardIterator(place) ?? Promise.resolve());
      });
      return [String(record?.data).slice(0, 8), await Promise.all(errors)];
    });
    const name = "InvalidArgumentException";
    expect(seen).toEqual(["123,34,1", [name, name]]);
  });

  test("takes a sequence number alone for the first record of an aggregated one", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(3);
    await stage.play(async (client, life) => {
      await pass(life, 100);
      const [reader] = await client.takeLeases();
      const records = await readAll(reader as ShardReader);
      await reader?.checkpointer.checkpoint(records[2]?.sequenceNumber);
    });
    expect(stage.broker.owed()).toEqual(["ref-000002", "ref-000003"]);
  });

  test("checkpoints everything delivered without arguments, and also backwards", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(3);
    const names = await stage.play(async (client, life) => {
      await pass(life, 100);
      const [reader] = await client.takeLeases();
      const [first] = await readAll(reader as ShardReader);
      await reader?.checkpointer.checkpoint();
      await reader?.checkpointer.checkpoint(first?.sequenceNumber);
      const again = await readAll(reader as ShardReader);
      return words(again);
    });
    expect(names).toEqual(["ref-000002.1", "ref-000003.2"]);
    expect(stage.told("settle", ({ handle }) => handle)).toEqual([
      "shardId-000000000000@3",
      "shardId-000000000000@1",
    ]);
  });

  test("refuses a checkpoint beyond what was delivered, and one without the lease", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(3);
    const seen = await stage.play(async (client, life) => {
      await pass(life, 100);
      const [reader] = await client.takeLeases();
      const iterator = await reader?.getShardIterator();
      await reader?.getRecords(iterator ?? "", 1);
      const beyond = await nameOf(
        reader?.checkpointer.checkpoint("4900000000000000000009") as never,
      );
      stage.broker.disturbances[0]?.strike();
      const stolen = await nameOf(reader?.checkpointer.checkpoint() as never);
      await pass(life, 4_000);
      const isLost = reader?.leaseLost.aborted;
      await pass(life, 8_000);
      const again = await client.takeLeases();
      await client.shutdown();
      return { beyond, stolen, isLost, again: again.map(({ shardId }) => shardId) };
    });
    expect(seen).toEqual({
      beyond: "IllegalArgumentException",
      stolen: "ShutdownException",
      isLost: true,
      again: ["shardId-000000000000"],
    });
  });

  test("starts the children of a split shard when their parent is checkpointed at its end", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(2);
    const seen = await stage.play(async (client, life) => {
      await pass(life, 100);
      const [parent] = await client.takeLeases();
      stage.broker.disturbances[1]?.strike();
      stage.publish(1);
      const before = await client.takeLeases();
      const read = await parent?.getRecords(await parent.getShardIterator());
      await parent?.checkpointer.checkpoint();
      const children = await client.takeLeases();
      await pass(life, 100);
      const records = await Promise.all(children.map(readAll));
      await client.shutdown();
      return {
        before,
        parent: words(read?.records ?? []),
        next: read?.nextShardIterator,
        children: children.map(({ shardId }) => shardId),
        records: words(records.flat()),
      };
    });
    expect(seen).toEqual({
      before: [],
      parent: ["ref-000001.0", "ref-000002.1"],
      next: undefined,
      children: ["shardId-000000000001", "shardId-000000000002"],
      records: ["ref-000003.0"],
    });
    expect(stage.broker.owed()).toEqual(["ref-000003"]);
  });

  test("lets a lease lapse that is not renewed, but renews by itself", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    await stage.play(async (client, life) => {
      await client.takeLeases();
      await pass(life, 30_000);
      expect(stage.links[0]?.open()).toEqual([
        "the lease of shardId-000000000000",
        "the renewal of leases",
      ]);
      life.host.pause(11_000);
      await pass(life, 100);
    });
    expect(stage.told("lapsed", ({ consumer }) => consumer)).toEqual(["client-1/worker-1"]);
  });

  test.each([
    [299_999, ""],
    [300_000, ""],
    [300_001, "ExpiredIteratorException"],
  ])("takes an iterator of exactly %i ms: %s", async (age, refused) => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    const seen = await stage.play(async (client, life) => {
      const [reader] = await client.takeLeases();
      const asked = stage.world.now;
      const iterator = (await reader?.getShardIterator()) as string;
      // The way there and back lies between the creation at the service and the use there.
      await pass(life, age - (stage.world.now - asked));
      return nameOf(reader?.getRecords(iterator) as never);
    });
    expect(seen).toBe(refused);
  });

  test("lets iterators expire, and takes a record of another stream for a dead letter", async () => {
    const stage = new BrokerStage(kinesis({ shards: 1 }));
    stage.publish(1);
    const names = await stage.play(async (client, life) => {
      const [reader] = await client.takeLeases();
      const iterator = (await reader?.getShardIterator()) as string;
      stage.broker.disturbances[2]?.strike();
      const struck = await nameOf(reader?.getRecords(iterator) as never);
      const late = (await reader?.getShardIterator()) as string;
      await pass(life, 300_001);
      const old = await nameOf(reader?.getRecords(late) as never);
      await client.putRecord({ streamName: "dead", partitionKey: "a", data: "ref-000001" });
      await client.shutdown();
      return [struck, old];
    });
    expect(names).toEqual(["ExpiredIteratorException", "ExpiredIteratorException"]);
    expect(stage.told("dead-lettered", ({ ref }) => ref)).toEqual(["ref-000001"]);
  });
});

test.each([
  ["shardId-000000000009", "Shard shardId-000000000009 in stream orders under account"],
  ["9", "Shard shardId-000000000009 in stream orders under account"],
  ["shardId-9-x", "Shard shardId-000000000009 in stream orders under account"],
  ["shardId-nine", "Could not find shard shardId-nine in stream orders under account"],
  ["", "Could not find shard  in stream orders under account"],
])("a missing shard is told by its id, with a number or without: %j", (shardId, words) => {
  expect(new ResourceNotFoundException(shardId, "orders").message).toContain(words);
});
