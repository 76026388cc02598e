import { describe, expect, test } from "vitest";
import { CheckerRunner } from "../../sim/checkers/mod.ts";
import type { Checker } from "../../sim/checkers/checker.ts";
import { ProducerFacts } from "../../sim/checkers/producer/producer-facts.ts";
import { handlesAreUsedOnce, leasesAreKept } from "../../sim/checkers/producer/producer-handles.ts";
import {
  mannersAreKept,
  onlyTheFatalThrows,
  resourcesAreReleased,
} from "../../sim/checkers/producer/producer-manners.ts";
import { doneIsSettled, nothingSpins } from "../../sim/checkers/producer/producer-progress.ts";
import {
  positionsOnlyGrow,
  rejectedIsDeadLettered,
} from "../../sim/checkers/producer/producer-settling.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

/** What happens, and when. */
type Act = readonly [at: number, body: TraceBody, host?: string];

/** What a checker reports of a run, as symptoms. */
function reportedBy(checker: Checker<ProducerFacts>, acts: readonly Act[]): readonly string[] {
  const facts = new ProducerFacts(({ failed, rejected }) => {
    if (failed > 0) return rejected > 0 ? "refuse-or-hold" : "hold";
    return rejected > 0 ? "dead-letter" : "settle";
  });
  const runner = new CheckerRunner([checker], facts);
  for (const [at, body, host = "triggerer"] of acts) runner.observe({ at, host, ...body });
  return runner.end().map(({ symptom }) => symptom);
}

function opened(at: number, poll: number): readonly Act[] {
  return [
    [at, { kind: "factory", key: "k", poll }],
    [at, { kind: "open", key: "k", poll, ack: true }],
  ];
}

/** The record is handed out, and its subscribers end it so. */
function handedOut(
  at: number,
  { ref, copy, lane }: { readonly ref: string; readonly copy: number; readonly lane: string },
  outcome: "failed" | "rejected",
): readonly Act[] {
  const [failed, rejected] = outcome === "failed" ? [1, 0] : [0, 1];
  return [
    [at, { kind: "published", ref, key: "k" }],
    [at, { kind: "emit", poll: 1, copy, ref }],
    [at, { kind: "fan-out", poll: 1, copy, lane }],
    [at + 10, { kind: "advance", poll: 1, items: [[copy, 0, failed, rejected, false]] }],
    [at + 20, { kind: "advanced", poll: 1, ok: true }],
  ];
}

// The story: a queue moves a record to its dead letters by itself, when it has delivered it so often.
// It was never rejected, and its producer could have kept it (P-40, P-57).
test("a record that only failed, and that its broker gives up, breaks G3", () => {
  const given: Act = [2_000, { kind: "dead-lettered", ref: "a", atLimit: true }];
  const reported = (outcome: "failed" | "rejected", ...acts: readonly Act[]): readonly string[] => {
    const handed = handedOut(1_000, { ref: "a", copy: 1, lane: "l" }, outcome);
    return reportedBy(rejectedIsDeadLettered, [...opened(0, 1), ...handed, ...acts]);
  };
  expect(reported("failed", given)).toEqual(["dead-lettered-against-outcome"]);
  const dead: Act = [1_500, { kind: "dead-lettered", ref: "a" }];
  expect(reported("rejected", dead, given)).toEqual(["dead-lettered-twice"]);
});

describe("a rejected event that is handed out again, not dead-lettered (G3)", () => {
  const REJECTED = handedOut(1_000, { ref: "a", copy: 1, lane: "l" }, "rejected");
  const AGAIN: Act = [2_000, { kind: "emit", poll: 1, copy: 9, ref: "a" }];
  const reported = (acts: readonly Act[]): readonly string[] =>
    reportedBy(rejectedIsDeadLettered, acts);

  test("is reported", () => {
    expect(reported([...opened(0, 1), ...REJECTED, AGAIN])).toEqual(["rejected-redelivered"]);
  });

  test("is reported also when an event of another lane is held", () => {
    const held = handedOut(500, { ref: "b", copy: 2, lane: "other" }, "failed");
    const acts = [...opened(0, 1), ...held, ...REJECTED, AGAIN];
    expect(reported(acts)).toEqual(["rejected-redelivered"]);
  });

  // 1. It lies behind one that some rejected and some failed at. 2. Both are read again, one by one.
  // 3. The first is dead-lettered before the second one comes.
  const BEFORE: readonly Act[] = [
    [500, { kind: "published", ref: "b", key: "k" }],
    [500, { kind: "emit", poll: 1, copy: 2, ref: "b" }],
    [500, { kind: "fan-out", poll: 1, copy: 2, lane: "l" }],
    [510, { kind: "advance", poll: 1, items: [[2, 0, 1, 1, false]] }],
    [520, { kind: "advanced", poll: 1, ok: true }],
  ];
  const DEAD: Act = [1_900, { kind: "dead-lettered", ref: "b" }];

  test("is reported also when one of its lane was dead-lettered, and did not come again", () => {
    const acts = [...opened(0, 1), ...BEFORE, ...REJECTED, DEAD, AGAIN];
    expect(reported(acts)).toEqual(["rejected-redelivered"]);
  });

  test.each<readonly [string, readonly Act[]]>([
    [
      "behind one that came again as well, and was dead-lettered then",
      [
        ...opened(0, 1),
        ...BEFORE,
        ...REJECTED,
        [1_800, { kind: "emit", poll: 1, copy: 8, ref: "b" }],
        DEAD,
        AGAIN,
      ],
    ],
    [
      "behind a held event of its lane",
      [
        ...opened(0, 1),
        ...handedOut(500, { ref: "b", copy: 2, lane: "l" }, "failed"),
        ...REJECTED,
        AGAIN,
      ],
    ],
    [
      "by another producer, which begins where this one ended",
      [...REJECTED, [2_000, { kind: "emit", poll: 2, copy: 9, ref: "a" }]],
    ],
    [
      "after its lease has ended",
      [
        ...opened(0, 1),
        ...REJECTED,
        [1_500, { kind: "lapsed", consumer: "triggerer/1", ref: "a" }],
        AGAIN,
      ],
    ],
    [
      "while the dead-letter queue may still refuse",
      [...opened(0, 1), [900, { kind: "disturbed", name: "refuse" }], ...REJECTED, AGAIN],
    ],
    [
      "while the link to the broker is cut, however long ago that was",
      [
        [0, { kind: "link", to: "broker", state: "cut" }],
        ...opened(100_000, 1),
        ...handedOut(101_000, { ref: "a", copy: 1, lane: "l" }, "rejected"),
        [102_000, { kind: "emit", poll: 1, copy: 9, ref: "a" }],
      ],
    ],
  ])("is excused %s", (_, acts) => {
    const withBoth = acts.some(([, { kind }]) => kind === "factory")
      ? acts
      : [...opened(0, 1), ...opened(0, 2), ...acts];
    expect(reported(withBoth)).toEqual([]);
  });
});

describe("a stream that ends", () => {
  const threw: Act = [2_000, { kind: "poll-ended", poll: 1, how: "threw" }];
  const returned: Act = [2_000, { kind: "poll-ended", poll: 1, how: "returned" }];
  const closing: Act = [1_000, { kind: "aclose", poll: 1 }];
  const crash: Act = [1_000, { kind: "host", state: "crash", incarnation: 1 }];

  test("is reported: it threw, or returned", () => {
    expect(reportedBy(onlyTheFatalThrows, [...opened(0, 1), threw])).toEqual(["stream-threw"]);
    expect(reportedBy(mannersAreKept, [...opened(0, 1), returned])).toEqual(["stream-ended"]);
  });

  test.each([
    ["it is being closed", closing],
    ["its process has died", crash],
  ] as const)("is excused when %s", (_, before) => {
    expect(reportedBy(onlyTheFatalThrows, [...opened(0, 1), before, threw])).toEqual([]);
    expect(reportedBy(mannersAreKept, [...opened(0, 1), before, returned])).toEqual([]);
  });
});

describe("a delivery that was settled for good (G4)", () => {
  const act = (
    at: number,
    name: "ack" | "nack" | "terminate" | "defer" | "extend",
    refused = "",
  ): Act => {
    const delivery = { ref: "a", consumer: "triggerer/1", handle: "h1" };
    return [at, { kind: "settle", ...delivery, act: name, refused }];
  };
  const reported = (...acts: readonly Act[]): readonly string[] =>
    reportedBy(handlesAreUsedOnce, [...opened(0, 1), ...acts]);
  const FINAL = ["ack", "nack", "terminate", "defer"] as const;

  test.each(FINAL)("by %s is settled once", (name) => {
    expect(reported(act(1_000, name), act(9_000, "ack"))).toEqual(["settled-twice"]);
    expect(reported(act(1_000, "ack"), act(9_000, name))).toEqual(["settled-twice"]);
  });

  test.each(FINAL)("by %s is not extended any more", (name) => {
    const symptoms = reported(act(1_000, name), act(9_000, "extend"));
    expect(symptoms).toEqual(["extended-after-settled"]);
  });

  test("is settled again after the broker refused, or something has happened since", () => {
    expect(reported(act(1_000, "ack", "ServiceUnavailable"), act(9_000, "ack"))).toEqual([]);
    const lapsed: Act = [5_000, { kind: "lapsed", consumer: "triggerer/1", ref: "a" }];
    expect(reported(act(1_000, "ack"), lapsed, act(9_000, "ack"))).toEqual([]);
  });

  test("may be extended by a request that was on its way", () => {
    expect(reported(act(1_000, "ack"), act(2_500, "extend"))).toEqual([]);
    expect(reported(act(1_000, "extend"), act(5_000, "extend"), act(5_001, "ack"))).toEqual([]);
  });
});

describe("a lease that ends while its event is outstanding (G9)", () => {
  const of = { consumer: "triggerer/1", ref: "a" };
  const delivered = (at: number): Act => [at, { kind: "delivered", ...of, unit: "" }];
  const HELD: readonly Act[] = [
    ...opened(0, 1),
    [1_000, { kind: "published", ref: "a", key: "k" }],
    delivered(1_010),
    [1_020, { kind: "emit", poll: 1, copy: 1, ref: "a" }],
  ];
  const lapsed: Act = [90_000, { kind: "lapsed", ...of }];

  test("is reported", () => {
    expect(reportedBy(leasesAreKept, [...HELD, lapsed])).toEqual(["lease-ended-outstanding"]);
  });

  test("is excused where a later delivery, which got lost, has made its handle stale", () => {
    expect(reportedBy(leasesAreKept, [...HELD, delivered(30_000), lapsed])).toEqual([]);
  });

  test("is reported of the later delivery, once that is handed out", () => {
    const again: Act = [30_010, { kind: "emit", poll: 1, copy: 2, ref: "a" }];
    const acts = [...HELD, delivered(30_000), again, lapsed];
    expect(reportedBy(leasesAreKept, acts)).toEqual(["lease-ended-outstanding"]);
  });
});

test("an aclose hangs from the millisecond on in which it may take no longer (G6)", () => {
  const untilEnd = (at: number): readonly string[] =>
    reportedBy(resourcesAreReleased, [
      ...opened(0, 1),
      [1_000, { kind: "aclose", poll: 1 }],
      [at, { kind: "published", ref: "a", key: "k" }],
    ]);
  expect(untilEnd(60_999)).toEqual([]);
  expect(untilEnd(61_000)).toEqual(["aclose-hangs"]);
});

test("of a timer that is left by an aclose that hangs, the aclose is told (G6)", () => {
  const leftAt = (at: number, timers: number): readonly string[] =>
    reportedBy(resourcesAreReleased, [
      ...opened(0, 1),
      [1_000, { kind: "aclose", poll: 1 }],
      [at, { kind: "still-open", poll: 0, what: timers === 0 ? ["a connection"] : [], timers }],
    ]);
  expect(leftAt(61_000, 1)).toEqual(["aclose-hangs"]);
  expect(leftAt(60_999, 1)).toEqual(["left-open"]);
  expect(leftAt(61_000, 0)).toEqual(["left-open", "aclose-hangs"]);
});

describe("what a library does behind an aclose (G6)", () => {
  const CLOSED: readonly Act[] = [
    ...opened(0, 1),
    [1_000, { kind: "aclose", poll: 1 }],
    [1_001, { kind: "aclosed", poll: 1 }],
  ];
  const DISTURBED = { kind: "disturbed", name: "the user may not read for a while" } as const;
  const call = (at: number): Act => [at, { kind: "client-call", poll: 1, site: "broker.settle" }];
  const open = (at: number, timers: number): Act => [
    at,
    { kind: "still-open", poll: 1, what: ["a subscription"], timers },
  ];
  const reported = (isFatal: boolean, act: Act): readonly string[] =>
    reportedBy(resourcesAreReleased, [
      [500, isFatal ? { ...DISTURBED, isFatal } : DISTURBED],
      ...CLOSED,
      act,
    ]);

  test("is its own for 90 s after the broker has refused the client", () => {
    expect(reported(true, call(90_500))).toEqual([]);
    expect(reported(true, call(90_501))).toEqual(["client-active-after-aclose"]);
    expect(reported(true, open(90_500, 0))).toEqual([]);
    expect(reported(true, open(90_501, 0))).toEqual(["left-open"]);
  });

  test("is held against the producer after any other disturbance, and timers always are", () => {
    expect(reported(false, call(2_000))).toEqual(["client-active-after-aclose"]);
    expect(reported(false, open(2_000, 0))).toEqual(["left-open"]);
    expect(reported(true, open(2_000, 1))).toEqual(["left-open"]);
  });
});

describe("a rejected event that is dead-lettered (progress)", () => {
  const REJECTED = handedOut(1_000, { ref: "a", copy: 1, lane: "l" }, "rejected");
  const KEPT: Act = [1_030, { kind: "dead-lettered", ref: "a" }];
  const SETTLED: Act = [1_040, { kind: "settled", ref: "a", consumer: "orders" }];

  test("has to be settled all the same", () => {
    const acts = [...opened(0, 1), ...REJECTED, KEPT];
    expect(reportedBy(doneIsSettled, acts)).toEqual(["done-unsettled"]);
    expect(reportedBy(doneIsSettled, [...acts, SETTLED])).toEqual([]);
  });
});

describe("a held event that comes again (hot-loop)", () => {
  /** It comes so often that the next time is once too often, the first and last so far apart. */
  const comingsIn = (ms: number): readonly Act[] => {
    const emits = Array.from({ length: 41 }, (_, copy): Act => {
      const at = 1_000 + (copy <= 1 ? 0 : Math.floor(((copy - 1) * ms) / 39));
      return [at, { kind: "emit", poll: 1, copy: copy + 1, ref: "a" }];
    });
    return [...opened(0, 1), [1_000, { kind: "published", ref: "a", key: "k" }], ...emits];
  };

  test.each([
    [4_999, ["hot-loop"]],
    [5_001, []],
  ])("forty times within %i ms: %o", (ms, symptoms) => {
    expect(reportedBy(nothingSpins, comingsIn(ms))).toEqual(symptoms);
  });
});

describe("an event of which two deliveries are under way (G3, progress)", () => {
  const delivered = (at: number): Act => [
    at,
    { kind: "delivered", ref: "a", consumer: "triggerer/1", unit: "" },
  ];
  const emit = (at: number, copy: number): Act => [at, { kind: "emit", poll: 1, copy, ref: "a" }];
  const ended = (
    at: number,
    copy: number,
    [acked, failed, rejected]: readonly [number, number, number],
  ): readonly Act[] => [
    [at, { kind: "fan-out", poll: 1, copy, lane: `l${copy}` }],
    [at, { kind: "advance", poll: 1, items: [[copy, acked, failed, rejected, false]] }],
    [at + 10, { kind: "advanced", poll: 1, ok: true }],
  ];
  const REJECTED = [0, 0, 1] as const;
  const ACKED = [1, 0, 0] as const;
  const FAILED = [0, 1, 0] as const;
  const BEGIN: readonly Act[] = [...opened(0, 1), [900, { kind: "published", ref: "a", key: "k" }]];

  test.each([
    ["rejected", REJECTED, rejectedIsDeadLettered, "rejected-redelivered"],
    ["taken by everybody", ACKED, doneIsSettled, "redelivered-when-done"],
  ] as const)("is handed out once more when the first was %s", (_, outcome, checker, symptom) => {
    const first = [emit(1_000, 1), ...ended(1_100, 1, outcome)];
    const reported = (...acts: readonly Act[]): boolean =>
      reportedBy(checker, [...BEGIN, ...acts]).includes(symptom);
    const two = [delivered(990), delivered(991), ...first, emit(2_000, 2)];
    expect(reported(...two)).toBe(false);
    // Within one instant nobody knows which came first.
    const atOnce = [delivered(990), emit(1_000, 1), ...ended(1_100, 1, outcome).slice(0, 2)];
    expect(reported(...atOnce, delivered(1_100), emit(2_000, 2))).toBe(false);
    // But not a third time, nor when it was delivered once, nor when that has made it come.
    expect(reported(...two, ...ended(2_100, 2, outcome), emit(3_000, 3))).toBe(true);
    expect(reported(delivered(990), ...first, emit(2_000, 2))).toBe(true);
    expect(reported(delivered(990), ...first, delivered(1_500), emit(2_000, 2))).toBe(true);
  });

  test("comes again when one was taken by everybody, and the other has failed after that", () => {
    const both = [delivered(990), delivered(991), emit(1_000, 1), emit(1_001, 2)];
    const first = ended(1_100, 2, ACKED);
    const again = [delivered(3_000), emit(3_001, 3)];
    const reported = (...acts: readonly Act[]): boolean =>
      reportedBy(doneIsSettled, [...BEGIN, ...acts]).includes("redelivered-when-done");
    expect(reported(...both, ...first, ...ended(1_200, 1, FAILED), ...again)).toBe(false);
    expect(reported(...both, ...first, ...ended(1_200, 1, ACKED), ...again)).toBe(true);
  });

  describe("because an earlier producer put it into a queue, and was closed before it settled it", () => {
    const close = (at: number): Act => [at, { kind: "aclose", poll: 1 }];
    const next = (
      at: number,
      copy: number,
      outcome: readonly [number, number, number],
    ): readonly Act[] => [
      delivered(at - 10),
      [at, { kind: "emit", poll: 2, copy, ref: "a" }],
      [at + 100, { kind: "fan-out", poll: 2, copy, lane: `l${copy}` }],
      [at + 100, { kind: "advance", poll: 2, items: [[copy, ...outcome, false]] }],
      [at + 110, { kind: "advanced", poll: 2, ok: true }],
    ];
    const dead = (at: number): Act => [at, { kind: "dead-lettered", ref: "a" }];
    const held = [delivered(990), emit(1_000, 1), ...ended(1_100, 1, FAILED)];
    const behind = (closedAt: number): readonly Act[] => [
      ...[...BEGIN, ...held, close(closedAt)],
      ...opened(closedAt + 100, 2),
    ];

    test.each([
      [3_100, []],
      [3_101, ["dead-lettered-twice"]],
    ] as const)("two dead letters of it, closed at %i: %o", (closedAt, symptoms) => {
      const one = [...next(5_000, 2, REJECTED), dead(5_105)];
      const other = [...next(6_000, 3, REJECTED), dead(6_105)];
      expect(reportedBy(rejectedIsDeadLettered, [...behind(closedAt), ...one, ...other])).toEqual(
        symptoms,
      );
    });

    test("it is taken twice, and no third time", () => {
      const two = [...next(5_000, 2, ACKED), ...next(6_000, 3, ACKED)];
      const reported = (...acts: readonly Act[]): boolean =>
        reportedBy(doneIsSettled, acts).includes("redelivered-when-done");
      expect(reported(...behind(1_200), ...two)).toBe(false);
      expect(reported(...behind(1_200), ...two, ...next(7_000, 4, ACKED))).toBe(true);
      // Nothing was held, or its producer was not closed.
      expect(reported(...BEGIN, ...opened(4_000, 2), ...two)).toBe(true);
      expect(reported(...BEGIN, ...held, ...opened(4_000, 2), ...two)).toBe(true);
    });
  });
});

describe("a position that goes back (G5)", () => {
  const commit = (at: number, position: number): Act => {
    const settled = { kind: "settle", ref: "a", act: "commit", refused: "" } as const;
    return [at, { ...settled, consumer: "triggerer/1", handle: `orders/0@${position}` }, "broker"];
  };
  const LOST: Act = [1_000, { kind: "fault", site: "broker.settle", verdict: "lost", rule: "r" }];
  const ENDED: Act = [2_000, { kind: "poll-ended", poll: 1, how: "closed" }];
  const reported = (acts: readonly Act[]): readonly string[] =>
    reportedBy(positionsOnlyGrow, [...opened(0, 1), ...acts, commit(9_000, 2), commit(9_500, 1)]);

  test("is reported", () => {
    expect(reported([LOST])).toEqual(["position-went-back"]);
  });

  test("is none of its successor's when a request of an ended producer was lost before", () => {
    expect(reported([LOST, ENDED])).toEqual([]);
    expect(reported([LOST, ENDED, ...opened(5_000, 2)])).toEqual([]);
  });

  test("is reported when nothing was lost, or the ended producer has closed", () => {
    expect(reported([ENDED])).toEqual(["position-went-back"]);
    const closed: Act = [3_000, { kind: "aclosed", poll: 1 }];
    expect(reported([LOST, ENDED, closed])).toEqual(["position-went-back"]);
  });
});

// 1. Orders a and b of one lane are handed out; a is rejected. 2. Its dead letter is taken, and the
// producer ends before it has settled it. 3. The next one hands out both. 4. Now one subscriber
// rejects a, and another one fails. 5. Both come again, b behind a, though everybody has taken b.
test("a dead letter that was there before keeps nobody from giving a record back (progress)", () => {
  const round = (at: number, poll: number, failed: number): readonly Act[] => {
    const [a, b] = [2 * poll, 2 * poll + 1];
    return [
      ...opened(at - 10, poll),
      [at, { kind: "emit", poll, copy: a, ref: "a" }],
      [at, { kind: "fan-out", poll, copy: a, lane: "l" }],
      [at, { kind: "emit", poll, copy: b, ref: "b" }],
      [at, { kind: "fan-out", poll, copy: b, lane: "l" }],
      [at + 10, { kind: "advance", poll, items: [[a, 0, failed, 1, false]] }],
      [at + 20, { kind: "advanced", poll, ok: true }],
      [at + 30, { kind: "advance", poll, items: [[b, 1, 0, 0, false]] }],
      [at + 40, { kind: "advanced", poll, ok: true }],
    ];
  };
  const dead = (at: number): Act => [at, { kind: "dead-lettered", ref: "a" }];
  const reported = (before: readonly Act[], after: readonly Act[]): boolean =>
    reportedBy(doneIsSettled, [
      [900, { kind: "published", ref: "a", key: "k" }],
      [900, { kind: "published", ref: "b", key: "k" }],
      ...round(1_000, 1, 0),
      ...before,
      [1_100, { kind: "aclose", poll: 1 }],
      [1_101, { kind: "aclosed", poll: 1 }],
      ...round(100_000, 2, 1),
      ...after,
      [200_000, { kind: "emit", poll: 2, copy: 6, ref: "a" }],
      [200_001, { kind: "emit", poll: 2, copy: 7, ref: "b" }],
    ]).includes("redelivered-when-done");
  expect(reported([dead(1_050)], [])).toBe(false);
  // Dead-lettered for what it is now, it has no reason to come again, and nor has what is behind it.
  expect(reported([], [dead(100_050)])).toBe(true);
});
