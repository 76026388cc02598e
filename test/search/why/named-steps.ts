import { simulate } from "../../../sim/run/simulate.ts";
import type { Scenario } from "../../../sim/scenario/scenario.ts";
import { explainFailure, type Why } from "../../../sim/search/why/why.ts";
import type { ManagerScenario } from "../../../sim/worlds/manager/manager-scenario.ts";
import type { WorldParts } from "../../../sim/worlds/world-parts.ts";
import { ALL_MUTANTS } from "../../mutants/bug-list.ts";
import type { MutantSandbox } from "../../mutants/mutant-sandbox.ts";
import { readScenario } from "../../sim/read-scenarios.ts";
import { managerOf } from "../planted-bugs.ts";
import { MANAGER_STEPS } from "./needed-steps.ts";

const RUNS_MAX = 1_000;
const SEEDS_MAX = 300;
/** A bug that breaks most runs has no step that makes a run break: shorter runs break less often. */
const OPERATIONS = [60, 30, 15, 8] as const;
const SEEDS_SAMPLED = 24;
const BROKEN_AT_MOST = 10;

interface Failing {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly parts: WorldParts;
}

/** Whether the named choices of a failing run contain the step that its bug needs. */
export interface StepVerdict {
  readonly bug: string;
  readonly step: RegExp;
  readonly inRises: boolean;
  readonly inNeeded: boolean;
  /** The odds that as many faults and acts of the run, picked at random, contain it. */
  readonly byChance: number;
  readonly named: number;
}

/**
 * Explains a failing run of a planted bug, and looks for its needed step among what is named.
 *
 * @throws {Error} when the bug is none of those whose step is known, or when no run breaks
 */
export async function verdictOnStep(sandbox: MutantSandbox, bug: string): Promise<StepVerdict> {
  const mutant = ALL_MUTANTS.find((one) => one.bug === bug);
  const step = MANAGER_STEPS.get(bug);
  if (mutant === undefined || step === undefined) throw new Error(`No step is known of ${bug}`);
  const failing = await failingClient({ createManager: await managerOf(sandbox, mutant) });
  const { scenario, seed, parts } = failing;
  const { choices, digest } = await simulate(scenario, { ...parts, seed });
  const options = { seed, parts, replay: choices, digest, runsMax: RUNS_MAX };
  return verdictFrom(bug, step, await explainFailure(scenario, options));
}

/** Returns a verdict in a line. */
export function stepLine({ bug, step, inRises, inNeeded, named, byChance }: StepVerdict): string {
  const where = [...(inRises ? ["rises"] : []), ...(inNeeded ? ["left out"] : [])].join(", ");
  const words = where === "" ? "MISSED" : `in ${where}`;
  return `${bug}: ${words}; ${named} named, by chance ${byChance.toFixed(2)}; ${step.source}`;
}

/** Returns how many verdicts name the step, in percent and in words. */
export function stepCounts(all: readonly StepVerdict[]): {
  readonly percent: number;
  readonly line: string;
} {
  const count = (of: (one: StepVerdict) => boolean): number => all.filter(of).length;
  const hits = count(({ inRises, inNeeded }) => inRises || inNeeded);
  const byChance = all.reduce((sum, one) => sum + one.byChance, 0);
  const line =
    `needed step named: ${hits} of ${all.length}; in the rises: ${count((one) => one.inRises)}; ` +
    `left out: ${count((one) => one.inNeeded)}; by chance: ${byChance.toFixed(1)}`;
  return { percent: (100 * hits) / all.length, line };
}

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

function verdictFrom(bug: string, step: RegExp, why: Why): StepVerdict {
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
