import type { JourneySubject } from "./journey.ts";
import type { RunModel } from "./run-model.ts";

/** Returns what somebody has typed: the whole name, or the first record that contains it. */
export function subjectNamed(run: RunModel, text: string): JourneySubject | undefined {
  const wanted = text.trim();
  if (wanted === "") return undefined;
  const job = /^job (\d+)$/.exec(wanted)?.[1];
  if (job !== undefined && run.jobs.includes(job)) return { kind: "job", name: job };
  if (run.tasks.includes(wanted)) return { kind: "task", name: wanted };
  const record =
    run.records.find((name) => name === wanted) ??
    run.records.find((name) => name.includes(wanted));
  return record === undefined ? undefined : { kind: "record", name: record };
}
