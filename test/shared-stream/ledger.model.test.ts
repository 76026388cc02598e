import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SubscriberCursor } from "../../src/shared-stream/ledger/cursor.ts";
import { Ledger } from "../../src/shared-stream/ledger/ledger.ts";
import { SeqIndex } from "../../src/shared-stream/ledger/seq-index.ts";
import { type LedgerAct, ledgerActs } from "./ledger-acts.ts";
import { type LedgerParts, differenceOf } from "./ledger-match.ts";

const RUNS = 150;
const SEED = 60_606;
const PARTS: LedgerParts = { SubscriberCursor, Ledger, SeqIndex };

test("the ledger does what the plain model does", () => {
  fc.assert(
    fc.property(ledgerActs(), (acts) => {
      expect(differenceOf(PARTS, acts)).toBeUndefined();
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test("ten thousand lanes come and go, and come again", () => {
  const pass: LedgerAct = { op: "pass", who: 0, count: 10_001, boundEvery: 3, bindings: 1 };
  const round: readonly LedgerAct[] = [
    { op: "emit", count: 10_000, lanes: 10_000 },
    pass,
    { ...pass, who: 1 },
    { op: "confirm", count: 5_000, step: 2 },
    { op: "harvest", count: 4_000 },
    { op: "emit", count: 100, lanes: 7 },
    { op: "confirm", count: 10_000, step: 1 },
    { op: "harvest", count: 20_000 },
  ];
  const acts: readonly LedgerAct[] = [{ op: "join" }, { op: "join" }, ...round, ...round];
  expect(differenceOf(PARTS, acts)).toBeUndefined();
});

test.for(["leave", "failAll"] as const)("after %s a cursor keeps no event in memory", (act) => {
  const ledger = new Ledger<number>(1_000, new SeqIndex());
  const cursor = new SubscriberCursor();
  ledger.fanOut({ raw: "e0", brokerPayload: 0, lane: undefined }, [cursor], 0);
  ledger.fanOut({ raw: "e1", brokerPayload: 1, lane: undefined }, [cursor], 0);
  ledger.pull(cursor);
  ledger[act](cursor);
  expect(cursor.page).toBeUndefined();
  expect(ledger.queuedFor(cursor)).toBe(0);
  expect(ledger.harvest()?.items).toHaveLength(2);
});

test.for([0, 1, 5])(
  "for every number of lanes that come and go beside %i live ones, few empty ones are kept",
  (live) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (passing) => {
        const ledger = new Ledger<number>(1_000, new SeqIndex());
        const [staying, moving] = [new SubscriberCursor(), new SubscriberCursor()];
        const emit = (lane: number, to: SubscriberCursor): void =>
          ledger.fanOut({ raw: lane, brokerPayload: lane, lane }, [to], 0);
        for (let lane = 0; lane < live; lane += 1) emit(lane, staying);
        for (let lane = live; lane < live + passing; lane += 1) {
          emit(lane, moving);
          ledger.pull(moving);
          ledger.close(moving);
          expect(ledger.harvest()?.lane).toBe(lane);
          expect(ledger.counts().lanes).toBe(live);
          expect(ledger.kept().lanes).toBeLessThanOrEqual(2 * live + 17);
        }
      }),
      { numRuns: 20, seed: SEED },
    );
  },
);

test("who leaves and owes nothing is forgotten at once, who waits for a confirmation later", () => {
  const seqs = new SeqIndex();
  const ledger = new Ledger<number>(1_000, seqs);
  const [idle, bound] = [new SubscriberCursor(), new SubscriberCursor()];
  ledger.fanOut({ raw: "e0", brokerPayload: 0, lane: undefined }, [idle, bound], 0);
  ledger.pull(idle);
  ledger.pull(bound);
  const seq = ledger.bind(bound);
  ledger.leave(idle);
  expect(ledger.kept()).toMatchObject({ subscribers: 1, departed: 0 });
  ledger.leave(bound);
  ledger.failOverdue(1);
  expect(ledger.kept()).toMatchObject({ subscribers: 1, departed: 1 });
  seqs.confirm([seq]);
  ledger.failOverdue(2);
  expect(ledger.kept()).toMatchObject({ subscribers: 0, departed: 0 });
});
