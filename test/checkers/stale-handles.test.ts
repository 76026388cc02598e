import { describe, expect, test } from "vitest";
import { CheckerRunner } from "../../sim/checkers/mod.ts";
import { ProducerFacts } from "../../sim/checkers/producer/producer-facts.ts";
import { handlesAreUsedOnce } from "../../sim/checkers/producer/producer-handles.ts";
import type { TraceBody } from "../../sim/trace/trace.ts";

/** What happens, when, and on which host. */
type Act = readonly [at: number, body: TraceBody, host?: string];

function violations(...acts: readonly Act[]): ReturnType<CheckerRunner<ProducerFacts>["end"]> {
  const facts = new ProducerFacts(({ failed }) => (failed > 0 ? "hold" : "settle"));
  const runner = new CheckerRunner([handlesAreUsedOnce], facts);
  for (const [at, body, host = "triggerer"] of acts) runner.observe({ at, host, ...body });
  return runner.end();
}

function reported(...acts: readonly Act[]): readonly string[] {
  return violations(...acts).map(({ symptom }) => symptom);
}

const CONSUMER = "triggerer/1";

const OPENED: readonly Act[] = [
  [0, { kind: "factory", key: "k", poll: 1 }],
  [0, { kind: "open", key: "k", poll: 1, ack: true }],
  [10, { kind: "published", ref: "a", key: "k" }],
];

function delivered(at: number): Act {
  return [at, { kind: "delivered", ref: "a", consumer: CONSUMER, unit: "" }];
}

function emitted(at: number, copy: number): Act {
  return [at, { kind: "emit", poll: 1, copy, ref: "a" }];
}

function advanced(at: number, copy: number, failed = 0): Act {
  return [at, { kind: "advance", poll: 1, items: [[copy, 1 - failed, failed, 0, false]] }];
}

function acked(at: number, handle: string, refused: string, consumer = CONSUMER): Act {
  return [at, { kind: "settle", ref: "a", consumer, handle, act: "ack", refused }];
}

const LAPSED: TraceBody = { kind: "lapsed", consumer: CONSUMER, ref: "a" };

/** The first delivery fails and lapses; the second is taken at 4,000. */
const FIRST: readonly Act[] = [
  ...OPENED,
  delivered(1_000),
  emitted(1_000, 1),
  advanced(1_500, 1, 1),
  [2_000, LAPSED],
];
const SECOND: readonly Act[] = [...FIRST, delivered(3_000), emitted(3_100, 2)];
const TAKEN: readonly Act[] = [...SECOND, advanced(4_000, 2)];

describe("a delivery that is settled through the handle of an earlier one (G4)", () => {
  test("is reported", () => {
    expect(reported(...TAKEN, acked(4_001, "a.1", "NoEffect"))).toEqual([
      "settled-by-stale-handle",
    ]);
  });

  test("is reported once: what was refused is a reason to try again", () => {
    const again = [acked(4_001, "a.1", "NoEffect"), acked(4_002, "a.1", "NoEffect")];
    expect(reported(...TAKEN, ...again)).toHaveLength(1);
  });

  test("is told as settled twice alone where that handle has been used before", () => {
    const back: TraceBody = {
      kind: "settle",
      ref: "a",
      consumer: CONSUMER,
      handle: "a.1",
      act: "nack",
      refused: "",
    };
    const begun = [...OPENED, delivered(1_000), emitted(1_000, 1), advanced(1_500, 1, 1)];
    const again = [[1_600, back] as const, delivered(3_000), emitted(3_100, 2), advanced(4_000, 2)];
    expect(reported(...begun, ...again, acked(4_001, "a.1", "NoEffect"))).toEqual([
      "settled-twice",
    ]);
  });

  test("is excused where the copy before it was to be settled, or this one is held", () => {
    const early = [...OPENED, delivered(1_000), emitted(1_000, 1), advanced(1_500, 1)];
    const again = [[2_000, LAPSED] as const, delivered(3_000), emitted(3_100, 2)];
    const told = [...early, ...again, advanced(4_000, 2)];
    expect(reported(...told, acked(4_001, "a.1", "NoEffect"))).toEqual([]);
    const held = [...SECOND, advanced(4_000, 2, 1)];
    expect(reported(...held, acked(4_001, "a.1", "NoEffect"))).toEqual([]);
  });

  test("is not reported of what gives an event back", () => {
    for (const act of ["nack", "defer"] as const) {
      const body = { kind: "settle", ref: "a", consumer: CONSUMER, handle: "a.1" } as const;
      expect(reported(...TAKEN, [4_001, { ...body, act, refused: "NoEffect" }])).toEqual([]);
    }
    const terminated: TraceBody = {
      kind: "settle",
      ref: "a",
      consumer: CONSUMER,
      handle: "a.1",
      act: "terminate",
      refused: "NoEffect",
    };
    expect(reported(...TAKEN, [4_001, terminated])).toEqual(["settled-by-stale-handle"]);
  });

  test("is no matter of a rival, or of an extension", () => {
    expect(reported(...TAKEN, acked(4_001, "a.1", "NoEffect", "rival/1"))).toEqual([]);
    const extension: TraceBody = {
      kind: "settle",
      ref: "a",
      consumer: CONSUMER,
      handle: "a.1",
      act: "extend",
      refused: "NoEffect",
    };
    expect(reported(...TAKEN, [4_001, extension])).toEqual([]);
  });

  test("is not one where the broker took it, or failed of itself", () => {
    expect(reported(...TAKEN, acked(4_001, "a.2", ""))).toEqual([]);
    expect(reported(...TAKEN, acked(4_001, "a.2", "InternalError"))).toEqual([]);
    expect(reported(...TAKEN, acked(4_001, "a.2", "SessionLockLost"))).toEqual([]);
  });

  test("is excused while nobody knows of a newer delivery", () => {
    expect(reported(...OPENED, acked(4_001, "a.1", "NoEffect"))).toEqual([]);
    expect(reported(acked(4_001, "a.1", "NoEffect"))).toEqual([]);
    expect(reported(...TAKEN, delivered(4_000), acked(4_001, "a.2", "NoEffect"))).toEqual([]);
    const buffered = [...FIRST, delivered(2_900), delivered(3_000), emitted(3_100, 2)];
    const taken = [advanced(4_000, 2), acked(4_001, "a.1", "NoEffect")];
    expect(reported(...buffered, ...taken)).toEqual([]);
    const unseen = [...OPENED, emitted(1_000, 1), advanced(1_500, 1)];
    expect(reported(...unseen, acked(1_501, "a.1", "NoEffect"))).toEqual([]);
  });

  test("is excused while the newest copy, or one before it, is outstanding", () => {
    expect(reported(...SECOND, acked(4_001, "a.1", "NoEffect"))).toEqual([]);
    const early = [...OPENED, delivered(1_000), emitted(1_000, 1), [2_000, LAPSED] as const];
    const both = [...early, delivered(3_000), emitted(3_100, 2), advanced(4_000, 2)];
    expect(reported(...both, acked(4_001, "a.1", "NoEffect"))).toEqual([]);
    const late = [...early, delivered(3_000), emitted(3_100, 2), advanced(3_101, 1, 1)];
    expect(reported(...late, advanced(4_000, 2), acked(4_001, "a.1", "NoEffect"))).toEqual([]);
    const atOnce = [...early, delivered(3_000), advanced(3_100, 1, 1), emitted(3_100, 2)];
    expect(reported(...atOnce, advanced(4_000, 2), acked(4_001, "a.1", "NoEffect"))).toEqual([
      "settled-by-stale-handle",
    ]);
  });

  test("is reported where the earlier copy died with its process", () => {
    const crash: Act = [2_000, { kind: "host", state: "crash", incarnation: 1 }];
    const reborn: readonly Act[] = [
      [2_500, { kind: "factory", key: "k", poll: 2 }],
      [2_500, { kind: "open", key: "k", poll: 2, ack: true }],
    ];
    const dead = [...OPENED, delivered(1_000), emitted(1_000, 1), crash, ...reborn];
    const told = [
      ...dead,
      delivered(3_000),
      [3_100, { kind: "emit", poll: 2, copy: 2, ref: "a" }] as const,
      [4_000, { kind: "advance", poll: 2, items: [[2, 1, 0, 0, false]] }] as const,
    ];
    expect(reported(...told, acked(4_001, "a.1", "NoEffect"))).toEqual(["settled-by-stale-handle"]);
  });

  test("is excused once the record was settled or given back", () => {
    for (const act of ["ack", "nack", "terminate", "defer"] as const) {
      const before: TraceBody = {
        kind: "settle",
        ref: "a",
        consumer: CONSUMER,
        handle: "a.2",
        act,
        refused: "",
      };
      expect(reported(...TAKEN, [4_000, before], acked(4_001, "a.1", "NoEffect"))).toEqual([]);
      const long = [...FIRST.slice(0, -1), [1_600, { ...before, handle: "a.1" }] as const];
      const told = [...long, ...TAKEN.slice(FIRST.length), acked(4_001, "a.0", "NoEffect")];
      expect(reported(...told)).toEqual(["settled-by-stale-handle"]);
    }
  });

  test("is excused once an earlier one of its ordering unit was given back", () => {
    const nacked = (at: number, refused = ""): Act => {
      const body = { kind: "settle", ref: "b", consumer: CONSUMER, handle: "b.1" } as const;
      return [at, { ...body, act: "nack", refused }];
    };
    const of = (ref: string, at: number, unit: string): Act => [
      at,
      { kind: "delivered", ref, consumer: CONSUMER, unit },
    ];
    const told = (unit: string, nack: Act): readonly string[] => {
      const second = [of("b", 20, unit), of("a", 3_000, unit), emitted(3_100, 2)];
      const taken = advanced(4_000, 2);
      return reported(...OPENED, ...second, taken, nack, acked(4_001, "a.1", "NoEffect"));
    };
    const published: Act = [11, { kind: "published", ref: "b", key: "k" }];
    expect(reported(...OPENED, published)).toEqual([]);
    expect(told("u", nacked(4_000))).toEqual([]);
    expect(told("", nacked(4_000))).toEqual(["settled-by-stale-handle"]);
  });

  test("is excused where something has ended handles since", () => {
    const excuses: readonly TraceBody[] = [
      LAPSED,
      { kind: "disturbed", name: "rival" },
      { kind: "factory", key: "k", poll: 2 },
      { kind: "expired", ref: "a" },
      { kind: "settled", ref: "a", consumer: "rival/1" },
      { kind: "link", to: "broker", state: "cut" },
    ];
    for (const body of excuses) {
      expect([
        body.kind,
        reported(...TAKEN, [4_000, body], acked(4_001, "a.1", "NoEffect")),
      ]).toEqual([body.kind, []]);
    }
    for (const at of [2_999, 3_000, 3_001]) {
      const fault: Act = [
        at,
        { kind: "fault", site: "database.commit", verdict: "fail", rule: "r" },
      ];
      const told = [...SECOND, fault, advanced(4_000, 2)].toSorted(([one], [two]) => one - two);
      const isSince = at >= 3_000;
      const said = reported(...told, acked(4_001, "a.1", "NoEffect"));
      expect([at, said]).toEqual([at, isSince ? [] : ["settled-by-stale-handle"]]);
    }
    const later = TAKEN.map(([at, body]): Act => [at + 100_000, body]);
    for (const [at, isOver] of [
      [103_000 - 15_001, true],
      [103_000 - 15_000, false],
    ] as const) {
      const rival: Act = [at, { kind: "disturbed", name: "rival" }];
      const said = reported(rival, ...later, acked(104_001, "a.1", "NoEffect"));
      expect([at, said]).toEqual([at, isOver ? ["settled-by-stale-handle"] : []]);
    }
    const disturbed: Act = [2_900, { kind: "disturbed", name: "rival" }];
    const told = [...FIRST, disturbed, ...TAKEN.slice(FIRST.length)];
    expect(reported(...told, acked(4_001, "a.1", "NoEffect"))).toEqual([]);
  });
});

describe("a record that another has leased, by an earlier claim (G4)", () => {
  const told = [...FIRST, advanced(4_000, 1)];

  function settled(act: "ack" | "extend" | "nack", heldBy?: string): Act {
    const body = { kind: "settle", ref: "a", consumer: CONSUMER, handle: "a.1", act } as const;
    return [4_001, { ...body, refused: "", ...(heldBy === undefined ? {} : { heldBy }) }];
  }

  test.each([
    ["ack", "settled"],
    ["nack", "given back"],
  ] as const)("is not for an %s", (act, how) => {
    const said = violations(...told, settled(act, "rival"));
    const detail = `a was ${how} by a claim that had ended, while rival had it on lease`;
    expect(said).toMatchObject([{ symptom: "settled-for-another", detail }]);
    expect(reported(...told, settled(act))).toEqual([]);
  });

  test("may be extended: he has it for longer then", () => {
    expect(reported(...told, settled("extend", "rival"))).toEqual([]);
  });
});
