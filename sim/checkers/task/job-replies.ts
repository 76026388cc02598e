import type { TraceEvent } from "../../trace/trace.ts";
import type { AttemptJobs, JobFact } from "./job-fact.ts";
import { noteStatus } from "./job-notes.ts";
import type { SystemFact } from "./system-fact.ts";

type Reply = Extract<TraceEvent, { kind: "job-reply" }>;

/** Notes that a reply of the job system has reached an attempt. */
export function noteReply(
  attempt: AttemptJobs,
  { attempt: number, call, word, error, at }: Reply,
  { jobs, system }: { readonly jobs: ReadonlyMap<number, JobFact>; readonly system: SystemFact },
): void {
  const { submitted } = attempt;
  if (call === "status") {
    attempt.lastReply = { word, error };
    attempt.replies += 1;
    const last = attempt.looks.at(-1);
    if (word !== "" && word === last?.status && !system.unmapped.includes(word)) {
      noteStatus(jobs.get(last.job), number, attempt.task);
    }
  }
  if (call === "cancel") attempt.cancelsFailed += error === "" ? 0 : 1;
  if (call === "submit") attempt.isSubmitFailed = error !== "";
  if (attempt.areAtOnce) {
    const isAnId = call === "submit" && error === "" && system.idempotency === "none";
    if (isAnId) noteIdAtOnce(number, jobs);
    return;
  }
  const isLearnt = call === "submit" && error === "" && submitted?.id !== "";
  if (isLearnt && submitted?.idReach === "system") {
    submitted.idReach = "attempt";
    submitted.repliedAt = at;
  }
}

/** Of several submits at once it may be the reply to any that has none so far. */
function noteIdAtOnce(attempt: number, jobs: ReadonlyMap<number, JobFact>): void {
  const isPending = (job: JobFact): boolean => job.attempt === attempt && !job.isKnownAtOnce;
  const pending = [...jobs.values()].filter(isPending);
  if (pending.length === 1) for (const job of pending) job.isKnownAtOnce = true;
}
