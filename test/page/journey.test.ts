import { describe, expect, it } from "vitest";
import { type JourneySubject, journeyOf } from "../../sim/page/model/journey.ts";
import { RunModel } from "../../sim/page/model/run-model.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { runDataFrom } from "../../sim/report/html-page.ts";
import { ABORTED, FAULTS, packed, runOf, WINDOW } from "./runs.ts";

function kindsOf(trace: readonly TraceEvent[], subject: JourneySubject): readonly string[] {
  return journeyOf(trace, subject).map(({ event }) => trace[event]?.kind ?? "");
}

describe("journeyOf()", () => {
  it("follows a record from its publication to its settlement", async () => {
    const { trace } = await runOf(ABORTED);
    const kinds = kindsOf(trace, { kind: "record", name: "orders/1@0" });
    const deliveries = ["deliver", "deliver", "deliver"];
    expect(kinds.slice(0, 6)).toEqual(["published", "emit", "fan-out", ...deliveries]);
    expect(kinds.slice(-4)).toEqual(["confirm", "advance", "settled", "advanced"]);
    for (const kind of ["yield", "bind", "persisted"]) {
      expect(kinds.filter((one) => one === kind)).toHaveLength(3);
    }
  });

  it("has the host's crash, and then the other copy of a record", async () => {
    const { trace } = await runOf(FAULTS);
    const crash = trace.findIndex(({ kind, ...one }) => kind === "host" && one.at === 5_000);
    const lost = trace.find((event, at) => {
      if (event.kind !== "emit" || at > crash) return false;
      return !trace.slice(0, crash).some((one) => one.kind === "settled" && one.ref === event.ref);
    });
    const name = lost?.kind === "emit" ? lost.ref : "";
    const steps = journeyOf(trace, { kind: "record", name });
    const copies = new Set(steps.map(({ part }) => part).filter((part) => part > 0));
    expect(copies.size).toBe(2);
    expect(steps.some(({ event }) => event === crash)).toBe(true);
  });

  it("does not take another record's windows, numbers and batches for this one's", async () => {
    const { trace } = await runOf(FAULTS);
    const published = trace.filter((event) => event.kind === "published");
    for (const { ref: name } of published) {
      for (const { event } of journeyOf(trace, { kind: "record", name })) {
        const one = trace[event];
        if (one !== undefined && "ref" in one) expect(one.ref).toBe(name);
      }
    }
  });

  it("follows a task through its attempts, its state and its jobs", async () => {
    const { trace } = await runOf(WINDOW);
    const steps = journeyOf(trace, { kind: "task", name: "report/run-1" });
    const kinds = new Set(steps.map(({ event }) => trace[event]?.kind));
    for (const kind of ["task-state", "attempt", "job-accepted", "job-finished", "state-set"]) {
      expect(kinds).toContain(kind);
    }
    expect(new Set(steps.map(({ part }) => part))).toEqual(new Set([0, 1, 2]));
  });

  it("follows a job", async () => {
    const { trace } = await runOf(WINDOW);
    const kinds = kindsOf(trace, { kind: "job", name: "2" });
    expect(kinds[0]).toBe("job-accepted");
    expect(kinds).toContain("job-finished");
    expect(kinds.at(-1)).toBe("job-result");
  });
});

describe("RunModel", () => {
  it("finds the event of the break, and of each line of the story", async () => {
    const report = await runOf(ABORTED);
    const model = new RunModel(runDataFrom({ report, rerun: "" }, 0), packed(report.trace));
    const [violation] = model.data.violations;
    const [breakEvent = -1] = model.breaks;
    expect(report.trace[breakEvent]).toMatchObject({ at: 5_037, host: "runner-1" });
    const lines = violation === undefined ? [] : model.story(violation, breakEvent);
    expect(lines.length).toBeGreaterThan(5);
    for (const { text, event } of lines) {
      expect(event).toBeDefined();
      if (event === undefined || event === breakEvent) continue;
      expect(text.slice(-model.words(event).length)).toBe(model.words(event));
    }
  });

  it("offers the journeys that an event belongs to", async () => {
    const report = await runOf(ABORTED);
    const model = new RunModel(runDataFrom({ report, rerun: "" }, 0), packed(report.trace));
    const at = report.trace.findIndex(({ kind }) => kind === "advance");
    expect(model.subjects(at)).toEqual([{ kind: "record", name: "orders/1@0" }]);
    expect(model.records).toContain("orders/0@0");
  });
});
