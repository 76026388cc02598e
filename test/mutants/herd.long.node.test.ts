import { afterAll, describe, expect, test } from "vitest";
import type { TriggererScenario } from "../../sim/worlds/triggerer/triggerer-scenario.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { WORLD_MUTANTS } from "./bug-list.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";

const BUG = "W-120";
/** In other seeds there is a moment of quiet, in which whoever calls too often is served. */
const METASTABLE_IN = [2, 8];
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const METASTABLE =
  /^\d+ records are owed, and in \d+ s none was settled, while \d+ calls were refused: whoever is refused calls again too soon/;

const sandbox = new MutantSandbox();

afterAll(() => sandbox[Symbol.dispose]());

function herd(): TriggererScenario {
  const scenario = readScenario("a-herd-meets-a-broker-of-little-capacity");
  if (scenario.world !== "triggerer") throw new Error("Cannot leave out its herd");
  return scenario;
}

describe("fetches that are made again at once, where the broker can serve few calls", () => {
  const mutant = WORLD_MUTANTS.find(({ bug }) => bug === BUG);
  if (mutant === undefined) throw new Error(`Cannot plant ${BUG}: the list has none`);

  const planted = sandbox.loadWorlds(mutant);

  test(`keep the broker busy for ever after a herd restart, seeds ${METASTABLE_IN.join(", ")}`, async () => {
    const broken = await planted;
    for (const seed of METASTABLE_IN) {
      const { violations } = await broken.simulate(herd(), { seed, trace: false });
      expect([seed, violations[0]?.checker]).toEqual([seed, "goodput"]);
      expect(violations[0]?.detail).toMatch(METASTABLE);
    }
  });

  test.each([
    ["without the restart", "restartAll"],
    ["with a broker that can serve all", "overload"],
  ])(`do no harm %s, seeds ${SEEDS.join(", ")}`, async (_, fault) => {
    const broken = await planted;
    const { faults, ...scenario } = herd();
    const others = faults.filter((each) => !(fault in each));
    expect(others).toHaveLength(1);
    for (const seed of SEEDS) {
      const one = { ...scenario, faults: others };
      const { violations } = await broken.simulate(one, { seed, trace: false });
      expect([seed, violations]).toEqual([seed, []]);
    }
  });
});
