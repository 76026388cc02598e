import { expect, test } from "vitest";
import { ConfluentCache } from "../../sim/brokers/kafka/confluent-cache.ts";
import type { StoredRecord } from "../../sim/brokers/kafka/kafka-log.ts";

function recordsOf(partition: number, offsets: readonly number[]): StoredRecord[] {
  return offsets.map((offset) => ({
    topic: "orders",
    partition,
    offset,
    key: null,
    value: null,
    headers: {},
    timestamp: 0,
    ref: "",
  }));
}

test("what a worker had of a partition that is forgotten is nobody's, and nothing of it is left", () => {
  const cache = new ConfluentCache();
  cache.add([...recordsOf(0, [0, 1]), ...recordsOf(1, [7])]);
  const first = cache.take(undefined, 1);
  expect(first?.records).toMatchObject([{ partition: 0, offset: 0 }]);
  expect(cache.isTaken).toBe(true);
  cache.forget([{ topic: "orders", partition: 0 }]);
  expect(cache.isTaken).toBe(false);
  const next = cache.take(first?.partition, 1);
  expect(next?.records).toMatchObject([{ partition: 1, offset: 7 }]);
  expect(cache.take(next?.partition, 1)).toBeUndefined();
});
