import type { KinesisWorker, ShardReader } from "../../../sim/brokers/kinesis/client.ts";
import { kinesis } from "../../../sim/brokers/kinesis/model.ts";
import { testTroubles, type TroubledStage } from "./trouble.ts";

type Stage = TroubledStage<KinesisWorker>;

/** Where a reader of a shard goes on; undefined: it has to ask. */
interface Reading {
  readonly reader: ShardReader;
  iterator: string | undefined;
  isAtEnd: boolean;
}

async function read({ call, note }: Stage, reading: Reading, nth: number): Promise<void> {
  const { reader } = reading;
  const { shardId, checkpointer } = reader;
  reading.iterator ??= await call(`${shardId} begins`, () => reader.getShardIterator());
  const { iterator } = reading;
  if (iterator === undefined) return;
  const output = await call(`${shardId} is read`, () => reader.getRecords(iterator, 3));
  reading.iterator = output?.nextShardIterator;
  if (output === undefined) return;
  for (const { sequenceNumber, subSequenceNumber, partitionKey, data } of output.records) {
    const text = new TextDecoder().decode(data);
    note(`${shardId} gives`, [sequenceNumber, subSequenceNumber, partitionKey, text]);
  }
  const last = output.records.at(-1);
  if (output.nextShardIterator === undefined) {
    reading.isAtEnd = true;
    await call(`${shardId} is done`, () => checkpointer.checkpoint());
  } else if (last !== undefined && nth % 2 === 0) {
    await call(`${shardId} saves`, () => checkpointer.checkpoint(last.sequenceNumber));
  }
}

async function work(stage: Stage): Promise<void> {
  const { client, publish, pass, call, note } = stage;
  publish(4);
  publish(4, "key-2");
  publish(2, "key-3");
  const readings = new Map<string, Reading>();
  for (let round = 0; round < 40; round += 1) {
    const readers = await call("takes", () => client.takeLeases());
    note(
      "shards",
      (readers ?? []).map(({ shardId }) => shardId),
    );
    for (const reader of readers ?? []) {
      reader.leaseLost.addEventListener("abort", () => note(`${reader.shardId} is lost`));
      readings.set(reader.shardId, { reader, iterator: undefined, isAtEnd: false });
    }
    for (const reading of readings.values()) {
      if (!reading.isAtEnd && !reading.reader.leaseLost.aborted) await read(stage, reading, round);
    }
    if (round % 10 === 9) publish(3, `key-${round}`);
    if (round === 12) {
      const one = { partitionKey: "1", data: '{"ref":"ref-000001"}' };
      await call("puts", () => client.putRecord({ streamName: "orders-dead", ...one }));
      const records = [one, { ...one, partitionKey: "2" }];
      await call("puts two", () => client.putRecords({ streamName: "orders-dead", records }));
    }
    await pass(1_500);
  }
  await call("shuts down", () => client.shutdown());
  await call("takes after that", () => client.takeLeases());
}

testTroubles({
  name: "kinesis",
  createModel: () => kinesis({ shards: 2, leaseMs: 6_000 }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  work,
});
