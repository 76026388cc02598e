import { describe, expect, test } from "vitest";
import { BEGUN, brokenBy, OTHER, set, type Told } from "./told-trace.ts";

const FIRST = '["task-instance","etl","run-1","pages"]#0';
const SECOND = '["task-instance","etl","run-1","pages"]#1';

/** A value is written, at the second that its place in the trace says. */
function written(scope: string, key = "k"): Told {
  const body = { scope, key, value: "1", expiresAt: null, attempt: 0 } as const;
  return ["database", { kind: "state-set", ...body }];
}

interface Removal {
  readonly scope?: string;
  readonly key?: string;
  readonly all?: boolean;
  readonly since?: number;
  /** What happens before it is said to be done. */
  readonly before?: readonly Told[];
}

/** The store says at second 5 that a removal which was asked for at second 4 is done. */
function told({ scope = FIRST, key, all = false, since = 4_000 }: Removal): Told {
  const body = { attempt: 1, scope, all, since, ...(key !== undefined && { key }) } as const;
  return ["task-1", { kind: "state-removed", ...body }];
}

/** Whether R-removed accuses a store in which these values are. */
function isAccused(values: readonly Told[], removal: Removal): boolean {
  const { before = [] } = removal;
  return brokenBy([...BEGUN, ...values, ...before, told(removal)]).includes("R-removed");
}

describe("R-removed accuses a store that", () => {
  test.each<readonly [string, readonly Told[], Removal]>([
    ["keeps the key", [written(FIRST)], { key: "k" }],
    ["keeps a key of what is cleared", [written(FIRST, "a")], {}],
    ["keeps what a sibling had", [written(SECOND)], { all: true }],
  ])("%s", (_, values, removal) => {
    expect(isAccused(values, removal)).toBe(true);
  });
});

describe("R-removed allows", () => {
  const gone: Told = ["database", { kind: "state-deleted", scope: FIRST, key: "k", attempt: 1 }];
  test.each<readonly [string, readonly Told[], Removal]>([
    ["what is gone", [written(FIRST), gone], { key: "k" }],
    ["another key", [written(FIRST, "other")], { key: "k" }],
    ["another task", [written(OTHER)], { all: true }],
    ["a sibling, where the task clears its own", [written(SECOND)], {}],
    ["what was written since it asked", [written(FIRST)], { key: "k", since: 1_000 }],
    [
      "what a fail-over has brought back",
      [written(FIRST), gone],
      {
        key: "k",
        since: 2_500,
        before: [["database", { kind: "commits-lost", since: 2_000 }]],
      },
    ],
  ])("%s", (_, values, removal) => {
    expect(isAccused(values, removal)).toBe(false);
  });

  test("no trace in which nobody removes anything is accused", () => {
    expect(brokenBy([...BEGUN, set("1")])).not.toContain("R-removed");
  });
});
