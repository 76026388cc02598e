import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { applyPatch, parsePatch } from "diff";

/** A planted bug: a patch of the sources, named by its code in test/codes.md. */
export interface Mutant {
  readonly bug: string;
  readonly what: string;
  /** The whole file: a head with the story, and a unified diff. */
  readonly patch: string;
  /** Where its kind of trouble is sought; default: the hostile client. */
  readonly scenarios?: readonly string[];
}

/** In how many lines the context of a hunk may differ from the source. */
const FUZZ_LINES = 2;
const TITLE = /^(?<bug>[A-Z]-\d+): (?<what>.+)$/m;
const SCENARIOS = /^Scenarios: (?<names>.+)$/m;

/**
 * Reads the planted bugs of a folder beside this file, in the order of their codes.
 *
 * @throws {SyntaxError} when a file does not begin with its own code
 */
export function readMutants(folder: string): readonly Mutant[] {
  const path = join(import.meta.dirname, folder);
  return readdirSync(path)
    .toSorted()
    .map((name) => parseMutant(name, readFileSync(join(path, name), "utf8")));
}

function parseMutant(name: string, patch: string): Mutant {
  const head = headOf(patch);
  const { bug, what } = TITLE.exec(head)?.groups ?? {};
  if (bug === undefined || what === undefined || bug !== basename(name, ".patch")) {
    throw new SyntaxError(
      `Cannot read ${name}: it begins with its code, a colon and what is wrong`,
    );
  }
  const names = SCENARIOS.exec(head)?.groups?.["names"];
  return { bug, what, patch, ...(names !== undefined && { scenarios: names.split(", ") }) };
}

/** Returns what stands above the diff. */
export function headOf(patch: string): string {
  return patch.slice(0, patch.search(/^--- /m));
}

/**
 * Returns the changed text of each file that the patch names. Lines that moved are found again, and
 * the context may differ a little; what a patch removes must be there.
 *
 * @throws {Error} when a hunk fits nowhere: the patch must follow the code
 */
export function applyMutant(
  { bug, patch }: Mutant,
  read: (path: string) => string,
): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const file of parsePatch(patch)) {
    const path = file.newFileName;
    if (path === undefined) continue;
    const text = applyPatch(read(path), file, { fuzzFactor: FUZZ_LINES });
    if (text === false) throw new Error(`Cannot plant ${bug}: its patch does not fit ${path}`);
    changed.set(path, text);
  }
  return changed;
}
