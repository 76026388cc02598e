import { describe, expect, it } from "vitest";
import { StateReader } from "../../sim/page/model/run-state.ts";
import { streamTables } from "../../sim/page/panels/stream-tables.ts";
import { taskTables } from "../../sim/page/panels/task-tables.ts";
import { ABORTED, FAULTS, packed, runOf, WINDOW } from "./runs.ts";

describe("StateReader", () => {
  it("gives the same state forwards and backwards", async () => {
    const { trace } = await runOf(FAULTS);
    const [forwards, backwards] = [new StateReader(packed(trace)), new StateReader(packed(trace))];
    backwards.after(trace.length - 1);
    for (const index of [0, 40, 200]) {
      const tables = streamTables(forwards.after(index).streams);
      expect(streamTables(backwards.after(index).streams)).toEqual(tables);
    }
  });

  it("knows hosts, links, the phase and the broker's partitions", async () => {
    const { trace } = await runOf(FAULTS);
    const reader = new StateReader(packed(trace));
    const at = (time: number) => trace.findLastIndex((event) => event.at <= time);
    expect(reader.after(at(6_000)).hosts.get("runner-1")).toEqual({
      state: "down",
      incarnation: 1,
    });
    expect(reader.after(at(22_000)).hosts.get("runner-1")?.state).toBe("paused");
    expect(reader.after(at(31_000)).links.get("runner-1 → broker")).toBe("cut");
    const end = reader.after(trace.length - 1);
    expect(end.links.size).toBe(0);
    expect(end.phase).toBe("rest");
    for (const { published, settled, owed } of end.broker.partitions.values()) {
      expect(settled).toBe(published);
      expect(owed.size).toBe(0);
    }
  });
});

describe("streamTables()", () => {
  it("shows who still owes what at the break", async () => {
    const { trace } = await runOf(ABORTED);
    const reader = new StateReader(packed(trace));
    const index = trace.findLastIndex(({ at }) => at <= 5_037);
    const [owed, lanes, subscribers] = streamTables(reader.after(index).streams);
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
    const reader = new StateReader(packed(trace));
    const stored = trace.findIndex(({ kind }) => kind === "state-set");
    const tables = taskTables(reader.after(stored).tasks);
    expect(tables.map(({ title }) => title)).toEqual(["Tasks", "Stored keys", "Jobs"]);
    expect(tables[1]?.rows).toEqual([["report/run-1", "remote_job_id", '"report-1"', "attempt 2"]]);
    expect(tables[2]?.rows.map((row) => row.at(-1))).toEqual(["no", "yes"]);
  });
});
