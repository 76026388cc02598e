import * as fc from "fast-check";
import type { RunReport } from "../../sim/run/run-report.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { managersOf } from "../../sim/worlds/manager/profiles.ts";
import { ledgerActs } from "../shared-stream/ledger-acts.ts";
import { differenceOf, type LedgerParts } from "../shared-stream/ledger-match.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import type { Mutant } from "./mutant.ts";
import type { MutantSandbox } from "./mutant-sandbox.ts";

/**
 * What finds planted bugs: generated runs of the manager world whose filters pull, are called, or
 * both, runs of whole triggerers with filters of both forms, runs of worlds that have the bug
 * beside the shared streams, and generated acts on the ledger alone. Nothing is written by hand
 * for one bug.
 */
export const FINDERS = ["async", "sync", "either", "triggerer", "world", "ledger"] as const;

export type Finder = (typeof FINDERS)[number];

/** How a bug was found. */
export interface Finding {
  readonly runs: number;
  /** The promises that were broken; none by the ledger's acts, or where the manager's code threw. */
  readonly checkers: readonly string[];
}

type WorldFinder = Exclude<Finder, "ledger">;

const SCENARIOS: Readonly<Record<WorldFinder, readonly string[]>> = {
  async: ["hostile-client", "stalling-client"],
  sync: ["hostile-visitors"],
  either: ["hostile-filters-of-both-forms"],
  triggerer: ["everything-at-once-in-both-forms", "visitor-raises-amid-a-broadcast"],
  world: ["everything-at-once"],
};

/** A run of a triggerer takes as long as ten of a manager. */
const SEEDS_MAX: Readonly<Record<WorldFinder, number>> = {
  async: 150,
  sync: 150,
  either: 150,
  triggerer: 150,
  world: 150,
};

const LEDGER_RUNS = 900;
const LEDGER_SEED = 1;

/** Seeks a planted bug; undefined when it is not found. */
export async function findingOf(
  finder: Finder,
  mutant: Mutant,
  sandbox: MutantSandbox,
): Promise<Finding | undefined> {
  if (finder !== "ledger") return await findInWorlds(finder, mutant, sandbox);
  const isFound = isFoundByActs(await sandbox.loadLedger(mutant));
  return isFound ? { runs: LEDGER_RUNS, checkers: [] } : undefined;
}

/** Whether generated acts find a difference from the model, or make the ledger throw. */
export function isFoundByActs(parts: LedgerParts): boolean {
  const property = fc.property(ledgerActs(), (acts) => differenceOf(parts, acts) === undefined);
  return fc.check(property, { numRuns: LEDGER_RUNS, seed: LEDGER_SEED, endOnFailure: true }).failed;
}

async function findInWorlds(
  finder: WorldFinder,
  mutant: Mutant,
  sandbox: MutantSandbox,
): Promise<Finding | undefined> {
  const run = await runnerOf(finder, mutant, sandbox);
  const own = finder === "async" || finder === "world" ? mutant.scenarios : undefined;
  let runs = 0;
  using thrown = new UnhandledRejections();
  for (let seed = 1; seed <= SEEDS_MAX[finder]; seed += 1) {
    for (const name of own ?? SCENARIOS[finder]) {
      runs += 1;
      const scenario = readScenario(name);
      const checkers = await brokenIn(scenario, () => run(scenario, seed));
      if (checkers !== undefined && checkers.length > 0) return { runs, checkers };
      if (checkers === undefined || thrown.count > 0) return { runs, checkers: [] };
    }
  }
  return undefined;
}

/** Returns what runs a scenario with the planted bug, in the manager or in what is around it. */
async function runnerOf(
  finder: WorldFinder,
  mutant: Mutant,
  sandbox: MutantSandbox,
): Promise<(scenario: Scenario, seed: number) => Promise<RunReport>> {
  if (finder === "world") {
    const broken = await sandbox.loadWorlds(mutant);
    return (scenario, seed) => broken.simulate(scenario, { seed, trace: false });
  }
  const createManager = managersOf(await sandbox.load(mutant));
  return (scenario, seed) => simulate(scenario, { seed, trace: false, createManager });
}

/**
 * The promises that a run breaks, but for those that the scenario expects to be broken without a
 * bug; undefined when the planted bug makes a timer of it throw.
 */
async function brokenIn(
  { expect }: Scenario,
  run: () => Promise<RunReport>,
): Promise<readonly string[] | undefined> {
  try {
    const { violations } = await run();
    const broken = new Set(violations.map(({ checker }) => checker));
    return [...broken].filter((checker) => !expect.broken?.includes(checker));
  } catch {
    return undefined;
  }
}

/**
 * Counts the promises that nobody handles, in place of whoever else listens to them: a planted bug
 * may make a task of the manager throw.
 */
class UnhandledRejections implements Disposable {
  count = 0;
  readonly #others = process.listeners("unhandledRejection");
  readonly #listener = (): void => {
    this.count += 1;
  };

  constructor() {
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", this.#listener);
  }

  [Symbol.dispose](): void {
    process.off("unhandledRejection", this.#listener);
    for (const other of this.#others) process.on("unhandledRejection", other);
  }
}
