import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ALL_MUTANTS, COORDINATED_MUTANTS } from "./bug-list.ts";
import { applyMutant } from "./mutant.ts";

const ROOT = join(import.meta.dirname, "../..");

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The long gate plants and hunts them; here a change of the sources that they miss shows early. */
describe("the patches of all planted bugs still apply", () => {
  test.each(
    [...ALL_MUTANTS, ...COORDINATED_MUTANTS].map((mutant) => [mutant.bug, mutant] as const),
  )("%s", (_bug, mutant) => {
    const changed = [...applyMutant(mutant, read)];
    expect(changed).not.toEqual([]);
    expect(changed.filter(([path, text]) => text === read(path))).toEqual([]);
  });
});
