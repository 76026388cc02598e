import { afterAll, describe, expect, test } from "vitest";
import { MutantSandbox } from "../../mutants/mutant-sandbox.ts";
import { type StepVerdict, stepCounts, stepLine, verdictOnStep } from "./named-steps.ts";
import { SAMPLED } from "./needed-steps.ts";

/** The named choices contain the needed step of so many planted bugs, in percent. */
const PERCENT_MIN = 90;

const sandbox = new MutantSandbox();
afterAll(() => sandbox[Symbol.dispose]());

const verdicts = new Map<string, Promise<StepVerdict>>();

/** Each bug is explained once, by the test that needs it first. */
function verdictOn(bug: string): Promise<StepVerdict> {
  const known = verdicts.get(bug) ?? verdictOnStep(sandbox, bug);
  verdicts.set(bug, known);
  return known;
}

describe("what planted bugs need is named", () => {
  test.each(SAMPLED)("%s", async (bug) => {
    const verdict = await verdictOn(bug);
    console.info(stepLine(verdict));
    expect(verdict.named).toBeGreaterThan(0);
  });

  test("of at least nine bugs in ten whose needed step is known, it is named", async () => {
    const all: StepVerdict[] = [];
    for (const bug of SAMPLED) all.push(await verdictOn(bug));
    const { percent, line } = stepCounts(all);
    console.info(line);
    expect(percent).toBeGreaterThanOrEqual(PERCENT_MIN);
  });
});
