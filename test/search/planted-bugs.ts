import type { Subject } from "../../sim/search/subject.ts";
import { subjectFrom } from "../../sim/search/subject.ts";
import type { ManagerFactory } from "../../sim/scenario/stage.ts";
import { MUTANTS } from "../mutants/bug-list.ts";
import type { Mutant, MutantShop } from "../mutants/mutant.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { STORE_BUGS } from "../tasks/store-bugs.ts";

/** A bug that was planted, and where searches look for it. */
export interface PlantedBug {
  readonly bug: string;
  readonly what: string;
  readonly subjects: () => Promise<readonly Subject[]>;
}

/** Where bugs of the manager are sought unless they say otherwise. */
const SCENARIOS = ["hostile-client", "stalling-client"];

/** All planted bugs: of the shared stream (B-…), of stores and of tasks that keep state (E…). */
export function plantedBugs(shop: MutantShop): readonly PlantedBug[] {
  return [
    ...MUTANTS.map((mutant) => ({
      bug: mutant.bug,
      what: mutant.what,
      subjects: () => mutantSubjects(shop, mutant),
    })),
    ...STORE_BUGS.map(({ bug, scenario, parts }) => ({
      bug: bug.split(" ")[0] ?? bug,
      what: bug.split(" ").slice(1).join(" "),
      subjects: async () => [subjectFrom(readScenario(scenario), { taskParts: parts })],
    })),
  ];
}

async function mutantSubjects(shop: MutantShop, mutant: Mutant): Promise<readonly Subject[]> {
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
  const names = mutant.scenarios ?? SCENARIOS;
  return names.map((name) => subjectFrom(readScenario(name), { createManager }));
}
