import { expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { MetadataDatabase } from "../../sim/hosts/metadata-database.ts";
import { World } from "../../sim/kernel/world.ts";

const OPTIONS = { limit: 3, capacity: 4, staleMs: 30_000 };

function idsOf(rows: readonly { readonly id: number }[]): readonly number[] {
  return rows.map(({ id }) => id);
}

test("claim() takes the lowest free rows, up to its limit and capacity", () => {
  const database = new MetadataDatabase(new World(new CalmChoices(), { keepTrace: false }), "db");
  for (let at = 1; at <= 6; at += 1) database.createTrigger("orders", at);
  database.heartbeat("one");
  expect(idsOf(database.claim("one", OPTIONS))).toEqual([1, 2, 3]);
  database.deleteTrigger(2);
  expect(idsOf(database.claim("one", OPTIONS))).toEqual([1, 3, 4, 5]);
  database.heartbeat("two");
  expect(idsOf(database.claim("two", OPTIONS))).toEqual([6]);
});

test("claim() takes the rows of a triggerer that is stale, or has never sent a heartbeat", async () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const database = new MetadataDatabase(world, "db");
  for (let at = 1; at <= 3; at += 1) database.createTrigger("orders", at);
  database.heartbeat("one");
  database.claim("one", { ...OPTIONS, limit: 1 });
  database.claim("silent", { ...OPTIONS, limit: 1 });
  await world.run(30_000);
  database.heartbeat("two");
  expect(idsOf(database.claim("two", OPTIONS))).toEqual([2, 3]);
  await world.run(30_001);
  expect(idsOf(database.claim("two", OPTIONS))).toEqual([2, 3, 1]);
  expect(idsOf(database.claim("two", OPTIONS))).toEqual([1, 2, 3]);
  expect(idsOf(database.claim("one", OPTIONS))).toEqual([]);
});
