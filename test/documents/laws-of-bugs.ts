// Says which rows name a planted bug that breaks none of their laws: runs each bug where it is sought,
// and then in the worlds of its rows. Takes some minutes, or less for those bugs that it is told.
//
//   node test/documents/laws-of-bugs.ts [bug…]
import type { RunReport } from "../../sim/run/run-report.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { managersOf } from "../../sim/worlds/manager/profiles.ts";
import { ALL_MUTANTS, WORLD_MUTANTS } from "../mutants/bug-list.ts";
import type { Mutant } from "../mutants/mutant.ts";
import { MutantSandbox } from "../mutants/mutant-sandbox.ts";
import { loadParts, readScenario } from "../sim/read-scenarios.ts";
import { type DocumentRow, documentRows } from "./document-rows.ts";

const SEEDS = 40;
/** Where bugs of the streams are sought. */
const STREAMS = ["hostile-client", "hostile-visitors", "hostile-filters-of-both-forms"];

type Run = (name: string, seed: number) => Promise<RunReport>;

// A planted bug may make a task of the code throw.
process.on("unhandledRejection", () => undefined);
using sandbox = new MutantSandbox();
const wanted = new Set(process.argv.slice(2));
const rows = documentRows();

/** Rows of which a bug breaks a law. */
const kept = new Set<DocumentRow>();

for (const mutant of ALL_MUTANTS) {
  const { bug, scenarios } = mutant;
  const naming = rows.filter(({ bugs }) => bugs.includes(bug));
  if (naming.length === 0 || (wanted.size > 0 && !wanted.has(bug))) continue;
  const run = await runnerOf(mutant);
  const sought = scenarios ?? (WORLD_MUTANTS.includes(mutant) ? ["everything-at-once"] : STREAMS);
  const laws = new Set(naming.flatMap((row) => row.laws));
  const broken = await brokenIn(run, sought, (known) => [...laws].every((law) => known.has(law)));
  console.log(`${bug} breaks ${[...broken].join(", ")}`);
  for (const row of naming) {
    const isBroken = (known: ReadonlySet<string>): boolean =>
      row.laws.some((law) => known.has(law));
    if (isBroken(broken) || isBroken(await brokenIn(run, row.worlds, isBroken))) kept.add(row);
  }
}
const planted = new Set(ALL_MUTANTS.map(({ bug }) => bug));
for (const row of rows) {
  const { document, says, laws, bugs } = row;
  const arePlanted = bugs.length > 0 && bugs.every((bug) => planted.has(bug));
  const areRun = wanted.size === 0 || bugs.every((bug) => wanted.has(bug));
  if (kept.has(row) || laws.length === 0 || !arePlanted || !areRun) continue;
  console.error(`${document}, "${says}": no bug of ${bugs.join(", ")} breaks ${laws.join(" or ")}`);
  process.exitCode = 1;
}

/** Returns what runs a scenario with the planted bug. */
async function runnerOf(mutant: Mutant): Promise<Run> {
  if (WORLD_MUTANTS.includes(mutant)) {
    const broken = await sandbox.loadWorlds(mutant);
    return async (name, seed) => {
      const options = { ...(await loadParts(name)), seed, trace: false };
      return broken.simulate(readScenario(name), options);
    };
  }
  const createManager = managersOf(await sandbox.load(mutant));
  return async (name, seed) => {
    const options = { ...(await loadParts(name)), seed, trace: false, createManager };
    return simulate(readScenario(name), options);
  };
}

/** Returns the promises that runs of the scenarios break, up to where that is enough. */
async function brokenIn(
  run: Run,
  names: readonly string[],
  isEnough: (broken: ReadonlySet<string>) => boolean,
): Promise<ReadonlySet<string>> {
  const broken = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    for (const name of names) {
      try {
        for (const { checker } of (await run(name, seed)).violations) broken.add(checker);
      } catch {
        broken.add("thrown");
      }
      if (isEnough(broken)) return broken;
    }
  }
  return broken;
}
