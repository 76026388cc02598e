import { describe, expect, it } from "vitest";
import { PackedTrace, packTrace } from "../../sim/page/packed-trace.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { ABORTED, FAULTS, packed, runOf, WINDOW } from "./runs.ts";

describe("PackedTrace", () => {
  it.each([ABORTED, FAULTS, WINDOW])("holds every event of a run", async (text) => {
    const { trace } = await runOf(text);
    expect([...packed(trace)]).toEqual(trace);
  });

  it("holds what is rare: null, lists, large and negative numbers, odd texts", () => {
    const events: readonly TraceEvent[] = [
      { at: 0, host: "a", kind: "bind", sub: 1, event: 2, seq: null },
      { at: 0, host: "a", kind: "bind", sub: 1, event: 2, seq: 2 ** 53 - 1 },
      { at: 2 ** 40, host: "\u2028</script>", kind: "confirm", seqs: [0, -1, 1.5] },
      { at: 2 ** 40, host: "", kind: "published", ref: "\ud800", key: "漢字\u0000" },
      { at: 2 ** 41, host: "a", kind: "advance", poll: 4, items: [[1, 2, 0, 0, true]] },
    ];
    expect([...packed(events)]).toEqual(events);
  });

  it("leaves out members that are undefined", () => {
    const event = { at: 1, host: "a", kind: "host", state: "pause", incarnation: 1 } as const;
    const until: undefined = undefined;
    // What an event says with an absent member; a trace in memory may have it as undefined.
    const events = [{ ...event, until }] as unknown as readonly TraceEvent[];
    expect([...packed(events)]).toStrictEqual([event]);
  });

  it("gives the same bytes for the same events", async () => {
    const [one, other] = [await runOf(FAULTS), await runOf(FAULTS)];
    expect(packTrace(one.trace)).toEqual(packTrace(other.trace));
  });

  it("knows the first event of an instant", async () => {
    const trace = packed((await runOf(ABORTED)).trace);
    const first = trace.firstAt(5_037);
    expect(trace.at(first)).toBe(5_037);
    expect(trace.at(first - 1)).toBeLessThan(5_037);
    expect(trace.firstAt(Infinity)).toBe(trace.length);
  });

  it("refuses bytes that are not a whole trace", async () => {
    const { trace } = await runOf(ABORTED);
    const bytes = packTrace(trace);
    for (const length of [0, 3, 40, bytes.length - 1]) {
      expect(() => new PackedTrace(bytes.subarray(0, length))).toThrow(RangeError);
    }
  });
});
