import { afterAll, describe, expect, test } from "vitest";
import { simulate } from "../../../sim/run/simulate.ts";
import type { Scenario } from "../../../sim/scenario/scenario.ts";
import { explainFailure, type Why } from "../../../sim/search/why/why.ts";
import type { ManagerScenario } from "../../../sim/worlds/manager/manager-scenario.ts";
import type { WorldParts } from "../../../sim/worlds/world-parts.ts";
import { MUTANTS } from "../../mutants/bug-list.ts";
import { MutantSandbox } from "../../mutants/mutant-sandbox.ts";
import { readScenario } from "../../sim/read-scenarios.ts";
import { managerOf } from "../planted-bugs.ts";
import { MANAGER_STEPS } from "./needed-steps.ts";

/** The named choices contain the needed step of so many planted bugs, in percent. */
const PERCENT_MIN = 90;
const RUNS_MAX = 1_000;
const SEEDS_MAX = 300;
/** A bug that breaks most runs has no step that makes a run break: shorter runs break less often. */
const OPERATIONS = [60, 30, 15, 8] as const;
const SEEDS_SAMPLED = 12;
const BROKEN_AT_MOST = 5;

interface Failing {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly parts: WorldParts;
}

interface Row {
  readonly bug: string;
  readonly step: RegExp;
  readonly failing: () => Promise<Failing>;
}

/** Whether the named choices of a run contain its needed step. */
interface Verdict {
  readonly bug: string;
  readonly step: RegExp;
  readonly inRises: boolean;
  readonly inNeeded: boolean;
  /** The odds that as many faults and acts of the run, picked at random, contain it. */
  readonly byChance: number;
  readonly named: number;
}

const sandbox = new MutantSandbox();
afterAll(() => sandbox[Symbol.dispose]());

async function isBroken({ scenario, seed, parts }: Failing): Promise<boolean> {
  const { verdict } = await simulate(scenario, { ...parts, seed, trace: false, digest: false });
  return verdict === "broken";
}

async function firstFailing(scenario: Scenario, parts: WorldParts): Promise<Failing> {
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    const failing = { scenario, seed, parts };
    if (await isBroken(failing)) return failing;
  }
  throw new Error(`No run breaks in ${SEEDS_MAX} seeds`);
}

/** The first failing run of the longest client that breaks less than half of its runs. */
async function failingClient(parts: WorldParts): Promise<Failing> {
  const hostile = readScenario("hostile-client") as ManagerScenario;
  for (const operations of OPERATIONS) {
    const scenario = { ...hostile, operations };
    let broken = 0;
    for (let seed = 1; seed <= SEEDS_SAMPLED; seed += 1) {
      if (await isBroken({ scenario, seed, parts })) broken += 1;
    }
    if (broken <= BROKEN_AT_MOST || operations === OPERATIONS.at(-1)) {
      return firstFailing(scenario, parts);
    }
  }
  throw new Error("There is no such client");
}

const ROWS: readonly Row[] = [...MANAGER_STEPS].map(([bug, step]) => ({
  bug,
  step,
  failing: async () => {
    const mutant = MUTANTS.find((one) => one.bug === bug);
    if (mutant === undefined) throw new Error(`No such bug: ${bug}`);
    return failingClient({ createManager: await managerOf(sandbox, mutant) });
  },
}));

function verdictOf({ bug, step }: Row, why: Why): Verdict {
  const rises = why.rises.flatMap(({ choices }) => choices.map(({ words }) => words));
  const { singles, pairs } = why.counterfactuals;
  const needed = [...singles.filter(({ without }) => without === "holds"), ...pairs];
  const neededWords = needed.flatMap(({ parts }) => parts.map(({ words }) => words));
  const parts = singles.flatMap((one) => one.parts);
  const alike = parts.filter(({ words }) => step.test(words)).length;
  const named = rises.length + neededWords.length;
  const miss = parts.length === 0 ? 1 : (1 - alike / parts.length) ** named;
  return {
    bug,
    step,
    inRises: rises.some((words) => step.test(words)),
    inNeeded: neededWords.some((words) => step.test(words)),
    byChance: 1 - miss,
    named,
  };
}

const verdicts = new Map<string, Promise<Verdict>>();

async function explained(row: Row): Promise<Verdict> {
  const { scenario, seed, parts } = await row.failing();
  const { choices, digest } = await simulate(scenario, { ...parts, seed });
  const options = { seed, parts, replay: choices, digest, runsMax: RUNS_MAX };
  const verdict = verdictOf(row, await explainFailure(scenario, options));
  console.info(lineOf(verdict));
  return verdict;
}

function lineOf({ bug, step, inRises, inNeeded, named, byChance }: Verdict): string {
  const where = [...(inRises ? ["rises"] : []), ...(inNeeded ? ["left out"] : [])].join(", ");
  const words = where === "" ? "MISSED" : `in ${where}`;
  return `${bug}: ${words}; ${named} named, by chance ${byChance.toFixed(2)}; ${step.source}`;
}

/** Each bug is explained once, by the test that needs it first. */
function verdictOn(row: Row): Promise<Verdict> {
  const known = verdicts.get(row.bug) ?? explained(row);
  verdicts.set(row.bug, known);
  return known;
}

describe("what planted bugs need is named", () => {
  for (const row of ROWS) {
    test(row.bug, async () => {
      expect((await verdictOn(row)).named).toBeGreaterThan(0);
    });
  }

  test("of at least nine bugs in ten whose needed step is known, it is named", async () => {
    const all: Verdict[] = [];
    for (const row of ROWS) all.push(await verdictOn(row));
    const hits = all.filter(({ inRises, inNeeded }) => inRises || inNeeded);
    const count = (of: (one: Verdict) => boolean): number => all.filter(of).length;
    const byChance = all.reduce((sum, one) => sum + one.byChance, 0);
    console.info(
      `needed step named: ${hits.length} of ${all.length}; in the rises: ${count((one) => one.inRises)}; ` +
        `left out: ${count((one) => one.inNeeded)}; by chance: ${byChance.toFixed(1)}`,
    );
    expect(hits.length * 100).toBeGreaterThanOrEqual(all.length * PERCENT_MIN);
  });
});
