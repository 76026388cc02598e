import { describe, expect, test } from "vitest";
import type { SubscriberCursor } from "../../src/shared-stream/ledger/cursor.ts";
import { Ledger } from "../../src/shared-stream/ledger/ledger.ts";
import { type Path, exploreAll } from "../../sim/search/exhaustive/exhaustive.ts";
import { ledgerWorld } from "./calibration/ledger-world.ts";
import { paxos } from "./calibration/paxos.ts";
import { twoPhaseCommit } from "./calibration/two-phase-commit.ts";

describe("exploreAll()", () => {
  test("makes every run once, the calm one first", async () => {
    const ways: string[] = [];
    const run = (path: Path): undefined => {
      const first = path.choose(2);
      ways.push(`${first}${first === 0 ? path.choose(3) : path.choose(1)}`);
    };
    const { certificate } = await exploreAll({ run });
    expect(ways).toEqual(["00", "01", "02", "10"]);
    expect(certificate).toMatchObject({ runs: 4, depth: 2, isComplete: true });
  });

  test("lets at most as many decisions of a kind deviate as its bound says", async () => {
    const ways: string[] = [];
    const run = (path: Path): undefined => {
      const faults = [1, 2, 3].map(() => path.choose(2, "faults"));
      ways.push(faults.join(""));
    };
    await exploreAll({ run, bounds: { faults: 1 } });
    expect(ways).toEqual(["000", "001", "010", "100"]);
  });

  test("is not complete when it has reached its limit of runs", async () => {
    const { certificate } = await exploreAll({ run: (path) => void path.choose(9), runsMax: 3 });
    expect(certificate).toMatchObject({ runs: 3, isComplete: false });
  });

  test("rejects a run that makes other decisions when it is repeated", async () => {
    let runs = 0;
    const run = (path: Path): undefined => {
      runs += 1;
      path.choose(1 + runs);
      path.choose(2);
    };
    await expect(exploreAll({ run })).rejects.toThrow(RangeError);
  });

  test.each([
    [3, 288],
    [5, 8_832],
  ])("finds of two-phase commit with %i resource managers all %i states", async (count, states) => {
    const { certificate, failures } = await exploreAll({
      run: (path) => twoPhaseCommit(path, count),
    });
    expect(failures).toEqual([]);
    expect(certificate).toMatchObject({ states, isComplete: true });
  });

  test("finds all 16,668 states of Paxos with two clients and three servers", async () => {
    const { certificate, failures } = await exploreAll({ run: (path) => paxos(path, 2) });
    expect(failures).toEqual([]);
    expect(certificate).toMatchObject({ states: 16_668, isComplete: true });
  });

  test("gives the same certificate for the same world", async () => {
    const walk = (): Promise<unknown> => exploreAll({ run: (path) => twoPhaseCommit(path, 3) });
    expect(await walk()).toEqual(await walk());
  });
});

/** Leaving counts what waits for a confirmation as failed. */
class HastyLedger<Payload> extends Ledger<Payload> {
  override leave(cursor: SubscriberCursor): void {
    this.failAll(cursor);
    super.leave(cursor);
  }
}

describe("the ledger of a shared stream", () => {
  const size = { subscribers: 2, events: 2, lanes: 2 };
  const bounds = { faults: 1 };

  test("agrees with the plain model in every order of events", async () => {
    const run = (path: Path): string | undefined => ledgerWorld(path, size);
    const { certificate, failures } = await exploreAll({ run, bounds });
    expect(failures).toEqual([]);
    expect(certificate).toMatchObject({ bounds, states: 5_072, isComplete: true });
  });

  test("does not agree when it is broken", async () => {
    const run = (path: Path): string | undefined => ledgerWorld(path, size, HastyLedger);
    const { failures } = await exploreAll({ run, bounds });
    expect(failures[0]).toMatch(/^the ledger (holds|advances) .*, due is /);
  });
});
