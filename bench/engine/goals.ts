import { entrantOf, ratioOf, type RowResult } from "./measure.ts";

type Rows = ReadonlyMap<string, RowResult>;

interface Goal {
  readonly work: string;
  readonly aim: "at least" | "at most";
  readonly goal: number;
  readonly unit: string;
  /** Undefined when a row that it needs was not measured. */
  readonly value: (rows: Rows) => number | undefined;
}

/** A goal with what was measured; the value is null when it was not. */
export interface GoalResult {
  readonly work: string;
  readonly aim: Goal["aim"];
  readonly goal: number;
  readonly unit: string;
  readonly value: number | null;
  readonly verdict: "reached" | "missed" | "not measured";
}

const PERCENT = 100;
const TIMES_TEXTBOOK = "times the textbook";

function timesTextbook(id: string): Goal["value"] {
  return (rows) => ratio(rows.get(id), "textbook", "faultlane");
}

function shareOfFloor(id: string): Goal["value"] {
  return (rows) => {
    const share = ratio(rows.get(id), "floor", "faultlane");
    return share === undefined ? undefined : share * PERCENT;
  };
}

function median(id: string): Goal["value"] {
  return (rows) => entrantOf(rows.get(id), "faultlane")?.median;
}

function growth(id: string, from: number, to: number): Goal["value"] {
  return (rows) => {
    const [first, last] = [from, to].map((at) => entrantOf(rows.get(id), "faultlane", at));
    return first === undefined || last === undefined ? undefined : ratioOf(last, first);
  };
}

function ratio(row: RowResult | undefined, one: string, other: string): number | undefined {
  const [above, below] = [entrantOf(row, one), entrantOf(row, other)];
  return above === undefined || below === undefined ? undefined : ratioOf(above, below);
}

function atLeast(work: string, goal: number, unit: string, value: Goal["value"]): Goal {
  return { work, aim: "at least", goal, unit, value };
}

function atMost(work: string, goal: number, unit: string, value: Goal["value"]): Goal {
  return { work, aim: "at most", goal, unit, value };
}

/** What the pump is to reach, stated for Node 24 and for the full sizes. */
const GOALS: readonly Goal[] = [
  ...[10, 100].flatMap((subscribers) => {
    const id = `async fires, S=${subscribers} L=1`;
    return [
      atLeast(id, 5, TIMES_TEXTBOOK, timesTextbook(id)),
      atLeast(id, 80, "% of the floor", shareOfFloor(id)),
    ];
  }),
  atLeast("sync fires, S=10 L=1", 25, TIMES_TEXTBOOK, timesTextbook("sync fires, S=10 L=1")),
  atLeast("sync fires, S=100 L=1", 40, TIMES_TEXTBOOK, timesTextbook("sync fires, S=100 L=1")),
  atLeast("S=1, 100,000 lanes", 50, TIMES_TEXTBOOK, timesTextbook("async fires, S=1 L=100000")),
  atMost("cost per event, 1 to 100,000 lanes", 2, "times", growth("growth over lanes", 1, 100_000)),
  atMost(
    "cost per event, 1 k to 1 M outstanding",
    1.5,
    "times",
    growth("growth over outstanding", 1_000, 1_000_000),
  ),
  atMost("overdue scan, 100 x 10,000", 20, "ms in one stretch", median("overdue scan")),
  atMost("memory per outstanding pair, S=100", 24, "bytes", median("bytes, bound, S=100")),
  atMost("memory per outstanding event, S=1", 160, "bytes", median("bytes, bound, S=1")),
  atMost("Deno", 1.3, "times Node", (rows) => ratio(rows.get("runtimes"), "Deno", "Node")),
];

export function judgeGoals(results: readonly RowResult[]): readonly GoalResult[] {
  const rows: Rows = new Map(results.map((row) => [row.id, row]));
  return GOALS.map(({ work, aim, goal, unit, value: measured }) => {
    const value = measured(rows) ?? null;
    return { work, aim, goal, unit, value, verdict: verdictOf(aim, goal, value) };
  });
}

function verdictOf(aim: Goal["aim"], goal: number, value: number | null): GoalResult["verdict"] {
  if (value === null) return "not measured";
  return (aim === "at least" ? value >= goal : value <= goal) ? "reached" : "missed";
}
