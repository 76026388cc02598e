import { array, assert, nat, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { ReplayDrift, ReplayedChoices, SeededChoices } from "../../sim/choices/choices.ts";
import { LineDigest } from "../../sim/trace/digest.ts";
import { TimerHeap } from "../../sim/kernel/timer-heap.ts";

describe("choices", () => {
  test("an additional draw in one stream does not change what another returns", () => {
    const plain = new SeededChoices(5);
    const busy = new SeededChoices(5);
    const draw = (choices: SeededChoices): number =>
      choices.stream("fault", "broker").choose(1_000, "a");
    busy.stream("fault", "database").choose(1_000, "b");
    busy.stream("sched", "broker").choose(1_000, "c");
    expect([draw(busy), draw(busy)]).toEqual([draw(plain), draw(plain)]);
  });

  test("choose() draws and records nothing when there is one option", () => {
    const choices = new SeededChoices(1);
    expect(choices.stream("data", "x").choose(1, "only")).toBe(0);
    expect(choices.recorded()).toEqual([]);
  });

  test("choose() rejects zero options, and a seed must be a whole number from 0", () => {
    expect(() => new SeededChoices(1).stream("data", "x").choose(0, "none")).toThrow(RangeError);
    expect(() => new SeededChoices(-1)).toThrow(RangeError);
    expect(() => new SeededChoices(1.5)).toThrow(RangeError);
  });

  test("ReplayedChoices repeats what was recorded, and throws with both labels where it differs", () => {
    const choices = new SeededChoices(3);
    const first = choices.stream("time", "a").choose(9, "latency");
    choices.stream("sched", "world").choose(4, "runner");
    const replayed = new ReplayedChoices(choices.recorded());
    expect(replayed.stream("time", "a").choose(9, "latency")).toBe(first);
    const drift = (): number => replayed.stream("sched", "world").choose(4, "broker");
    expect(drift).toThrow(ReplayDrift);
    expect(drift).toThrow(
      'Cannot replay choice 1: recorded "sched/world runner of 4", but the run now asks "sched/world broker of 4"',
    );
    const other = new ReplayedChoices([]);
    expect(() => other.stream("time", "a").choose(2, "x")).toThrow("(end of recording)");
  });
});

test("for every set of timers, equal deadlines come out in insertion order", () => {
  assert(
    property(array(nat({ max: 5 })), (deadlines) => {
      const heap = new TimerHeap<{ dueAt: number; sequence: number }>();
      deadlines.forEach((dueAt, sequence) => heap.push({ dueAt, sequence }));
      const out = deadlines.map(() => heap.pop());
      const sorted = deadlines
        .map((dueAt, sequence) => ({ dueAt, sequence }))
        .toSorted((a, b) => a.dueAt - b.dueAt || a.sequence - b.sequence);
      expect(out).toEqual(sorted);
      expect(heap.pop()).toBeUndefined();
    }),
  );
});

test("a digest depends on the lines only, not on how they are chunked", () => {
  const short = new LineDigest();
  short.add("abc");
  expect(short.hex()).toBe("edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb");
  const long = new LineDigest();
  const peeked = new LineDigest();
  for (let at = 0; at < 5_000; at += 1) {
    long.add(`line ${at} ${"x".repeat(40)}`);
    peeked.add(`line ${at} ${"x".repeat(40)}`);
    if (at % 999 === 0) peeked.hex();
  }
  expect(peeked.hex()).toBe(long.hex());
});
