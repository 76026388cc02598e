import { Campaign } from "../../sim/search/campaign.ts";
import { LocalExecutor } from "../../sim/search/execute.ts";
import type { SearchName } from "../../sim/search/portfolio.ts";
import type { Subject } from "../../sim/search/subject.ts";

export interface HuntOptions {
  readonly search: SearchName;
  readonly seed: number;
  readonly runsMax: number;
}

/** How many runs of a subject a search needs until the first failure; undefined: more than asked. */
export async function hunt(
  subject: Subject,
  { search, seed, runsMax }: HuntOptions,
): Promise<number | undefined> {
  const campaign = new Campaign({ subjects: 1, search, seed, runs: runsMax });
  const executor = new LocalExecutor([subject]);
  for (;;) {
    const batch = campaign.nextBatch();
    if (batch === undefined) return undefined;
    campaign.learn(batch, await executor.execute(batch));
    const first = campaign.findings[0];
    if (first !== undefined) return first.first.run + 1;
  }
}

/** The middle of what was counted, the upper one of two; `undefined` is more than anything. */
export function medianOf(counts: readonly (number | undefined)[]): number {
  const sorted = counts
    .map((count) => count ?? Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY;
}
