import type { OrphanedJob, OrphanReason } from "../checkers/mod.ts";
import { timeText } from "./story.ts";

const REASONS: Readonly<Record<OrphanReason, string>> = {
  "stopped-between-attempts": "its user stopped it while no attempt ran that could cancel the job",
  "stopped-while-deferred": "its user stopped it, and its trigger did not hear of that",
  "not-cancelled": "its last attempt was to cancel the job, and did not or could not",
  "no-try-left": "it failed for good, and its last attempt left the job running",
  replaced: "it has submitted another job",
};

/** Returns in words that a job ran on without a task that waited for it, and why. */
export function orphanWords({ job, task, why, forMs }: OrphanedJob): string {
  return `orphaned: job ${job} of ${task} ran on for ${timeText(forMs)}: ${REASONS[why]}`;
}
