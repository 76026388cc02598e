import { describe, expect, it } from "vitest";
import { keyWords, lanesFrom, placeOfRef } from "../../sim/page/lanes/lanes-from.ts";
import { type Bars, TONES } from "../../sim/page/lanes/lane.ts";
import { ABORTED, FAULTS, packed, runOf, WINDOW } from "./runs.ts";
import type { PackedTrace } from "../../sim/page/packed-trace.ts";

async function readLanes(text: string) {
  const trace = packed((await runOf(text)).trace);
  const { lanes, laneOf } = lanesFrom(trace);
  const lane = (id: string) => {
    const found = lanes.find((one) => one.id === id);
    if (found === undefined) throw new Error(`No lane ${id}: ${lanes.map((one) => one.id).join()}`);
    return found;
  };
  return { trace, lanes, laneOf, lane };
}

function times({ from, to }: Bars, trace: PackedTrace): readonly (readonly [number, number])[] {
  const timeOf = (event: number): number => (event < trace.length ? trace.at(event) : Infinity);
  return [...from].map((event, at) => [timeOf(event), timeOf(to[at] ?? 0)]);
}

describe("lanesFrom()", () => {
  it("shows the incarnations of a host, its crash, its pause and its link", async () => {
    const { trace, lane } = await readLanes(FAULTS);
    const runner = lane("hosts runner-1");
    expect(times(runner.bars, trace)).toEqual([
      [0, 5_000],
      [7_000, Infinity],
    ]);
    expect(times(runner.spans, trace)[0]?.[0]).toBe(20_000);
    expect(times(runner.spans, trace)[0]?.[1]).toBeGreaterThanOrEqual(24_000);
    expect([...runner.marks.tones].map((tone) => TONES[tone])).toContain("crash");
    expect(times(lane("links runner-1 → broker").bars, trace)).toEqual([[30_000, 33_000]]);
  });

  it("ends subscriptions and polls with the host that they live on", async () => {
    const { trace, lanes } = await readLanes(FAULTS);
    const subscriber = lanes.find(({ group }) => group === "subscribers");
    const poll = lanes.find(({ group }) => group === "polls");
    for (const one of [subscriber, poll]) {
      expect(one && times(one.bars, trace)[0]?.[1]).toBe(5_000);
    }
  });

  it("shows what a task's row says, its attempts and its jobs", async () => {
    const { trace, lane, lanes } = await readLanes(WINDOW);
    const task = lane("tasks report/run-1");
    expect(task.spans.from).toHaveLength(2);
    expect(task.bars.to.at(-1)).toBe(trace.length);
    expect(lanes.filter(({ group }) => group === "jobs").map(({ name }) => name)).toEqual([
      "job 1 · report/run-1",
      "job 2 · report/run-1",
    ]);
  });

  it("puts each event on one lane, and lanes in the order of their groups", async () => {
    const { trace, lanes, laneOf } = await readLanes(ABORTED);
    expect(laneOf).toHaveLength(trace.length);
    const groupOf = (kind: string) => {
      const at = Array.from({ length: trace.length }).findIndex((_, i) => trace.kind(i) === kind);
      return lanes[laneOf[at] ?? 0]?.group;
    };
    expect(groupOf("deliver")).toBe("subscribers");
    expect(groupOf("emit")).toBe("polls");
    expect(groupOf("published")).toBe("records");
    expect(groupOf("persisted")).toBe("hosts");
    expect([...new Set(lanes.map(({ group }) => group))]).toEqual([
      "run",
      "hosts",
      "polls",
      "subscribers",
      "records",
    ]);
  });

  it("names partitions and keys in few letters", () => {
    expect(placeOfRef("orders/1@17")).toBe("orders/1");
    expect(placeOfRef("k1/1#4")).toBe("k1/1");
    expect(placeOfRef("17")).toBe("17");
    expect(keyWords('["topic","orders"]')).toBe("topic/orders");
  });
});
