import type { SourceMutant } from "./source-mutants.ts";
import { shortened, type Survivor } from "./survivors.ts";

/** The rows of the table whose mutants are there no more. */
export interface StaleRows {
  /** By the mutant that reads alike, of code that has moved; its verdict is the row's. */
  readonly moved: ReadonlyMap<SourceMutant, Survivor>;
  /** Of code that has gone, or has changed so far that the verdict cannot be kept. */
  readonly gone: readonly Survivor[];
}

/** How near a mutant is to a row that reads alike, nearest first; others are not the same code. */
const NEARNESS: readonly ((mutant: SourceMutant, row: Survivor) => boolean)[] = [
  ({ file, within }, row) => file === row.file && within === row.within,
  ({ within }, row) => within !== "" && within === row.within,
  ({ file }, row) => file === row.file,
];

/**
 * Finds the rows whose mutants are there no more, and the mutants that they speak of now.
 *
 * Holds: a row moves to a mutant that makes the same change, in the same function, else in a
 * function of that name in another file, else in another function of the same file; and only if
 * there is exactly one such mutant, so that no verdict is given to what nobody has judged.
 */
export function staleRowsOf(
  rows: readonly Survivor[],
  everything: readonly SourceMutant[],
): StaleRows {
  const there = new Set(everything.map(({ id }) => id));
  const listed = new Set(rows.map(({ id }) => id));
  const unlisted = everything.filter(({ id }) => !listed.has(id));
  const moved = new Map<SourceMutant, Survivor>();
  const gone: Survivor[] = [];
  for (const row of rows) {
    if (there.has(row.id)) continue;
    const alike = unlisted.filter((mutant) => !moved.has(mutant) && readsAlike(mutant, row));
    const near = NEARNESS.map((isNear) => alike.filter((mutant) => isNear(mutant, row)));
    const [only, ...others] = near.find((mutants) => mutants.length > 0) ?? [];
    if (only === undefined || others.length > 0) gone.push(row);
    else moved.set(only, row);
  }
  return { moved, gone };
}

function readsAlike({ original, mutated }: SourceMutant, row: Survivor): boolean {
  return shortened(original) === row.original && shortened(mutated) === row.mutated;
}
