import type { Campaign } from "../search/campaign.ts";
import type { JobResult } from "../search/job.ts";
import { createProgress, type Progress } from "./progress.ts";

/** The progress of a search. */
export interface SearchProgress extends Pick<Progress, "note" | "stop"> {
  /** Shows a run and how many findings are on disk. */
  onRun(result: JobResult, findings: number): void;
}

/** Creates the progress of a search that makes `total` runs, or lasts some minutes. */
export function createSearchProgress(
  campaign: Campaign,
  minutes: number | undefined,
  total: number,
): SearchProgress {
  const startedAt = performance.now();
  const progress =
    minutes === undefined ? createProgress(total, "runs") : createProgress(minutes * 60, "s");
  let runs = 0;
  let faults = 0;
  return {
    onRun(result, findings) {
      runs += 1;
      faults += result.faults;
      const seconds = (performance.now() - startedAt) / 1_000;
      const what = [
        `${Math.round(runs / seconds)} runs/s`,
        `${campaign.behaviours} behaviours`,
        `${faults} faults`,
        `${findings} ${findings === 1 ? "finding" : "findings"}`,
        rarestOf(campaign),
      ];
      progress.reach(minutes === undefined ? runs : Math.floor(seconds), what.join(", "));
    },
    note: (line) => progress.note(line),
    stop: () => progress.stop(),
  };
}

function rarestOf(campaign: Campaign): string {
  const [rarest] = [...campaign.marks.values()].toSorted((one, other) => one.runs - other.runs);
  return rarest === undefined ? "no mark yet" : `rarest mark: ${rarest.mark} (${rarest.runs})`;
}
