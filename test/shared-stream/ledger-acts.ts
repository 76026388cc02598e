import * as fc from "fast-check";

/**
 * One act on a ledger. The subscriber, the lane and the number are picked among those that
 * there are, by remainder.
 */
export type LedgerAct =
  | { readonly op: "join" }
  /** Round robin over so many lanes, from `first` on. */
  | {
      readonly op: "emit";
      readonly count: number;
      readonly lanes: number;
      readonly first?: number;
    }
  | {
      readonly op: "pass";
      readonly who: number;
      readonly count: number;
      /** Of how many events one is bound, and how often. */
      readonly boundEvery: number;
      readonly bindings: number;
    }
  | { readonly op: "reject" | "fail" | "failAll" | "leave" | "abandon"; readonly who: number }
  /** Confirms so many of the numbers that are waited for: the oldest, or every nth. */
  | { readonly op: "confirm"; readonly count: number; readonly step: number }
  | { readonly op: "harvest"; readonly count: number }
  | { readonly op: "tick"; readonly ms: number };

export const TIMEOUT_MS = 1_000;

/** More than one page of events, and of sequence numbers, in an act or two. */
const COUNT_MAX = 600;

/** As many as there are. */
const ALL = 1_000_000;
const PLAYERS_MAX = 12;

/** Everybody passes all that there is, and all but what they sit on then goes. */
const CATCH_UP: readonly LedgerAct[] = [
  ...Array.from({ length: PLAYERS_MAX }, (_, who): LedgerAct => ({
    op: "pass",
    who,
    count: ALL,
    boundEvery: 2,
    bindings: 1,
  })),
  { op: "confirm", count: ALL, step: 1 },
  { op: "harvest", count: ALL },
];

export function ledgerActs(): fc.Arbitrary<readonly LedgerAct[]> {
  const count = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: COUNT_MAX }));
  const who = fc.nat({ max: PLAYERS_MAX - 1 });
  const one = (op: "reject" | "fail" | "failAll" | "leave" | "abandon"): fc.Arbitrary<LedgerAct> =>
    fc.record({ op: fc.constant(op), who });
  const act: fc.Arbitrary<LedgerAct> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ op: fc.constant("join" as const) }) },
    {
      weight: 10,
      arbitrary: fc.record({
        op: fc.constant("emit" as const),
        count,
        lanes: fc.constantFrom(1, 1, 3, 50, 10_000),
        first: fc.constantFrom(0, 0, 20, 300),
      }),
    },
    {
      weight: 20,
      arbitrary: fc.record({
        op: fc.constant("pass" as const),
        who,
        count,
        boundEvery: fc.constantFrom(1, 1, 2, 7, 1_000),
        bindings: fc.constantFrom(1, 1, 1, 3),
      }),
    },
    { weight: 3, arbitrary: one("reject") },
    { weight: 1, arbitrary: one("fail") },
    { weight: 1, arbitrary: one("failAll") },
    { weight: 4, arbitrary: one("leave") },
    { weight: 1, arbitrary: one("abandon") },
    {
      weight: 12,
      arbitrary: fc.record({
        op: fc.constant("confirm" as const),
        count,
        step: fc.constantFrom(1, 1, 2, 5),
      }),
    },
    { weight: 12, arbitrary: fc.record({ op: fc.constant("harvest" as const), count }) },
    {
      weight: 8,
      arbitrary: fc.record({
        op: fc.constant("tick" as const),
        ms: fc.constantFrom(10, 400, 700, 700, 1_000),
      }),
    },
  );
  const crowd = fc.array(fc.constant<LedgerAct>({ op: "join" }), { minLength: 1, maxLength: 3 });
  const some = fc.oneof(
    { weight: 12, arbitrary: act.map((one) => [one]) },
    { weight: 1, arbitrary: fc.constant(CATCH_UP) },
  );
  const rest = fc.array(some, { minLength: 5, maxLength: 40, size: "max" });
  return fc.tuple(crowd, rest).map(([joins, acts]) => [...joins, ...acts.flat()]);
}
