import { createHash } from "node:crypto";
import { type Group, groupOf, GROUPS, type SourceMutant } from "./source-mutants.ts";

/**
 * Returns a sample of so many mutants, a third from each group of rooms if it has so many.
 *
 * A mutant is drawn by its id and the seed alone, so that a change of the code changes the sample
 * only where the code has changed.
 */
export function sampleOf(
  mutants: readonly SourceMutant[],
  size: number,
  seed: number,
): readonly SourceMutant[] {
  const ranked = mutants
    .map((mutant) => ({ mutant, rank: rankOf(mutant, seed) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
  const sizes = sizesOf(ranked, size);
  return GROUPS.flatMap((group) =>
    ranked.filter(({ file }) => groupOf(file) === group).slice(0, sizes.get(group)),
  );
}

/** The smallest groups first: what they lack is shared among the others. */
function sizesOf(mutants: readonly SourceMutant[], size: number): ReadonlyMap<Group, number> {
  const there = GROUPS.map((group) => ({
    group,
    count: mutants.filter(({ file }) => groupOf(file) === group).length,
  })).toSorted((a, b) => a.count - b.count);
  const sizes = new Map<Group, number>();
  let left = size;
  for (const [index, { group, count }] of there.entries()) {
    const taken = Math.min(count, Math.ceil(left / (there.length - index)));
    sizes.set(group, taken);
    left -= taken;
  }
  return sizes;
}

function rankOf({ id }: SourceMutant, seed: number): string {
  return createHash("sha256").update(`${seed} ${id}`).digest("hex");
}
