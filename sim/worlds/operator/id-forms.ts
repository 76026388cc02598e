import {
  type IdForms,
  type IdPlace,
  namesAt,
  pathToId,
  PLAIN_IDS,
} from "../../checkers/task/job-names.ts";
import type { TraceEvent } from "../../trace/trace.ts";

type Kept = Extract<TraceEvent, { kind: "state-set" }>;
type Accepted = Extract<TraceEvent, { kind: "job-accepted" }>;

/**
 * Returns where an operator keeps the ids of its jobs, by a run without faults; undefined where
 * each has a key of its own, and nothing else is stored.
 *
 * Parts of larger values count only where it stores no id as it is: (1) an operator stores the id
 * of its job; (2) it stores another entry with the ids of all that are done; (3) that is no place
 * where the next attempt looks for a job.
 */
export function idFormsIn(trace: readonly TraceEvent[]): IdForms | undefined {
  const jobs = trace.filter((event) => event.kind === "job-accepted");
  const kept = trace.filter((event) => event.kind === "state-set").filter(byAttempt);
  const isPlain = kept.some((event) => isNamed(event, jobs, PLAIN_IDS));
  const forms = { places: isPlain ? [] : placesIn(kept, jobs), others: [] };
  const otherKeys = new Set(
    kept.filter((event) => !isNamed(event, jobs, forms)).map(({ key }) => key),
  );
  const hasIdKey = kept.some(({ key }) => !otherKeys.has(key));
  const others = hasIdKey ? [...otherKeys] : [];
  return forms.places.length + others.length === 0 ? undefined : { ...forms, others };
}

/** Not by a user, or by the deployment. */
function byAttempt({ attempt }: Kept): boolean {
  return attempt > 0;
}

function isNamed(event: Kept, jobs: readonly Accepted[], forms: IdForms): boolean {
  return jobs.some((job) => namesAt(event, job, forms));
}

/** Returns for each job the part of the first entry that has its id. */
function placesIn(kept: readonly Kept[], jobs: readonly Accepted[]): readonly IdPlace[] {
  const places = new Map<string, IdPlace>();
  for (const job of jobs) {
    for (const { key, value } of kept) {
      const path = pathToId(value, job);
      if (path === undefined) continue;
      places.set(JSON.stringify([key, path]), { key, path });
      break;
    }
  }
  return [...places.values()];
}
