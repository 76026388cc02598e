import { describe, expect, test } from "vitest";
import { EPOCH_MS } from "../../sim/trace/epoch.ts";
import { BEGUN, brokenBy, SCOPE, set, state, type Told } from "./told-trace.ts";

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
const OVER: Told = ["database", state("success", 0, "0")];

/** The wall clock of the attempt's machine goes wrong. */
function skew(aheadMs: number, ppm = 0): Told {
  return ["task-1", { kind: "host", state: "skew", incarnation: 1, aheadMs, ppm }];
}

function asks(ms: number | null, key = "k"): Told {
  return ["task-1", { kind: "retention-asked", attempt: 1, key, ms }];
}

const SENT: Told = ["task-1", { kind: "state-sent", attempt: 1, key: "k", value: "1" }];

/** The entry that was sent at a virtual second is stored until `expiresAt`. */
function kept(expiresAt: number | null): Told {
  const body = { scope: SCOPE, key: "k", value: "1", expiresAt, attempt: 1 } as const;
  return ["database", { kind: "state-set", ...body }];
}

function got(value: string | null = "1"): Told {
  return ["database", { kind: "state-got", scope: SCOPE, key: "k", value, attempt: 1 }];
}

function reads(value: string | null): Told {
  return ["task-1", { kind: "state-read", attempt: 1, key: "k", value }];
}

/** A write, sent at second 3 or later: the events of a trace are a second apart. */
function written(before: readonly Told[], expiresAt: number | null): readonly Told[] {
  return [...BEGUN, ...before, SENT, kept(expiresAt), OVER];
}

describe("R-expires accuses", () => {
  const at3 = EPOCH_MS + 3_000;
  const read = (expiresAt: number, value: string | null): readonly Told[] => [
    ...BEGUN,
    asks(expiresAt - at3),
    SENT,
    kept(expiresAt),
    got(),
    reads(value),
    OVER,
  ];
  test.each<readonly [string, readonly Told[]]>([
    ["an entry that expires a millisecond late", written([asks(HOUR_MS)], at3 + HOUR_MS + 1)],
    ["one that expires a millisecond early", written([asks(HOUR_MS)], at3 + HOUR_MS - 1)],
    ["one that never expires, and was to", written([asks(HOUR_MS)], null)],
    ["one that expires, and never was to", written([asks(null)], at3 + HOUR_MS)],
    ["another than the default", written([asks(HOUR_MS, "other")], at3 + HOUR_MS)],
    ["a clock that is allowed for after it was set right", written([skew(9)], at3 + MONTH_MS)],
    ["a drift that is allowed for twice", written([skew(0, 100_000)], at3 + MONTH_MS + 200)],
    ["a read of what has expired", read(at3 + 1_000, "1")],
    ["a read that hides what is valid", read(at3 + 9_000, null)],
  ])("%s", (_, told) => {
    expect(brokenBy(told)).toEqual(["R-expires"]);
  });
});

describe("R-expires accuses nobody", () => {
  const at3 = EPOCH_MS + 3_000;
  test.each<readonly [string, readonly Told[]]>([
    ["for what was asked", written([asks(HOUR_MS)], at3 + HOUR_MS)],
    ["for ever, as asked", written([asks(null)], null)],
    ["for the default", written([asks(null, "other")], at3 + MONTH_MS)],
    ["by a clock that is behind", written([skew(-HOUR_MS)], at3 + MONTH_MS - HOUR_MS)],
    ["by a clock that drifts", written([skew(5, 100_000)], at3 + MONTH_MS + 105)],
    ["for what no attempt has sent", [...BEGUN, kept(50), OVER]],
    [
      "for a read by a clock that is ahead",
      [...BEGUN, asks(9_000), SENT, kept(at3 + 9_000), skew(9_000), got(), reads(null), OVER],
    ],
    [
      "for a read of a replica that lags, whose entry of the same value has expired",
      [
        ...BEGUN,
        asks(9_000),
        ["database", { kind: "reads-lag", by: 5_000, until: 20_000 }],
        SENT,
        kept(at3 + 10_000),
        got(),
        reads(null),
        OVER,
      ],
    ],
    [
      "for a payload that was sent late",
      [
        ...BEGUN,
        asks(HOUR_MS),
        asks(HOUR_MS),
        ["task-1", { kind: "state-sent", attempt: 1, key: "k", value: "reference" }],
        kept(at3 + HOUR_MS),
        OVER,
      ],
    ],
  ])("%s", (_, told) => {
    expect(brokenBy(told)).toEqual([]);
  });
});

describe("R-swept", () => {
  const done = (since: number, now: number, grace = 0): Told => [
    "sweeper",
    { kind: "sweep-done", since, now, grace },
  ];
  const ahead: Told = [
    "sweeper",
    { kind: "host", state: "skew", incarnation: 1, aheadMs: HOUR_MS, ppm: 0 },
  ];
  const expired = EPOCH_MS + 1_000;
  const begun: readonly Told[] = [...BEGUN, kept(expired), OVER];
  const swept: Told = [
    "database",
    { kind: "state-swept", scope: SCOPE, key: "k", now: EPOCH_MS + 4_000 },
  ];
  test.each<readonly [string, readonly Told[], readonly string[]]>([
    ["accuses a sweep that left an entry", [...begun, done(4_000, EPOCH_MS + 4_000)], ["R-swept"]],
    ["accuses one by no clock", [...begun, swept, done(4_000, EPOCH_MS + 3_999)], ["R-swept"]],
    ["allows a sweep that took it", [...begun, swept, done(4_000, EPOCH_MS + 4_000)], []],
    ["allows its grace", [...begun, done(4_000, EPOCH_MS - 1_000, 5_000)], []],
    [
      "counts by the sweeper's clock",
      [...begun, ahead, done(5_000, EPOCH_MS + 5_000 + HOUR_MS)],
      ["R-swept"],
    ],
    ["allows an entry that came later", [...begun, done(2_000, EPOCH_MS + 2_000)], []],
    [
      "allows what a fail-over brought back",
      [
        ...begun,
        ["database", { kind: "commits-lost", since: 9_000 }],
        done(4_000, EPOCH_MS + 4_000),
      ],
      [],
    ],
  ])("%s", (_, told, broken) => {
    expect(brokenBy(told)).toEqual(broken);
  });
});

describe("a clear that does too little breaks", () => {
  const cleared = (left?: readonly string[]): Told => {
    const told = left === undefined ? {} : { left };
    const body = { scope: SCOPE, all: false, why: "success", emptied: [], ...told } as const;
    return ["database", { kind: "state-cleared", ...body }];
  };
  const asked: Told = ["database", { kind: "clear-asked", task: "pages/run-1" }];
  test("R-I10, when keys are left", () => {
    expect(brokenBy([...BEGUN, set("1"), OVER, cleared([SCOPE])])).toEqual(["R-I10"]);
  });
  test("R-I16, when it was asked for and does not come", () => {
    expect(brokenBy([asked, ...BEGUN, set("1"), OVER])).toEqual(["R-I16"]);
  });
  test("nothing, when it was not asked for, or comes", () => {
    expect(brokenBy([...BEGUN, set("1"), OVER])).toEqual([]);
    expect(brokenBy([asked, ...BEGUN, set("1"), OVER, cleared()])).toEqual([]);
  });
});
