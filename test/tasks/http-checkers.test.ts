import { describe, expect, test } from "vitest";
import { EPOCH_MS } from "../../sim/trace/epoch.ts";
import type { HttpEvent, ShownEntry } from "../../sim/trace/http-events.ts";
import { BEGUN, brokenBy, SCOPE, set, state, type Told } from "./told-trace.ts";

type Asked = Partial<Extract<HttpEvent, { kind: "http-asked" }>>;

const OVER: Told = ["database", state("success", 0, "0")];
const KEY = "k";
/** What the attempt sends, at second 2; `set` has it in the store at second 3. */
const SENT: Told = ["task-1", { kind: "state-sent", attempt: 1, key: KEY, value: "1" }];
const FIRST: Told = ["task-1", { kind: "state-sent", attempt: 1, key: KEY, value: "0" }];
const SENT_AT = EPOCH_MS + 2_000;
const WRITTEN: readonly Told[] = [...BEGUN, SENT, kept("1")];
const SHOWN: ShownEntry = { key: KEY, value: "1", updatedAt: SENT_AT, expiresAt: null };

function asks(asked: Asked = {}): Told {
  const defaults = { request: 1, method: "GET", scope: SCOPE, key: "", value: null } as const;
  return ["dashboard", { kind: "http-asked", ...defaults, ...asked }];
}

function answers(status: number, shown: readonly ShownEntry[] = [], total = shown.length): Told {
  return ["dashboard", { kind: "http-answered", request: 1, status, total, shown }];
}

function kept(value: string, attempt = 1, expiresAt: number | null = null): Told {
  const body = { kind: "state-set", scope: SCOPE, key: KEY, value, expiresAt, attempt } as const;
  return ["database", body];
}

function deleted(): Told {
  return ["database", { kind: "state-deleted", scope: SCOPE, key: KEY, attempt: 0 }];
}

/** Which of the laws of HTTP are broken by what comes between request and answer. */
function broken(told: readonly Told[], apartMs?: number): readonly string[] {
  const laws = ["R-shown", "R-told", "R-dated"];
  return brokenBy([...told, OVER], apartMs).filter((id) => laws.includes(id));
}

describe("R-shown", () => {
  const soon = EPOCH_MS + 4_500;
  const brief = [...BEGUN, SENT, kept("1", 1, soon)];
  const expiring = { ...SHOWN, expiresAt: soon };
  test.each<readonly [string, readonly Told[]]>([
    ["a value that is not there", [...WRITTEN, asks(), answers(200, [{ ...SHOWN, value: "2" }])]],
    ["a key that is not there", [...BEGUN, asks(), answers(200, [SHOWN])]],
    ["a key that is left out", [...WRITTEN, asks(), answers(200)]],
    ["another expiry", [...WRITTEN, asks(), answers(200, [{ ...SHOWN, expiresAt: soon }])]],
    ["a count that is wrong", [...WRITTEN, asks(), answers(200, [SHOWN], 2)]],
    ["a key that is denied", [...WRITTEN, asks({ key: KEY }), answers(404)]],
    ["a request that is refused", [...WRITTEN, asks(), answers(422)]],
    [
      "what had expired",
      [...brief, deleted(), kept("1", 1, soon), asks(), answers(200, [expiring])],
    ],
    [
      "what is valid, and hidden",
      [...BEGUN, SENT, kept("1", 1, soon + 9_000), asks(), answers(200)],
    ],
  ])("accuses %s", (_, told) => {
    expect(broken(told)).toEqual(["R-shown"]);
  });

  test.each<readonly [string, readonly Told[]]>([
    ["what is there", [...WRITTEN, asks(), answers(200, [SHOWN])]],
    ["a key", [...WRITTEN, asks({ key: KEY }), answers(200, [SHOWN])]],
    ["what has gone meanwhile", [...WRITTEN, asks(), deleted(), answers(200, [SHOWN])]],
    ["what is missing by now", [...WRITTEN, asks(), deleted(), answers(200)]],
    ["what has expired meanwhile", [...brief, asks(), answers(200)]],
    ["a database that is down", [...WRITTEN, asks(), answers(503)]],
    [
      "what a replica that lags has",
      [
        ...WRITTEN,
        deleted(),
        ["database", { kind: "reads-lag", by: 2_000, until: 99_000 }],
        asks(),
        answers(200, [SHOWN]),
      ],
    ],
    [
      "what a fail-over takes back",
      [
        ...WRITTEN,
        asks(),
        ["database", { kind: "commits-lost", since: 2_500 }],
        answers(200, [SHOWN]),
      ],
    ],
  ])("takes %s", (_, told) => {
    expect(broken(told)).toEqual([]);
  });
});

test("a fail-over before a request excuses its answer only in the instant in which it was asked", () => {
  const lost: Told = ["database", { kind: "commits-lost", since: 0 }];
  const told = [...WRITTEN, lost, asks(), answers(200, [SHOWN])];
  expect(broken(told, 1)).toContain("R-shown");
  expect(broken(told, 0)).toEqual([]);
});

describe("R-told", () => {
  const put = asks({ method: "PUT", key: KEY, value: "7", expiresAt: null });
  const patch = asks({ method: "PATCH", key: KEY, value: "7" });
  const remove = asks({ method: "DELETE", key: KEY });
  const swap = asks({ method: "PUT", key: KEY, value: "7", expected: null });
  const brief = [...BEGUN, SENT, kept("1", 1, EPOCH_MS + 60_000)];
  test.each<readonly [string, readonly Told[]]>([
    ["a write that did not happen", [...BEGUN, put, answers(204)]],
    ["another value", [...BEGUN, put, kept("8", 0), answers(204)]],
    ["another expiry", [...BEGUN, put, kept("7", 0, EPOCH_MS + 60_000), answers(204)]],
    ["a delete that did not happen", [...WRITTEN, remove, answers(204)]],
    ["a change that moves the expiry", [...brief, patch, kept("7", 0), answers(200)]],
    ["an exchange of what was there", [...WRITTEN, swap, kept("7", 0), answers(204)]],
    ["an exchange that is refused for nothing", [...BEGUN, swap, answers(412)]],
    ["a change that is refused for nothing", [...WRITTEN, patch, answers(404)]],
    ["a write that is refused", [...BEGUN, put, answers(422)]],
  ])("accuses %s", (_, told) => {
    expect(broken(told)).toEqual(["R-told"]);
  });

  test.each<readonly [string, readonly Told[]]>([
    ["a write", [...BEGUN, put, kept("7", 0), answers(204)]],
    ["a write that is overwritten at once", [...BEGUN, put, kept("7", 0), kept("9"), answers(204)]],
    ["a change", [...brief, patch, kept("7", 0, EPOCH_MS + 60_000), answers(200)]],
    ["a delete", [...WRITTEN, remove, deleted(), answers(204)]],
    ["a delete of nothing", [...BEGUN, remove, answers(204)]],
    ["an exchange", [...BEGUN, swap, kept("7", 0), answers(204)]],
    ["an exchange that comes too late", [...BEGUN, swap, kept("1"), answers(412)]],
    ["a change of nothing", [...BEGUN, patch, answers(404)]],
  ])("takes %s", (_, told) => {
    expect(broken(told)).toEqual([]);
  });
});

describe("R-dated", () => {
  const at = (updatedAt: number | null): Told => answers(200, [{ ...SHOWN, updatedAt }]);
  const read: Told = [
    "database",
    { kind: "state-got", scope: SCOPE, key: KEY, value: null, attempt: 1 },
  ];
  const skewed: Told = ["task-1", { kind: "host", state: "skew", incarnation: 1, aheadMs: 7 }];
  const note = [...BEGUN, asks({ method: "PUT", key: KEY, value: "1", request: 9 }), kept("1", 0)];
  test.each<readonly [string, readonly Told[]]>([
    ["the time of the commit", [...WRITTEN, asks(), at(SENT_AT + 1_000)]],
    ["no time", [...WRITTEN, asks(), at(null)]],
    [
      "the time of an earlier write",
      [...BEGUN, FIRST, kept("0"), SENT, kept("1"), asks(), at(SENT_AT)],
    ],
    [
      "the right time, by a clock that is wrong",
      [...BEGUN, skewed, SENT, kept("1"), asks(), at(SENT_AT + 1_000)],
    ],
    ["a time after a write over HTTP", [...note, asks(), at(EPOCH_MS + 3_001)]],
  ])("accuses %s", (_, told) => {
    expect(broken(told)).toEqual(["R-dated"]);
  });

  test.each<readonly [string, readonly Told[]]>([
    ["the time at which it was sent", [...WRITTEN, asks(), at(SENT_AT)]],
    [
      "a time before the read of one that compares",
      [...BEGUN, read, SENT, kept("1"), asks(), at(SENT_AT - 500)],
    ],
    ["the clock of the writer", [...BEGUN, skewed, SENT, kept("1"), asks(), at(SENT_AT + 1_007)]],
    ["a write over HTTP", [...note, asks(), at(EPOCH_MS + 2_500)]],
    ["what the platform wrote, without a time", [...BEGUN, kept("1", 0), asks(), at(null)]],
  ])("takes %s", (_, told) => {
    expect(broken(told)).toEqual([]);
  });
});

test("a set of an attempt is no matter of HTTP", () => {
  expect(broken([...BEGUN, set("1")])).toEqual([]);
});
