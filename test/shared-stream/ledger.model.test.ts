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
