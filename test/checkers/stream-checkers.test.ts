import { describe, expect, test } from "vitest";
import { CHECKER_IDS, CheckerRunner, createCheckers, StreamFacts } from "../../sim/checkers/mod.ts";
import type { StreamEvent, TraceEvent } from "../../sim/trace/trace.ts";

const KEY = '"orders"';

/** Judges what happened on one host at one instant; returns the promises that it broke. */
function brokenBy(...events: readonly StreamEvent[]): readonly string[] {
  return brokenAt(1_000, ...events);
}

const MANAGER_FACTS = {
  kind: "manager",
  maxSubscriberQueue: 2,
  ackTimeoutMs: 10_000,
  graceMs: 0,
  strict: false,
} as const;
const MANAGER: StreamEvent = MANAGER_FACTS;

function brokenAt(at: number, ...events: readonly StreamEvent[]): readonly string[] {
  const runner = new CheckerRunner(createCheckers(), new StreamFacts());
  for (const event of [MANAGER, ...events]) runner.observe({ at, host: "runner", ...event });
  const later: TraceEvent = { at: at + 1, host: "world", kind: "phase", phase: "rest" };
  runner.observe(later);
  return runner.violations.map(({ checker, symptom }) => `${checker} ${symptom}`);
}

const SUBSCRIBED: readonly StreamEvent[] = [
  { kind: "subscribe", sub: 1, trigger: 7, key: KEY },
  { kind: "factory", key: KEY, poll: 2 },
  { kind: "open", key: KEY, poll: 2, ack: true },
];

const FAST: readonly StreamEvent[] = [
  { kind: "subscribe", sub: 1, trigger: 7, key: KEY },
  { kind: "open", key: KEY, poll: 2, ack: false },
];

const VISITING: readonly StreamEvent[] = [
  { kind: "visit", sub: 1 },
  { kind: "pull", sub: 1 },
];

function broadcast(copy: number): readonly StreamEvent[] {
  return [
    { kind: "emit", poll: 2, copy, ref: `r${copy}` },
    { kind: "fan-out", poll: 2, copy, lane: "undefined" },
  ];
}

test("each promise of shared streams, I1 to I24, has a checker", () => {
  const all = Array.from({ length: 24 }, (_, at) => `I${at + 1}`);
  expect(all.filter((id) => !CHECKER_IDS.includes(id))).toEqual([]);
});

describe("stopAll (I14)", () => {
  const stop: StreamEvent = { kind: "stop-all" };
  const stopped: StreamEvent = { kind: "stopped" };
  const aclose: StreamEvent = { kind: "aclose", poll: 2 };
  const early = "I14 stopped-before-close";

  test("returns when the producers of its groups have closed", () => {
    expect(brokenBy(...SUBSCRIBED, stop, aclose, stopped)).not.toContain(early);
    expect(brokenBy(...SUBSCRIBED, stop, stopped)).toContain(early);
    // Not of a group that nobody has stopped, nor of a source that has nothing to close.
    expect(brokenBy(stop, stopped, ...SUBSCRIBED)).not.toContain(early);
    expect(brokenBy(stop, ...SUBSCRIBED, stopped)).not.toContain(early);
    expect(brokenBy(...FAST, stop, stopped)).not.toContain(early);
  });

  test("may return at once when another call is stopping the groups", () => {
    const second = [...SUBSCRIBED, stop, stop, stopped];
    expect(brokenBy(...second, aclose, stopped)).not.toContain(early);
    expect(brokenBy(...second, stopped)).toContain(early);
    // A call that has returned is no excuse for the next.
    expect(brokenBy(stop, stopped, ...SUBSCRIBED, stop, stopped)).toContain(early);
  });

  test("waits for no producer that its factory did not make", () => {
    const [subscribe, factory] = SUBSCRIBED as [StreamEvent, StreamEvent];
    const threw: StreamEvent = { kind: "factory-failed", poll: 2 };
    expect(brokenBy(subscribe, factory, threw, stop, stopped)).not.toContain(early);
  });
});

describe("a visit", () => {
  const shown: readonly StreamEvent[] = [
    ...SUBSCRIBED,
    ...VISITING,
    ...broadcast(3),
    { kind: "deliver", sub: 1, copy: 3 },
  ];

  test("in which each event is shown and its window closed breaks nothing", () => {
    expect(
      brokenBy(
        ...shown,
        { kind: "pull", sub: 1 },
        { kind: "advance", poll: 2, items: [[3, 1, 0, 0, true]] },
      ),
    ).toEqual([]);
  });

  test("that is not shown an event breaks I12", () => {
    expect(brokenBy(...SUBSCRIBED, ...VISITING, ...broadcast(3))).toEqual(["I12 not-woken"]);
  });

  test("that is shown an event after its visitor threw breaks I12", () => {
    expect(
      brokenBy(
        ...shown,
        { kind: "visit-threw", sub: 1, error: "Error" },
        { kind: "visit-failed", sub: 1, error: "Error" },
        ...broadcast(4),
        { kind: "deliver", sub: 1, copy: 4 },
      ),
    ).toEqual(["I12 wrong-copy"]);
  });

  test("whose visitor threw, and whose event is acked, breaks I4 and I9", () => {
    expect(
      brokenBy(
        ...shown,
        { kind: "visit-threw", sub: 1, error: "Error" },
        { kind: "visit-failed", sub: 1, error: "Error" },
        { kind: "advance", poll: 2, items: [[3, 1, 0, 0, true]] },
      ),
    ).toEqual(
      expect.arrayContaining([expect.stringMatching(/^I4 /), expect.stringMatching(/^I9 /)]),
    );
  });

  test("that continues after its subscriber has left, or its visitor has thrown, breaks I13", () => {
    const left = brokenBy(...SUBSCRIBED, ...VISITING, { kind: "unsubscribe", sub: 1 });
    expect(left).toContain("I13 end-not-reported");
    const thrown = brokenBy(...shown, { kind: "visit-threw", sub: 1, error: "Error" });
    expect(thrown).toEqual(["I13 end-not-reported"]);
  });

  test("that fails with another error than its visitor's breaks I13", () => {
    expect(
      brokenBy(
        ...shown,
        { kind: "visit-threw", sub: 1, error: "TypeError" },
        { kind: "visit-failed", sub: 1, error: "Error" },
      ),
    ).toEqual(["I13 wrong-failure"]);
  });
});

test("a pull that waits when its subscriber leaves breaks I13", () => {
  expect(
    brokenBy(...SUBSCRIBED, { kind: "pull", sub: 1 }, { kind: "unsubscribe", sub: 1 }),
  ).toContain("I13 end-not-reported");
});

test("an error that the manager makes, where a producer threw, breaks I13", () => {
  expect(
    brokenBy(
      ...SUBSCRIBED,
      { kind: "pull", sub: 1 },
      { kind: "poll-ended", poll: 2, how: "threw" },
      { kind: "group-failed", key: KEY },
      { kind: "stream-error", sub: 1, error: "PollTerminated" },
    ),
  ).toContain("I13 wrong-failure");
});

describe("which error arrives at whom", () => {
  const two: readonly StreamEvent[] = [
    ...SUBSCRIBED,
    { kind: "subscribe", sub: 9, trigger: 9, key: KEY },
    { kind: "pull", sub: 1 },
    { kind: "pull", sub: 9 },
  ];
  const threw: readonly StreamEvent[] = [
    { kind: "poll-ended", poll: 2, how: "threw", failure: 1 },
    { kind: "group-failed", key: KEY },
  ];

  function got(sub: number, failure: number, error = "Error"): StreamEvent {
    return { kind: "stream-error", sub, error, failure };
  }

  test("is the very error that failed the group", () => {
    expect(brokenBy(...two, ...threw, got(1, 1), got(9, 1))).not.toContain("I13 wrong-failure");
    expect(brokenBy(...two, ...threw, got(1, 2), got(9, 2))).toContain("I13 wrong-failure");
  });

  test("is the same for all", () => {
    const both: StreamEvent = { kind: "advanced", poll: 2, ok: false, failure: 2 };
    expect(brokenBy(...two, both, ...threw, got(1, 2), got(9, 2))).not.toContain(
      "I13 wrong-failure",
    );
    expect(brokenBy(...two, both, ...threw, got(1, 1), got(9, 2))).toContain("I13 wrong-failure");
  });

  test("is not what was thrown after the group had failed", () => {
    const late: StreamEvent = { kind: "advanced", poll: 2, ok: false, failure: 2 };
    expect(brokenBy(...two, ...threw, late, got(1, 2), got(9, 2))).toContain("I13 wrong-failure");
  });

  test("is not what a source throws when its group closes it", () => {
    const closed: StreamEvent = { kind: "poll-ended", poll: 2, how: "closed" };
    const failed: StreamEvent = { kind: "group-failed", key: KEY };
    const stopped = brokenBy(...two, { kind: "stop-all" }, closed, failed, got(1, 1));
    expect(stopped).toContain("I13 failure-without-cause");
  });

  test("must be told to whoever is subscribed while an advance fails behind stopAll", () => {
    const idle = [...SUBSCRIBED, { kind: "subscribe", sub: 9, trigger: 9, key: KEY }] as const;
    const advance: StreamEvent = { kind: "advance", poll: 2, items: [] };
    const failed: StreamEvent = { kind: "advanced", poll: 2, ok: false, failure: 1 };
    const untold = (...events: readonly StreamEvent[]) =>
      brokenBy(...events).filter((broken) => broken === "I13 failure-not-reported").length;
    const stopped = [...idle, advance, { kind: "stop-all" }, failed] as const;
    const leaves = (sub: number): StreamEvent => ({ kind: "unsubscribe", sub });
    expect(untold(...stopped)).toBe(2);
    expect(untold(...stopped, { kind: "group-failed", key: KEY })).toBe(0);
    expect(untold(...stopped, leaves(9))).toBe(1);
    expect(untold(...stopped, { kind: "stream-done", sub: 9 })).toBe(1);
    expect(untold(...idle, advance, failed)).toBe(0);
    expect(untold(...idle, leaves(1), leaves(9), advance, { kind: "stop-all" }, failed)).toBe(0);
    const well: StreamEvent = { kind: "advanced", poll: 2, ok: true };
    expect(untold(...idle, advance, { kind: "stop-all" }, well)).toBe(0);
  });

  test("is that of the advance that has failed, and not what an earlier source threw at its end", () => {
    const failed = brokenBy(
      ...SUBSCRIBED,
      { kind: "stop-all" },
      { kind: "poll-ended", poll: 2, how: "threw", failure: 1 },
      { kind: "stopped" },
      { kind: "subscribe", sub: 5, trigger: 5, key: KEY },
      { kind: "factory", key: KEY, poll: 4 },
      { kind: "advance", poll: 4, items: [] },
      { kind: "stop-all" },
      { kind: "advanced", poll: 4, ok: false, failure: 3 },
      { kind: "group-failed", key: KEY },
      { kind: "pull", sub: 5 },
      { kind: "stream-error", sub: 5, error: "Error", failure: 3 },
    );
    expect(failed.filter((broken) => broken.startsWith("I13"))).toEqual([]);
  });

  test("may be what a source throws while its group waits for its turn in stopAll", () => {
    const waiting = brokenBy(...two, { kind: "stop-all" }, ...threw, got(1, 1), got(9, 1));
    expect(waiting).not.toContain("I13 wrong-failure");
  });

  test("is not one that says another trigger or event", () => {
    const alone = { kind: "force-failed", trigger: 1, key: KEY, reason: "ackTimeout" } as const;
    const other: StreamEvent = { ...alone, saysOther: "trigger 9 and event 0" };
    expect(brokenBy(...two, alone)).not.toContain("I13 wrong-failure");
    expect(brokenBy(...two, other)).toContain("I13 wrong-failure");
  });

  test("is a subscriber's own where it failed alone", () => {
    const alone: StreamEvent = {
      kind: "force-failed",
      trigger: 9,
      key: KEY,
      reason: "ackTimeout",
      failure: 5,
    };
    const right = brokenBy(...two, alone, got(9, 5, "AckTimeout"));
    expect(right).not.toContain("I13 wrong-failure");
    expect(brokenBy(...two, alone, got(9, 6, "AckTimeout"))).toContain("I13 wrong-failure");
  });

  // The story: a group waits for its turn in stopAll, and its key is joined anew meanwhile.
  test.each([3, 7])(
    "is a time-out of a subscriber of a group that waits for its turn, and of trigger %i beside it",
    (joins) => {
      const runner = new CheckerRunner(createCheckers(), new StreamFacts());
      const events: readonly (readonly [at: number, event: StreamEvent])[] = [
        [0, MANAGER],
        ...[...SUBSCRIBED, { kind: "pull", sub: 1 } as const, ...broadcast(3)].map(
          (event) => [0, event] as const,
        ),
        [5_000, { kind: "stop-all" }],
        [6_000, { kind: "subscribe", sub: 8, trigger: joins, key: KEY }],
        [6_000, { kind: "factory", key: KEY, poll: 9 }],
        [6_000, { kind: "open", key: KEY, poll: 9, ack: true }],
        [11_000, { kind: "force-failed", trigger: 7, key: KEY, reason: "ackTimeout", failure: 5 }],
        [11_000, { kind: "stream-error", sub: 1, error: "AckTimeout", failure: 5 }],
      ];
      for (const [at, event] of events) runner.observe({ at, host: "runner", ...event });
      const broken = runner.violations.map(({ checker, symptom }) => `${checker} ${symptom}`);
      expect(broken.filter((one) => /^I(11|13|18) /.test(one))).toEqual([]);
    },
  );

  test("is the visitor's own error", () => {
    const visiting = [...SUBSCRIBED, ...VISITING];
    const threw4: StreamEvent = { kind: "visit-threw", sub: 1, error: "Error", failure: 4 };
    const failed = (failure: number): StreamEvent => {
      return { kind: "visit-failed", sub: 1, error: "Error", failure };
    };
    expect(brokenBy(...visiting, threw4, failed(4))).not.toContain("I13 wrong-failure");
    expect(brokenBy(...visiting, threw4, failed(3))).toContain("I13 wrong-failure");
  });
});

test("what a subscriber waited for when it failed may still arrive, and nothing else (I18)", () => {
  const failed: readonly StreamEvent[] = [
    ...[...SUBSCRIBED, { kind: "pull", sub: 1 } as const, ...broadcast(3), ...broadcast(4)],
    { kind: "force-failed", trigger: 7, key: KEY, reason: "ackTimeout" },
  ];
  const brokenI18 = (...events: readonly StreamEvent[]): readonly string[] =>
    brokenBy(...events).filter((one) => one.startsWith("I18"));
  expect(brokenI18(...failed, { kind: "deliver", sub: 1, copy: 3 })).toEqual([]);
  expect(brokenI18(...failed, { kind: "deliver", sub: 1, copy: 4 })).toEqual([
    "I18 delivered-after-failure",
  ]);
  expect(brokenI18(...SUBSCRIBED, { kind: "deliver", sub: 1, copy: 5 })).toEqual([]);
});

test("a time-out of a subscriber that has held its event for no time breaks I11", () => {
  // Late enough that the sum of two times is longer than the ack timeout, as their difference is not.
  const broken = brokenAt(
    6_000,
    ...[...SUBSCRIBED, { kind: "pull", sub: 1 } as const, ...broadcast(3)],
    { kind: "force-failed", trigger: 7, key: KEY, reason: "ackTimeout" },
  );
  expect(broken).toContain("I11 timed-out-too-early");
});

test("a second stream of a live group breaks I20", () => {
  expect(brokenBy(...FAST, { kind: "open", key: KEY, poll: 3, ack: false })).toContain(
    "I20 second-producer",
  );
});

describe("the grace period of a group (I20)", () => {
  const offTime = "I20 opened-off-time";
  const [subscribed, ...opened] = SUBSCRIBED as readonly [StreamEvent, ...StreamEvent[]];
  const [joined, openedFast] = FAST as readonly [StreamEvent, StreamEvent];
  const paused: TraceEvent = {
    ...{ at: 1_500, host: "runner", kind: "host", incarnation: 1 },
    ...{ state: "pause", until: 9_000 },
  };

  function brokenWithin(graceMs: number, ...events: readonly TraceEvent[]): readonly string[] {
    const runner = new CheckerRunner(createCheckers(), new StreamFacts());
    const manager: TraceEvent = { at: 1_000, host: "runner", ...MANAGER_FACTS, graceMs };
    runner.observe(manager);
    for (const event of events) runner.observe(event);
    return runner.violations.map(({ checker, symptom }) => `${checker} ${symptom}`);
  }
  const at = (ms: number, ...events: readonly StreamEvent[]): readonly TraceEvent[] =>
    events.map((event) => ({ at: ms, host: "runner", ...event }));
  const late: StreamEvent = { kind: "subscribe", sub: 2, trigger: 8, key: KEY };

  test.each([
    [2_999, true],
    [3_000, false],
    [3_001, true],
  ])("lasts from its first subscriber, whoever joins meanwhile: %i ms", (ms, isBroken) => {
    const before = [...at(1_000, subscribed), ...at(2_500, late)];
    expect(brokenWithin(2_000, ...before, ...at(ms, ...opened)).includes(offTime)).toBe(isBroken);
  });

  test("is that of a stream without acknowledgements, too", () => {
    expect(brokenWithin(2_000, ...at(1_000, joined), ...at(3_000, openedFast))).toEqual([]);
    expect(brokenWithin(2_000, ...at(1_000, joined), ...at(1_500, openedFast))).toEqual([offTime]);
  });

  test("is longer on a host that stands still", () => {
    const before = [...at(1_000, subscribed), paused];
    expect(brokenWithin(2_000, ...before, ...at(9_000, ...opened))).not.toContain(offTime);
    expect(brokenWithin(2_000, ...before, ...at(9_001, ...opened))).toContain(offTime);
  });
});

test("an open window that is not counted breaks I22", () => {
  expect(
    brokenBy(
      ...SUBSCRIBED,
      { kind: "pull", sub: 1 },
      ...broadcast(3),
      { kind: "deliver", sub: 1, copy: 3 },
      { kind: "outstanding", outstanding: 1, lanes: 1, unconfirmed: 0, windows: 0 },
    ),
  ).toEqual(["I22 outstanding-count-differs"]);
});

describe("on the fast path", () => {
  const emitted: readonly StreamEvent[] = [3, 4, 5].map((copy) => ({
    kind: "emit",
    poll: 2,
    copy,
    ref: `r${copy}`,
  }));

  test("an event that is left out breaks I19", () => {
    expect(
      brokenBy(
        ...FAST,
        ...VISITING,
        ...emitted,
        { kind: "deliver", sub: 1, copy: 3 },
        { kind: "deliver", sub: 1, copy: 5 },
      ),
    ).toEqual(["I19 wrong-copy"]);
  });

  test("a backlog counts what may have been yielded just before its subscriber joined", () => {
    const overflow: StreamEvent = {
      ...{ kind: "force-failed", trigger: 7, key: KEY, reason: "overflow" },
    };
    const failure: StreamEvent = { kind: "stream-error", sub: 1, error: "SubscriberOverflow" };
    const pull: StreamEvent = { kind: "pull", sub: 1 };
    const full = brokenBy(...FAST, ...emitted.slice(0, 2), overflow, pull, failure);
    expect(full).toEqual([]);
    const begun: readonly StreamEvent[] = [
      ...[...FAST, pull, ...emitted.slice(0, 1)],
      { kind: "deliver", sub: 1, copy: 3 },
      ...emitted.slice(1),
    ];
    expect(brokenBy(...begun, overflow, pull, failure)).not.toEqual([]);
  });

  test("a subscriber that waits although an event is there breaks I19", () => {
    expect(brokenBy(...FAST, ...VISITING, ...emitted)).toEqual(["I19 not-woken"]);
  });
});
