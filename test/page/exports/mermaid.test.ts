import { describe, expect, test } from "vitest";
import { mermaidFrom } from "../../../sim/page/exports/mermaid.ts";
import { ABORTED, WINDOW } from "../runs.ts";
import { modelOf, renamed } from "./exported-runs.ts";
import { readDiagram } from "./sequence-diagram.ts";

const BREAK = { kind: "break", violation: 0 } as const;

describe("mermaidFrom()", () => {
  test("draws what led to a break, with what was seen as its last note", async () => {
    const run = await modelOf(ABORTED);
    expect(mermaidFrom(run, BREAK)).toMatchInlineSnapshot(`
      "sequenceDiagram
        participant p1 as broker
        participant p2 as database
        participant p3 as supervisor-1
        participant p4 as runner-1
        Note over p1: 0.000 s: broker: start
        Note over p2: 0.000 s: database: start
        Note over p3: 0.000 s: supervisor-1: start
        Note over p4: 0.000 s: runner-1: start
        Note over p4: 0.000 s: the manager holds no key
        Note over p4: 0.011 s: runner-1 opens poll 4 of ["topic","orders"]
        Note over p4: 0.011 s: the manager holds ["topic","orders"]
        Note over p4: 5.037 s: advance of poll 4 throws
        Note over p4: 5.037 s: the manager holds ["topic","orders"]
        Note over p1,p4: 5.037 s: => the poll of key ["topic","orders"] has ended, but its group lives on
      "
    `);
    expect(readDiagram(mermaidFrom(run, BREAK)).at(-1)).toMatchObject({
      text: `5.037 s: => ${run.data.violations[0]?.detail}`,
    });
  });

  test("draws the way of a record from the publisher to the broker's settlement", async () => {
    const run = await modelOf(ABORTED);
    const [name = ""] = run.records;
    expect(mermaidFrom(run, { kind: "record", name })).toMatchInlineSnapshot(`
      "sequenceDiagram
        participant p1 as publisher
        participant p2 as broker
        participant p3 as runner-1
        participant p4 as trigger 1
        participant p5 as trigger 2
        participant p6 as trigger 3
        participant p7 as database
        p1->>p2: 0.060 s: orders/1@0 is published (orders)
        p2->>p3: 0.069 s: the stream yields orders/1@0
        Note over p3: 0.069 s: orders/1@0 is broadcast, lane ["orders",1]
        p3->>p4: 0.069 s: trigger 1 gets orders/1@0
        p3->>p5: 0.069 s: trigger 2 gets orders/1@0
        p3->>p6: 0.069 s: trigger 3 gets orders/1@0
        p4->>p3: 0.069 s: trigger 1 derives trigger event 7
        p5->>p3: 0.069 s: trigger 2 derives trigger event 8
        p6->>p3: 0.069 s: trigger 3 derives trigger event 9
        Note over p3: 0.069 s: trigger 1: bind gives seq 0
        Note over p3: 0.069 s: trigger 2: bind gives seq 1
        Note over p3: 0.069 s: trigger 3: bind gives seq 2
        Note over p3: 0.069 s: trigger 1 asks for the next event
        Note over p3: 0.069 s: trigger 2 asks for the next event
        Note over p3: 0.069 s: trigger 3 asks for the next event
        Note over p7: 1.023 s: trigger event 7 is persisted
        Note over p7: 1.050 s: trigger event 8 is persisted
        Note over p7: 1.057 s: trigger event 9 is persisted
        p7->>p3: 2.017 s: confirmed: seq 0, 1, 2, 3, 4, 5
        Note over p3: 2.017 s: advance gets [orders/1@0: 3 acked]
        Note over p2: 2.038 s: the broker takes orders/1@0 for settled
        Note over p3: 2.046 s: advance of poll 4 returns
      "
    `);
  });

  test("draws a task and its jobs between workers, job system and database", async () => {
    const run = await modelOf(WINDOW);
    const [name = ""] = run.tasks;
    const lines = readDiagram(mermaidFrom(run, { kind: "task", name }));
    const nameOf = new Map(
      lines.flatMap((l) => (l.kind === "participant" ? [[l.id, l.name]] : [])),
    );
    const accepted = lines.find((l) => l.kind === "message" && l.text.includes("accepts job 1"));
    expect(accepted?.kind === "message" && nameOf.get(accepted.from)).toMatch(/^task-\d$/);
    expect(accepted?.kind === "message" && nameOf.get(accepted.to)).toBe("jobs");
  });

  test("keeps the first 40 steps of a long way, and says how many more there are", async () => {
    const run = await modelOf(WINDOW);
    const subject = { kind: "task", name: run.tasks[0] ?? "" } as const;
    const more = run.journey(subject).length - 40;
    expect(more).toBeGreaterThan(0);
    const lines = readDiagram(mermaidFrom(run, subject));
    expect(lines.filter(({ kind }) => kind !== "participant")).toHaveLength(41);
    expect(lines.at(-1)).toMatchObject({ kind: "note", text: `${more} more steps` });
  });

  test("lets no name end a line, begin a statement, a comment, an entity or markup", async () => {
    const name =
      'x;\n  p1->>p2: forged #35; %% <img src=x onerror=alert(1)> $$a$$ "end\u2028\ud800`';
    const run = await renamed(ABORTED, (event) => ({
      ...event,
      host: event.host === "runner-1" ? name : event.host,
      ...("ref" in event && { ref: `${event.ref}${name}` }),
    }));
    const subject = { kind: "record", name: run.records[0] ?? "" } as const;
    const lines = readDiagram(mermaidFrom(run, subject));
    expect(lines.some((line) => line.kind === "message" && line.text === "forged")).toBe(false);
    expect(lines).toContainEqual({
      kind: "participant",
      id: expect.stringMatching(/^p\d$/) as string,
      name: 'x;   p1->>p2: forged #35; %% <img src=x onerror=alert(1)> $$a$$ "end `',
    });
  });

  test("cannot be read back when a text is not escaped: the reader sees it", () => {
    expect(() => readDiagram("sequenceDiagram\n  Note over p1: a; b\n")).toThrow(
      "Cannot be a text",
    );
    expect(() => readDiagram("sequenceDiagram\n  p1-x p2 a\n")).toThrow("No statement");
    expect(() => readDiagram("sequenceDiagram\n  Note over p1: a\n")).toThrow("Nobody is p1");
  });
});
