import type { KinesisWorker, ShardReader } from "../../../sim/brokers/kinesis/client.ts";
import { kinesis } from "../../../sim/brokers/kinesis/model.ts";
import { type Actor, testTurns } from "./turns.ts";

type Worker = Actor<KinesisWorker>;

const PAUSES_MS = [0, 1, 20, 300, 1_100, 4_000, 9_000];

/** Reads a shard until its lease is lost, it is at its end, or the reader gives up. */
async function read(actor: Worker, reader: ShardReader): Promise<void> {
  const { dice, note, call, pass } = actor;
  const { shardId, checkpointer, leaseLost } = reader;
  leaseLost.addEventListener("abort", () => note(`${shardId} is lost`));
  let iterator: string | undefined;
  let last: { readonly sequenceNumber: string; readonly subSequenceNumber: number } | undefined;
  for (let rounds = 0; rounds < 60; rounds += 1) {
    if (leaseLost.aborted && !dice.oneIn(4)) return;
    iterator ??= await call(`${shardId} begins`, () => reader.getShardIterator());
    if (iterator !== undefined) {
      const from = iterator;
      const output = await call(`${shardId} is read`, () =>
        reader.getRecords(from, 1 + dice.below(4)),
      );
      if (output !== undefined && output.nextShardIterator === undefined) {
        await call(`${shardId} is done`, () => checkpointer.checkpoint());
        return;
      }
      iterator = dice.oneIn(10) ? undefined : output?.nextShardIterator;
      last = output?.records.at(-1 - dice.below(2)) ?? last;
    }
    await pass(dice.from(PAUSES_MS.slice(0, dice.oneIn(8) ? 7 : 5)));
    if (last !== undefined && dice.oneIn(3)) {
      const { sequenceNumber, subSequenceNumber } = last;
      await call(`${shardId} saves`, () =>
        dice.oneIn(2)
          ? checkpointer.checkpoint(sequenceNumber)
          : checkpointer.checkpoint(sequenceNumber, subSequenceNumber),
      );
    }
    if (dice.oneIn(40)) return;
  }
}

async function work(actor: Worker): Promise<void> {
  const { client, dice, publish, pass, call, note } = actor;
  publish(4);
  publish(2, "key-2");
  for (;;) {
    await pass(dice.from(PAUSES_MS));
    const readers = await call("takes", () => client.takeLeases());
    for (const reader of readers ?? []) void read(actor, reader);
    if (dice.oneIn(3)) publish(dice.below(5), dice.from(["key-1", "key-2", "key-3", "key-4"]));
    const streamName = dice.from(["orders-dead", "orders-dead", "orders"]);
    const one = { partitionKey: dice.from(["1", "2"]), data: '{"ref":"ref-000001"}' };
    const kind = dice.below(8);
    if (kind === 0) await call("puts", () => client.putRecord({ streamName, ...one }));
    if (kind === 1) {
      const records = [one, { ...one, partitionKey: "3" }];
      await call("puts two", () => client.putRecords({ streamName, records }));
    }
    if (kind === 2 && dice.oneIn(6)) {
      await call("shuts down", () => client.shutdown());
      note("takes no more");
      await pass(20_000);
    }
  }
}

testTurns({
  name: "kinesis",
  createWorld: (dice) => ({
    model: kinesis({ shards: 1 + dice.below(3), leaseMs: dice.from([4_000, 9_000]) }),
    actors: { one: work, two: work },
  }),
  sites: ["broker.session", "broker.fetch", "broker.settle", "broker.produce"],
  worlds: 12,
  untilMs: 90_000,
});
