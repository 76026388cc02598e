import { HostClocks } from "../../checkers/task/host-clocks.ts";
import { type IdForms, namesAt, PLAIN_IDS } from "../../checkers/task/job-names.ts";
import type { TraceEvent } from "../../trace/trace.ts";

/**
 * Returns for how long at least an operator has the id of its job kept in a run without faults, in
 * milliseconds; undefined where it is kept for ever, or not at all.
 */
export function idRetentionIn(
  trace: readonly TraceEvent[],
  forms: IdForms = PLAIN_IDS,
): number | undefined {
  const jobs = trace.filter((event) => event.kind === "job-accepted");
  const clocks = new HostClocks();
  const kept: number[] = [];
  for (const event of trace) {
    clocks.apply(event);
    if (event.kind !== "state-set" || event.expiresAt === null) continue;
    const isId = jobs.some((job) => job.attempt === event.attempt && namesAt(event, job, forms));
    if (isId) kept.push(event.expiresAt - clocks.wallOf(event.host, event.at));
  }
  return kept.length === 0 ? undefined : Math.min(...kept);
}
