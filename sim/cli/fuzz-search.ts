import type { Batch, Campaign, CampaignFinding } from "../search/campaign.ts";
import type { Job, JobResult } from "../search/job.ts";
import { FuzzWorkers } from "./fuzz-workers.ts";
import type { ScenarioFile } from "./scenario-files.ts";

/** How a search is made. */
export interface SearchOptions {
  /** How many threads. */
  readonly workers: number;
  /** Ends the search when it is aborted, also amid a run. */
  readonly signal: AbortSignal;
  /** Called with each run, in the order in which they end. */
  readonly onRun: (result: JobResult) => void;
  /** Called with each new finding, in the order of the campaign's runs. */
  readonly onFinding: (finding: CampaignFinding) => void;
  /** Called after the last run of each batch was learned. */
  readonly afterBatch: () => Promise<void>;
}

/**
 * Makes the runs of a campaign on worker threads, until all are made or the signal is aborted.
 *
 * Holds: a run is learned as soon as those before it are, so that the findings do not depend on the
 * number of workers; when the search ends amid a batch, every run that has ended is learned.
 *
 * @throws {UnfinishedRun} when a run throws
 */
export async function search(
  campaign: Campaign,
  files: readonly ScenarioFile[],
  options: SearchOptions,
): Promise<void> {
  const { signal, afterBatch } = options;
  if (signal.aborted) return;
  const workers = new FuzzWorkers(files, options.workers);
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    while (!signal.aborted) {
      const batch = campaign.nextBatch();
      if (batch === undefined) return;
      await searchBatch(campaign, batch, workers, aborted, options);
      if (!signal.aborted) await afterBatch();
    }
  } finally {
    await workers.close();
  }
}

async function searchBatch(
  campaign: Campaign,
  batch: Batch,
  workers: FuzzWorkers,
  aborted: Promise<void>,
  { onRun, onFinding }: SearchOptions,
): Promise<void> {
  const results = new Map<number, JobResult>();
  let next = 0;
  let isOver = false;
  const learn = (at: number, result: JobResult): void => {
    results.delete(at);
    for (const finding of campaign.learnRun(batch.jobs[at] as Job, result)) onFinding(finding);
  };
  const onResult = (at: number, result: JobResult): void => {
    if (isOver) return;
    results.set(at, result);
    onRun(result);
    for (let known = results.get(next); known !== undefined; known = results.get(next)) {
      learn(next, known);
      next += 1;
    }
  };
  const executed = workers.execute(batch, onResult);
  // After an abort the threads are ended, which is no failure of theirs.
  executed.catch(() => undefined);
  try {
    await Promise.race([executed, aborted]);
  } finally {
    isOver = true;
    for (const [at, result] of [...results].toSorted(([one], [other]) => one - other)) {
      learn(at, result);
    }
  }
}
