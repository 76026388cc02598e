import type { ManagerFactory } from "../../sim/scenario/stage.ts";
import { simulate } from "../../sim/scenario/simulate.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { MUTANTS } from "../mutants/bug-list.ts";
import type { MutantShop } from "../mutants/mutant.ts";
import { readScenario } from "../sim/read-scenarios.ts";

/** A run of a planted bug that breaks a promise. */
export interface PlantedFailure {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly createManager: ManagerFactory;
}

const SCENARIOS = ["hostile-client", "stalling-client"];
const SEEDS_MAX = 150;

/** Looks for a planted bug in generated runs until one breaks. */
export async function plantedFailure(shop: MutantShop, bug: string): Promise<PlantedFailure> {
  const mutant = MUTANTS.find((one) => one.bug === bug);
  if (mutant === undefined) throw new RangeError(`There is no bug ${bug}`);
  const Manager = await shop.load(mutant);
  const createManager: ManagerFactory = (life, settings, logger) =>
    new Manager({
      clock: life.clock,
      logger,
      maxSubscriberQueue: settings.maxSubscriberQueue,
      ackTimeout: { milliseconds: settings.ackTimeout },
      cohortGracePeriod: { milliseconds: settings.cohortGracePeriod },
      strictPersistence: settings.strictPersistence,
    });
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    for (const name of mutant.scenarios ?? SCENARIOS) {
      const scenario = readScenario(name);
      const report = await simulate(scenario, { seed, trace: false, createManager });
      if (report.violations.length > 0) return { scenario, seed, createManager };
    }
  }
  throw new Error(`${bug} was not found in ${SEEDS_MAX} seeds`);
}
