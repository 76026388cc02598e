import { expect, test } from "vitest";
import { LogConsumer } from "../../sim/brokers/log-consumer.ts";
import { PartitionLog } from "../../sim/brokers/partition-log.ts";
import { SettlementLog } from "../../sim/brokers/settlement-log.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { Host } from "../../sim/hosts/host.ts";
import type { Life } from "../../sim/hosts/life.ts";
import { Network } from "../../sim/hosts/network.ts";
import { World } from "../../sim/kernel/world.ts";

const OPTIONS = { broker: "broker", group: "group", topic: "orders", maxWaitMs: 500 };

/** Runs a program with a log of two partitions, which have two records each. */
async function play(
  program: (log: PartitionLog, consumer: (name: string) => LogConsumer) => Promise<void>,
): Promise<readonly string[]> {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const network = new Network<Host>(world);
  const settlements = new SettlementLog(world, "broker");
  const log = new PartitionLog(world, "broker", { sessionTimeoutMs: 30_000, settlements });
  log.createTopic("orders", 2);
  for (const [partition, ref] of [0, 1, 0, 1].map((at, n) => [at, `ref-00000${n}`] as const)) {
    settlements.published({ ref, key: String(partition) });
    log.produce("orders", partition, () => ({ ref }));
  }
  const errors: unknown[] = [];
  const run = (life: Life): void => {
    const consumer = (name: string): LogConsumer => new LogConsumer(life, log, name, OPTIONS);
    program(log, consumer).catch((error: unknown) => void errors.push(error));
  };
  new Host(world, network, "reader", run).start();
  await world.run(60_000);
  expect(errors).toEqual([]);
  return world.trace
    .events()
    .flatMap((event) => (event.kind === "delivered" ? [`${event.consumer} ${event.ref}`] : []));
}

const never = new AbortController().signal;
const offsetsOf = (records: readonly { partition: number; offset: number }[]): unknown[] =>
  records.map(({ partition, offset }) => [partition, offset]);

test("a seek or hold of a partition that a consumer has lost changes nothing", async () => {
  const seenAfter = async (
    call: (consumer: LogConsumer, lost: number) => void,
  ): Promise<unknown> => {
    const seen: unknown[] = [];
    const delivered = await play(async (_log, create) => {
      const [one, two] = [create("one"), create("two")];
      await one.join();
      await two.join();
      const { assignment } = await one.fetch(never);
      seen.push(assignment.partitions);
      call(one, assignment.partitions.includes(0) ? 1 : 0);
      await two.close();
      for (let n = 0; n < 3; n += 1) seen.push(offsetsOf((await one.fetch(never)).records));
    });
    return [seen, delivered];
  };
  const plain = await seenAfter(() => undefined);
  expect(plain).toEqual([
    [
      [0],
      [],
      [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ],
      [],
    ],
    // Of what it keeps, the fetches that tell of a new generation bring the records, too.
    [0, 2, 0, 2, 0, 2, 1, 3].map((at) => `one ref-00000${at}`),
  ]);
  expect(await seenAfter((one, lost) => one.seek(lost, 0))).toEqual(plain);
  expect(await seenAfter((one, lost) => one.hold(lost))).toEqual(plain);
});
