// Seeks every planted bug by every finder, and writes found.json anew. It may only grow: what found a
// bug before must find it again, or this ends with an error. Takes some minutes, or less for those
// bugs that it is told.
//
//   node test/mutants/find.ts [bug…]
import { readFileSync, writeFileSync } from "node:fs";
import { ALL_MUTANTS, WORLD_MUTANTS, STRUCTURE_MUTANTS, VISIT_MUTANTS } from "./bug-list.ts";
import { type Finder, findingOf, FINDERS } from "./finders.ts";
import { MutantSandbox } from "./mutant-sandbox.ts";

const file = new URL("found.json", import.meta.url);
const before = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Finder[]>>;
const wanted = new Set(process.argv.slice(2));
const found: Record<string, readonly Finder[]> = wanted.size > 0 ? { ...before } : {};
using sandbox = new MutantSandbox();
for (const mutant of ALL_MUTANTS) {
  if (wanted.size > 0 && !wanted.has(mutant.bug)) continue;
  const by: Finder[] = [];
  for (const finder of FINDERS) {
    if ((finder === "world") !== WORLD_MUTANTS.includes(mutant)) continue;
    if (finder === "ledger" && !STRUCTURE_MUTANTS.includes(mutant)) continue;
    if (finder === "triggerer" && !VISIT_MUTANTS.includes(mutant)) continue;
    if ((await findingOf(finder, mutant, sandbox)) !== undefined) by.push(finder);
  }
  found[mutant.bug] = by;
  const lost = (before[mutant.bug] ?? []).filter((finder) => !by.includes(finder));
  if (lost.length > 0 || by.length === 0) {
    console.error(`${mutant.bug} is not found any more by ${lost.join(", ") || "anything"}`);
    process.exitCode = 1;
  }
}
if (process.exitCode === undefined) {
  const lines = Object.entries(found).map(
    ([bug, by]) => `  "${bug}": [${by.map((one) => `"${one}"`).join(", ")}]`,
  );
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
}
