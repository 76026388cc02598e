import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KafkaLog } from "../../sim/brokers/kafka/kafka-log.ts";
import { CalmChoices, SeededChoices } from "../../sim/choices/choices.ts";
import { World } from "../../sim/kernel/world.ts";

const TOPIC = "orders";
const FETCH_RECORDS_MAX = 50;

type Act =
  | { readonly op: "append"; readonly count: number }
  | { readonly op: "publish"; readonly count: number }
  | { readonly op: "trim"; readonly to: number };

const acts = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant("append" as const), count: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ op: fc.constant("publish" as const), count: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ op: fc.constant("trim" as const), to: fc.nat({ max: 100 }) }),
  ),
  { maxLength: 12 },
);

function openLog(seed: number | undefined): KafkaLog {
  const choices = seed === undefined ? new CalmChoices() : new SeededChoices(seed);
  const log = new KafkaLog(new World(choices, { keepTrace: false }), "kafka", 1);
  log.offer([TOPIC]);
  return log;
}

function perform(log: KafkaLog, act: Act): void {
  const [partition] = log.partitionsOf(TOPIC);
  if (act.op === "trim") log.trim(partition!, Math.min(act.to, partition!.end));
  else {
    for (let at = 0; at < act.count; at += 1) {
      const ref = `r${at}`;
      if (act.op === "publish") log.publish({ ref, key: "k" });
      else log.append(TOPIC, 0, { key: null, value: null, headers: {}, timestamp: 0, ref });
    }
  }
}

test("for every history a read returns the records from its offset on, or is out of range", () => {
  fc.assert(
    fc.property(fc.option(fc.nat(), { nil: undefined }), acts, (seed, history) => {
      const log = openLog(seed);
      const [partition] = log.partitionsOf(TOPIC);
      const offsets: number[] = [];
      let low = 0;
      for (const act of history) {
        const known = partition!.records.length;
        perform(log, act);
        if (act.op === "trim") low = Math.max(low, Math.min(act.to, partition!.end));
        else offsets.push(...partition!.records.slice(known).map(({ offset }) => offset));
        const { end } = partition!;
        expect(partition!.low).toBe(low);
        for (const from of [0, low - 1, low, low + 1, end - 1, end, end + 1]) {
          if (from < low || from > end) {
            expect(() => log.read(TOPIC, 0, from)).toThrow("not within the range");
            continue;
          }
          const kept = offsets.filter((offset) => offset >= Math.max(from, low));
          expect(log.read(TOPIC, 0, from).map(({ offset }) => offset)).toEqual(
            kept.slice(0, FETCH_RECORDS_MAX),
          );
        }
      }
      expect(new Set(offsets).size).toBe(offsets.length);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }),
    { seed: 14, numRuns: 100 },
  );
});

test("for every history the records of a partition are orders, each with an amount of its own", () => {
  fc.assert(
    fc.property(fc.nat(), acts, (seed, history) => {
      const log = openLog(seed);
      const amounts: number[] = [];
      for (const act of history) {
        const known = log.partitionsOf(TOPIC)[0]!.records.length;
        perform(log, act);
        if (act.op !== "publish") continue;
        for (const { value, key } of log.partitionsOf(TOPIC)[0]!.records.slice(known)) {
          expect(key).toBe("k");
          amounts.push((JSON.parse(String(value)) as { amount: number }).amount);
        }
      }
      expect(amounts.every((amount) => Number.isInteger(amount) && amount >= 100)).toBe(true);
      expect(new Set(amounts).size).toBe(amounts.length);
    }),
    { seed: 14, numRuns: 100 },
  );
});

test("offsets have gaps where the world chooses so, and none where it is calm", () => {
  const [calm, seeded] = [openLog(undefined), openLog(1)];
  const publish: Act = { op: "publish", count: 40 };
  for (const log of [calm, seeded]) perform(log, publish);
  expect(calm.partitionsOf(TOPIC)[0]!.end).toBe(40);
  const { end } = seeded.partitionsOf(TOPIC)[0]!;
  expect(end).toBeGreaterThan(40);
  expect(end).toBeLessThanOrEqual(80);
});

test("what was published before a topic was offered goes to the first topics, and to no later ones", () => {
  const log = new KafkaLog(new World(new CalmChoices(), { keepTrace: true }), "kafka", 2);
  log.publish({ ref: "r0", key: "k" });
  log.offer(["b", "a"]);
  expect(log.sources).toEqual(["a", "b"]);
  log.offer(["c"]);
  log.publish({ ref: "r1", key: "k" });
  expect(log.sources).toEqual(["a", "b"]);
  expect(log.topics()).toEqual(["b", "a", "c"]);
  const refs = log
    .topics()
    .map((topic) =>
      log.partitionsOf(topic).flatMap(({ records }) => records.map(({ ref }) => ref)),
    );
  expect(refs.filter((one) => one.length > 0)).toEqual([["r0", "r1"]]);
});

test("an append wakes who waits, until that is disposed", () => {
  const log = openLog(undefined);
  let woken = 0;
  const waiting = log.onAppend(() => (woken += 1));
  perform(log, { op: "append", count: 2 });
  expect(woken).toBe(2);
  waiting[Symbol.dispose]();
  perform(log, { op: "append", count: 1 });
  expect(woken).toBe(2);
});

test("a partition that nobody offered has no records, and the records of one carry its number", () => {
  const log = new KafkaLog(new World(new CalmChoices(), { keepTrace: false }), "kafka", 2);
  expect(log.read("none", 0, 0)).toEqual([]);
  const parts = { key: null, value: null, headers: {}, timestamp: 0, ref: "" };
  expect(log.append(TOPIC, 1, parts)).toBe(0);
  const [one] = log.read(TOPIC, 1, 0);
  expect(one).toMatchObject({ topic: TOPIC, partition: 1, offset: 0 });
  expect(log.read(TOPIC, 0, 0)).toEqual([]);
  expect(log.partition(TOPIC, 2)).toBeUndefined();
});
