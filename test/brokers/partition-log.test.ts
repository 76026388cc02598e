import { expect, test } from "vitest";
import { PartitionLog } from "../../sim/brokers/partition-log.ts";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

test("commit() deletes old records that every group has committed, and no others", () => {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const log = new PartitionLog(world, "broker", { sessionTimeoutMs: 30_000 });
  log.createTopic("orders", 1);
  const { generation } = log.join("one", "orders", "a");
  const other = log.join("two", "orders", "b");
  for (let at = 0; at < 5_000; at += 1)
    log.produce("orders", 0, (offset) => ({ ref: `r${offset}` }));
  const firstFrom = (position: number): number | undefined =>
    log.fetch("two", "b", new Map([[0, position]])).records[0]?.offset;
  log.commit("one", "a", generation, 0, 4_000);
  expect(firstFrom(0)).toBe(0);
  log.commit("two", "b", other.generation, 0, 3_000);
  expect(firstFrom(0)).toBe(1_976);
  expect(firstFrom(3_000)).toBe(3_000);
  expect(log.produce("orders", 0, () => ({ ref: "next" })).offset).toBe(5_000);
  log.commit("two", "b", other.generation, 0, 3_001);
  expect(world.trace.events().at(-1)).toMatchObject({ kind: "settled", ref: "r3000" });
});

test("who waits for records is woken once, by one in a partition of its own", () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const log = new PartitionLog(world, "broker", { sessionTimeoutMs: 30_000 });
  log.createTopic("orders", 2);
  log.join("group", "orders", "a");
  log.join("group", "orders", "b");
  const woken: string[] = [];
  for (const member of ["a", "b"]) log.onArrival("group", member, () => woken.push(member));
  log.produce("orders", 1, () => ({ ref: "first" }));
  log.produce("orders", 1, () => ({ ref: "second" }));
  expect(woken).toEqual(["b"]);
});
