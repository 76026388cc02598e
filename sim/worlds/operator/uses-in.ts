import { type IdForms, namesAt, PLAIN_IDS } from "../../checkers/task/job-names.ts";
import type { TraceEvent } from "../../trace/trace.ts";

/** What an attempt uses the mixin for. */
export interface Uses {
  /**
   * The keys under which it keeps several jobs apart, in the order in which it stores them; none
   * where it has one job, or stores the ids of all under one key.
   */
  readonly keys: readonly string[];
  /** Whether it begins one of them before another has come to its end. */
  readonly areAtOnce: boolean;
}

/** Returns what an operator uses the mixin for in a run without faults. */
export function usesIn(trace: readonly TraceEvent[], forms: IdForms = PLAIN_IDS): Uses {
  const jobs = trace.filter((event) => event.kind === "job-accepted");
  const jobUnder = new Map<string, number>();
  for (const event of trace) {
    if (event.kind !== "state-set") continue;
    const job = jobs.find((one) => one.attempt === event.attempt && namesAt(event, one, forms));
    if (job !== undefined) jobUnder.set(event.key, job.job);
  }
  if (new Set(jobUnder.values()).size <= 1) return { keys: [], areAtOnce: false };
  return { keys: [...jobUnder.keys()], areAtOnce: areAtOnce(trace, jobUnder) };
}

/** Whether something is done for one use after another has begun, which is by the read of its key. */
function areAtOnce(trace: readonly TraceEvent[], jobUnder: ReadonlyMap<string, number>): boolean {
  const keyOf = new Map([...jobUnder].map(([key, job]) => [job, key] as const));
  const begun = new Set<string>();
  let newest = "";
  for (const event of trace) {
    if (event.kind === "state-got" && jobUnder.has(event.key) && !begun.has(event.key)) {
      begun.add(event.key);
      newest = event.key;
    }
    const asked = event.kind === "job-status" ? keyOf.get(event.job) : undefined;
    const key = event.kind === "state-set" ? event.key : asked;
    if (key !== undefined && key !== newest && begun.has(key)) return true;
  }
  return false;
}
