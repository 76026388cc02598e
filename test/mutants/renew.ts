// Writes the patches of the planted bugs anew, so that they fit the sources line by line. Names those
// that do not fit at all: they are mended by hand.
//
//   node test/mutants/renew.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import { checkoutRoot } from "./checkout-root.ts";
import { applyMutant, headOf, type Mutant, readMutants } from "./mutant.ts";

const CONTEXT_LINES = 3;

for (const folder of ["manager", "structures", "promises", "visits", "worlds", "coordinated"]) {
  for (const mutant of readMutants(folder)) {
    try {
      writeFileSync(join(import.meta.dirname, folder, `${mutant.bug}.patch`), renewed(mutant));
    } catch (error) {
      console.error((error as Error).message);
      process.exitCode = 1;
    }
  }
}

function renewed(mutant: Mutant): string {
  const read = (path: string): string => readFileSync(join(checkoutRoot, path), "utf8");
  const diffs = [...applyMutant(mutant, read)].map(([path, text]) =>
    formatPatch(
      structuredPatch(path, path, read(path), text, "", "", { context: CONTEXT_LINES }),
      FILE_HEADERS_ONLY,
    ),
  );
  return headOf(mutant.patch) + diffs.join("");
}
