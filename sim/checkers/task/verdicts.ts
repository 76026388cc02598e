import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";
import type { AttemptJobs, JobFact } from "./job-fact.ts";
import type { TaskFacts } from "./task-facts.ts";
import { Troubles } from "./troubles.ts";

/**
 * R-verdict: what is believed of a job was said of that job.
 *
 * An operator may remember how a job ended and ask no more. What it remembers must be of the job
 * that the store names now, and not of one before it, or of another task's. It is judged only
 * where it is wrong: a remembered verdict that is true of the job does no harm. It is reported when
 * the attempt goes on, so that a job submitted beside a running one is reported first (R-I3).
 *
 * An attempt may also remember the verdict for which it has submitted anew: (1) It finds that the
 * recorded job has failed. (2) It submits another. (3) Its poll asks nothing and fails at once, by
 * what it knows of the first. That poll is judged where nothing has befallen it.
 */
export function verdictsAreOfTheirJob(): Checker<TaskFacts> {
  const wrong = new Map<number, { readonly what: string; readonly task: string }>();
  const troubles = new Troubles();
  const noteTrouble = (event: TraceEvent): void => troubles.observe(event);
  const polledSince = new Map<number, number>();
  const tell = ({ attempt }: { readonly attempt: number }, report: Report): void => {
    const verdict = wrong.get(attempt);
    wrong.delete(attempt);
    if (verdict !== undefined) report("verdict-of-other-job", verdict.what, verdict.task);
  };
  return {
    id: "R-verdict",
    promise: "a job counts as ended by its own status, not by what another job's was",
    on: {
      "resume-decided"({ attempt: number, key, decision }, { jobs }) {
        const attempt = jobs.attempt(number);
        const job = attempt && jobs.namedBy(attempt.task, key);
        // After a lookup of a checkpoint's job the decision is about that one.
        if (attempt === undefined || job === undefined || attempt.statusCalls !== 1) return;
        // What was asked for one of several at once is not told from what was asked for another.
        if (attempt.areAtOnce) return;
        if (!contradicts(decision, job) || isFounded(attempt, job)) return;
        if (attempt.hidden.has(job)) return;
        const what = `attempt ${number} takes job ${job.job} for ended`;
        wrong.set(number, { what: `${what}, which is ${wordOf(job)}, unasked`, task: job.task });
      },
      "method-called"(event, _, report) {
        tell(event, report);
        if (event.method === "pollUntilComplete") polledSince.set(event.attempt, event.at);
      },
      "attempt-ended"(event, { jobs }, report) {
        tell(event, report);
        const { attempt: number, task, outcome } = event;
        const since = polledSince.get(number);
        polledSince.delete(number);
        if (outcome !== "failed" || since === undefined || troubles.since(since)) return;
        const job = submittedUnasked(jobs.attempt(number));
        if (job === undefined) return;
        const what = `attempt ${number} fails without having asked for the status of job ${job.job}`;
        report("failed-unasked", `${what}, which it has submitted and which is running`, task);
      },
      fault: noteTrouble,
      link: noteTrouble,
      host: noteTrouble,
      attempt: noteTrouble,
      "task-state"({ task, state }, { jobs, tasks }, report) {
        if (state !== "success") return;
        const last = tasks.get(task)?.attempts.at(-1)?.attempt;
        const running = jobs.of(task).filter((job) => job.state === "live" && job.isRecorded);
        for (const job of running) {
          if (job.isForgotten || jobs.isHiddenFrom(last, job)) continue;
          const what = `${task} succeeds while job ${job.job}, whose id is stored, is running`;
          report("succeeded-while-running", what, task);
        }
      },
    },
    onEnd(_, report) {
      for (const attempt of wrong.keys()) tell({ attempt }, report);
    },
  };
}

/** The running job that an attempt has submitted and polls, if its poll has asked nothing so far. */
function submittedUnasked(attempt: AttemptJobs | undefined): JobFact | undefined {
  if (attempt?.isPolling !== true || attempt.areAtOnce) return undefined;
  if (attempt.looks.length > 0 || attempt.replies > 0) return undefined;
  return attempt.submitted?.state === "live" ? attempt.submitted : undefined;
}

/** Whether a decision says of a job that it ended otherwise than it did. */
function contradicts(decision: string, { state, isForgotten }: JobFact): boolean {
  if (isForgotten) return false;
  if (decision === "already_succeeded") return state !== "success";
  return decision === "terminal_resubmit" && (state === "live" || state === "success");
}

/** Whether the attempt asked the system, be it for this job or for several at a time. */
function isFounded({ looks, replies }: AttemptJobs, { job }: JobFact): boolean {
  if (replies > looks.length) return true;
  return looks.some((look) => look.job === job || look.job === 0 || look.isForeign);
}

function wordOf({ state }: JobFact): string {
  return state === "live" ? "running" : `ended: ${state}`;
}
