import { describe, expect, it } from "vitest";
import { type RunState, StateReader } from "../../sim/page/model/run-state.ts";
import { streamTables } from "../../sim/page/panels/stream-tables.ts";
import type { TableParts } from "../../sim/page/panels/table.ts";
import { taskTables } from "../../sim/page/panels/task-tables.ts";
import { ABORTED, FAULTS, packed, runOf, WINDOW } from "./runs.ts";

/** What the tables of streams show of the state. */
function streamsOf({ streams }: RunState): readonly TableParts[] {
  return streamTables(streams);
}

describe("StateReader", () => {
  it("gives the same state forwards and backwards", async () => {
    const trace = (await runOf(FAULTS)).trace.slice(0, 400);
    const forwards = new StateReader(packed(trace), streamsOf);
    const views = trace.map((_, index) => forwards.read(index));
    const backwards = new StateReader(packed(trace), streamsOf);
    for (let index = 399; index >= 0; index -= 1) {
      expect(backwards.read(index)).toEqual(views[index]);
    }
  });

  it("reads the run again for one in 32 steps back", async () => {
    const events = (await runOf(FAULTS)).trace.slice(0, 320);
    const reader = new StateReader(packed(events), ({ events: after }) => after);
    let again = 0;
    for (let index = 319; index >= 0; index -= 1) {
      const { events: before } = reader;
      expect(reader.read(index)).toBe(index + 1);
      if (reader.events < before) again += 1;
    }
    expect(again).toBe(9);
  });

  it("reads no more events at once than it may", async () => {
    const { trace } = await runOf(FAULTS);
    const reader = new StateReader(packed(trace), ({ events: after }) => after);
    expect([reader.read(250, 100), reader.events]).toEqual([undefined, 100]);
    expect([reader.read(250, 100), reader.events]).toEqual([undefined, 200]);
    expect(reader.read(250, 100)).toBe(251);
    expect([reader.read(20, 10), reader.events]).toEqual([undefined, 10]);
  });

  it("knows hosts, links, the phase and the broker's partitions", async () => {
    const { trace } = await runOf(FAULTS);
    const reader = new StateReader(packed(trace), ({ hosts, links, phase, broker }) => ({
      runner: hosts.get("runner-1"),
      links: [...links],
      phase,
      partitions: [...broker.partitions.values()].map(({ published, settled, owed }) => ({
        unsettled: published - settled,
        owed: owed.size,
      })),
    }));
    const at = (time: number) => trace.findLastIndex((event) => event.at <= time);
    expect(reader.read(at(6_000))?.runner).toEqual({ state: "down", incarnation: 1 });
    expect(reader.read(at(22_000))?.runner?.state).toBe("paused");
    expect(reader.read(at(31_000))?.links).toContainEqual(["runner-1 → broker", "cut"]);
    expect(reader.read(trace.length - 1)).toMatchObject({
      links: [],
      phase: "rest",
      partitions: [
        { unsettled: 0, owed: 0 },
        { unsettled: 0, owed: 0 },
      ],
    });
  });
});

describe("streamTables()", () => {
  it("shows who still owes what at the break", async () => {
    const { trace } = await runOf(ABORTED);
    const reader = new StateReader(packed(trace), streamsOf);
    const index = trace.findLastIndex(({ at }) => at <= 5_037);
    const [owed, lanes, subscribers] = reader.read(index) ?? [];
    expect(owed?.columns.slice(3)).toEqual(["trigger 1", "trigger 2", "trigger 3"]);
    expect(owed?.rows.map(([record]) => record)).toEqual(["orders/0@3", "orders/0@4"]);
    expect(owed?.rows[0]?.[3]).toEqual({ text: "seq 15 unconfirmed", class: "owes" });
    expect(lanes?.rows).toEqual([["orders/0", "2", "0", "orders/0@3"]]);
    expect(subscribers?.rows[0]?.[4]).toBe("15, 18");
  });
});

describe("taskTables()", () => {
  it("shows rows, stored keys and jobs", async () => {
    const { trace } = await runOf(WINDOW);
    const reader = new StateReader(packed(trace), ({ tasks }) => taskTables(tasks));
    const stored = trace.findIndex(({ kind }) => kind === "state-set");
    const tables = reader.read(stored) ?? [];
    expect(tables.map(({ title }) => title)).toEqual(["Tasks", "Stored keys", "Jobs"]);
    expect(tables[1]?.rows).toEqual([["report/run-1", "remote_job_id", '"report-1"', "attempt 2"]]);
    expect(tables[2]?.rows.map((row) => row.at(-1))).toEqual(["no", "yes"]);
  });
});
