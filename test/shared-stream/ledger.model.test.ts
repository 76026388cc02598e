import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Account } from "../../src/shared-stream/account.ts";
import { Ledger } from "../../src/shared-stream/ledger.ts";
import { SeqIndex } from "../../src/shared-stream/seq-index.ts";
import { type LedgerAct, ledgerActs } from "./ledger-acts.ts";
import { type Books, differenceOf } from "./ledger-match.ts";

const RUNS = 150;
const SEED = 60_606;
const BOOKS: Books = { Account, Ledger, SeqIndex };

test("the books do what the plain model does", () => {
  fc.assert(
    fc.property(ledgerActs(), (acts) => {
      expect(differenceOf(BOOKS, acts)).toBeUndefined();
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
  expect(differenceOf(BOOKS, acts)).toBeUndefined();
});

test.for(["leave", "failAll"] as const)("after %s an account holds on to no event", (act) => {
  const ledger = new Ledger<number>(1_000, new SeqIndex());
  const account = new Account();
  ledger.fanOut({ raw: "e0", brokerPayload: 0, lane: undefined }, [account], 0);
  ledger.fanOut({ raw: "e1", brokerPayload: 1, lane: undefined }, [account], 0);
  ledger.pull(account);
  ledger[act](account);
  expect(account.page).toBeUndefined();
  expect(ledger.queuedFor(account)).toBe(0);
  expect(ledger.harvest()?.items).toHaveLength(2);
});
