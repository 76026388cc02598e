import { afterAll, describe, expect, test } from "vitest";
import { CHECKER_IDS } from "../../sim/checkers/mod.ts";
import { ALL_MUTANTS, MUTANTS } from "./bug-list.ts";
import { type Finder, type Finding, findingOf } from "./finders.ts";
import found from "./found.json" with { type: "json" };
import type { Mutant } from "./mutant.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";

/** Which finders find which bug; what a finder once found, it must find for ever. */
const FOUND = found as Readonly<Record<string, readonly Finder[]>>;

const sandbox = new MutantSandbox();
const hunts = new Map<string, Promise<Finding | undefined>>();

afterAll(() => sandbox[Symbol.dispose]());

/** Each bug is hunted once by each finder, by the test that needs it first. */
function huntedOnce(finder: Finder, mutant: Mutant): Promise<Finding | undefined> {
  const name = `${mutant.bug} ${finder}`;
  const known = hunts.get(name) ?? findingOf(finder, mutant, sandbox);
  hunts.set(name, known);
  return known;
}

describe("generated runs find the planted bugs", () => {
  test("at least forty bugs of the list are planted", () => {
    const listed = MUTANTS.filter(({ bug }) => bug.startsWith("B-"));
    expect(new Set(listed.map(({ bug }) => bug)).size).toBe(listed.length);
    expect(listed.length).toBeGreaterThanOrEqual(40);
  });

  test("something finds each planted bug, and nothing else is listed", () => {
    const bugs = ALL_MUTANTS.map(({ bug }) => bug);
    expect(Object.keys(FOUND).toSorted()).toEqual(bugs.toSorted());
    expect(bugs.filter((bug) => FOUND[bug]?.length === 0)).toEqual([]);
  });

  for (const mutant of ALL_MUTANTS) {
    for (const finder of FOUND[mutant.bug] ?? []) {
      if (finder === "ledger") continue;
      test(`${mutant.bug} (${finder}): ${mutant.what}`, async () => {
        const finding = await huntedOnce(finder, mutant);
        expect(finding).toBeDefined();
        // In a whole world a bug has to break a promise: an exception would be the kit's own failure.
        if (finder === "world") expect(finding?.checkers).not.toEqual([]);
      });
    }
  }

  test("every checker was seen to fail", async () => {
    const failed = new Set<string>();
    for (const mutant of MUTANTS) {
      for (const checker of (await huntedOnce("async", mutant))?.checkers ?? [])
        failed.add(checker);
    }
    // The corpus of test/soundness breaks these two in every way that there is.
    expect(CHECKER_IDS.filter((id) => !failed.has(id))).toEqual(["uncaught", "hot-loop"]);
  });
});
