import { describe, expect, test } from "vitest";
import { perfettoFrom } from "../../../sim/page/exports/perfetto.ts";
import type { RunModel } from "../../../sim/page/model/run-model.ts";
import { ABORTED, FAULTS, WINDOW } from "../runs.ts";
import { modelOf, renamed } from "./exported-runs.ts";
import { readTrace, type ReadTrace, type Slice } from "./trace-event-format.ts";

function exported(run: RunModel): ReadTrace {
  return readTrace([...perfettoFrom(run)].join(""));
}

function threadNamed({ threads, slices }: ReadTrace, name: string): readonly Slice[] {
  const [thread] = [...threads].find(([, one]) => one === name) ?? [];
  return slices.get(thread ?? "") ?? [];
}

describe("perfettoFrom()", () => {
  for (const [what, yaml] of [
    ["a stream", ABORTED],
    ["faults", FAULTS],
    ["jobs", WINDOW],
  ] as const) {
    test(`writes ${what} so that a viewer reads every event back`, async () => {
      const run = await modelOf(yaml);
      const read = exported(run);
      const events = [...read.slices.values()].flat().filter(({ args }) => args !== undefined);
      expect(events).toHaveLength(run.trace.length);
      for (const { args, ts, cat, name } of events) {
        const index = args?.["event"] as number;
        const { at, kind, ...members } = run.trace.event(index);
        expect({ ts, cat, name }).toEqual({ ts: at * 1_000, cat: kind, name: run.words(index) });
        expect(args).toEqual({ ...members, event: index });
      }
    });
  }

  test("has a thread for each lane, in a process for each group", async () => {
    const run = await modelOf(FAULTS);
    const { processes, threads, otherData } = exported(run);
    expect([...processes.values()]).toEqual([
      ...new Set(["Run", "Hosts", "Links", "Polls", "Subscribers", "Partitions and queues"]),
    ]);
    expect([...threads.values()]).toEqual(run.lanes.lanes.map(({ name }) => name));
    expect(otherData).toMatchObject({ scenario: "run", seed: "1", verdict: "held" });
  });

  test("shows incarnations, pauses and cut links as slices with their duration", async () => {
    const read = exported(await modelOf(FAULTS));
    const lasting = (name: string): object[] =>
      threadNamed(read, name)
        .filter(({ cat }) => cat === "bar" || cat === "span")
        .map((slice) => ({ name: slice.name, from: slice.ts, dur: slice.dur }));
    expect(lasting("runner-1").slice(0, 3)).toEqual([
      { name: "incarnation 1", from: 0, dur: 5_000_000 },
      { name: "incarnation 2", from: 7_000_000, dur: expect.any(Number) as number },
      { name: "paused", from: 20_000_000, dur: 4_000_000 },
    ]);
    expect(lasting("runner-1 → broker")).toEqual([
      { name: "cut", from: 30_000_000, dur: 3_000_000 },
    ]);
  });

  test("leads an arrow along the way of each record: one beginning, one end", async () => {
    const run = await modelOf(ABORTED);
    const flows = [...exported(run).slices.values()]
      .flat()
      .filter(({ bind_id: id }) => id !== undefined);
    for (const own of Map.groupBy(flows, ({ bind_id: id }) => id).values()) {
      expect(own.filter((slice) => slice.flow_in !== true)).toHaveLength(1);
      expect(own.filter((slice) => slice.flow_out !== true)).toHaveLength(1);
    }
    const first = flows.filter(({ bind_id: id }) => id === 1).toSorted((a, b) => a.ts - b.ts);
    expect(first.slice(0, 3).map(({ cat }) => cat)).toEqual(["published", "emit", "fan-out"]);
  });

  test("keeps names that would end a text or a script", async () => {
    const name = 'a"\n</script><script>\u2028\ud800';
    const run = await renamed(ABORTED, (event) =>
      event.host === "runner-1" ? { ...event, host: name } : event,
    );
    expect([...exported(run).threads.values()]).toContain(name);
  });

  /** Each changes one place of an export, which a viewer would refuse or show wrongly. */
  const CORRUPTIONS: Readonly<Record<string, readonly [RegExp, string, message: string]>> = {
    "a time that is no number": [/"ts":(\d+)/, '"ts":"$1"', "expected number"],
    "a phase that there is not": [/"ph":"X"/, '"ph":"Z"', "traceEvents"],
    "a slice without a duration": [/"dur":\d+,/, "", "dur"],
    "a member that is misspelt": [/"bind_id"/, '"bindId"', "bindId"],
    "a negative time": [/"ts":\d+/, '"ts":-1', "ts"],
    "a thread without a name": [/"name":"thread_name"/, '"name":"process_name"', "Two processes"],
    "a slice on another thread": [/("ph":"X".*?"tid":)\d+/, "$1999999", "which has no name"],
    "a text that was cut short": [/\n\]\}\n$/, "", "JSON"],
  };

  test.for(Object.entries(CORRUPTIONS))(
    "fails to be read back with %s: the reader sees it",
    async ([, [place, instead, message]]) => {
      const text = [...perfettoFrom(await modelOf(ABORTED))].join("");
      const corrupted = text.replace(place, instead);
      expect(corrupted).not.toBe(text);
      expect(() => readTrace(corrupted)).toThrow(message);
    },
  );

  test("fails to be read back when slices cross: the reader sees it", () => {
    const slice = { ph: "X", cat: "bar", pid: 1, tid: 1 };
    const thread = { ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "x" } };
    const crossing = [
      thread,
      { ...slice, name: "a", ts: 0, dur: 10 },
      { ...slice, name: "b", ts: 5, dur: 10 },
    ];
    const text = JSON.stringify({
      displayTimeUnit: "ms",
      otherData: {},
      traceEvents: crossing,
    });
    expect(() => readTrace(text)).toThrow('"b" on x crosses');
  });
});
