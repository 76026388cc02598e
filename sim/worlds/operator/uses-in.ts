import { names } from "../../checkers/task/job-names.ts";
import type { TraceEvent } from "../../trace/trace.ts";

/**
 * Returns the keys under which an attempt keeps several jobs apart, in the order in which it stores
 * them; none where it has one job, or stores the ids of all under one key.
 */
export function usesIn(trace: readonly TraceEvent[]): readonly string[] {
  const jobs = trace.filter((event) => event.kind === "job-accepted");
  const jobUnder = new Map<string, number>();
  for (const event of trace) {
    if (event.kind !== "state-set") continue;
    const job = jobs.find((one) => one.attempt === event.attempt && names(event.value, one));
    if (job !== undefined) jobUnder.set(event.key, job.job);
  }
  return new Set(jobUnder.values()).size > 1 ? [...jobUnder.keys()] : [];
}
