import { Campaign } from "../../sim/search/campaign.ts";
import { LocalExecutor } from "../../sim/search/execute.ts";
import type { SearchName } from "../../sim/search/strategy/portfolio.ts";
import type { Subject } from "../../sim/search/subject.ts";

export interface HuntOptions {
  readonly search: SearchName;
  readonly seed: number;
  /** Of each subject. */
  readonly runsMax: number;
  /** A real clock, for how long it took; the default stands still. */
  readonly now?: () => number;
}

/** How a hunt for the first failure went. */
export interface Hunted {
  /** Over all subjects, the failing run counted. */
  readonly runs: number;
  readonly ms: number;
  readonly isFound: boolean;
}

/** Searches until the first failure. */
export async function hunt(
  subjects: readonly Subject[],
  { search, seed, runsMax, now = () => 0 }: HuntOptions,
): Promise<Hunted> {
  const campaign = new Campaign({ subjects: subjects.length, search, seed, runs: runsMax });
  const executor = new LocalExecutor(subjects);
  const startedAt = now();
  for (;;) {
    const batch = campaign.nextBatch();
    if (batch === undefined) return { runs: campaign.runs, ms: now() - startedAt, isFound: false };
    const results = [];
    for (const [at, job] of batch.jobs.entries()) {
      const news = at === 0 ? batch.news : [];
      const [result] = await executor.execute({ jobs: [job], news });
      if (result === undefined) continue;
      results.push(result);
      if (result.failures.length === 0) continue;
      return { runs: campaign.runs + results.length, ms: now() - startedAt, isFound: true };
    }
    campaign.learn(batch, results);
  }
}

/** What lies between the two: with nineteen in twenty chances the true median. */
export interface MedianOf {
  readonly median: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The middle of several numbers and its interval by ranks, which asks for no distribution; infinite
 * where it was not found.
 */
export function medianOf(counts: readonly number[]): MedianOf {
  const sorted = counts.toSorted((one, other) => one - other);
  const last = sorted.length - 1;
  const reach = Math.ceil(0.98 * Math.sqrt(sorted.length));
  const middle = Math.floor(sorted.length / 2);
  const at = (rank: number): number =>
    sorted[Math.max(0, Math.min(last, rank))] ?? Number.POSITIVE_INFINITY;
  return { median: at(middle), from: at(middle - reach), to: at(middle - 1 + reach) };
}
