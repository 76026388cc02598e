import type { Checker, Report } from "../checker.ts";
import type { Symptom } from "../symptom.ts";
import type { JobFact } from "./job-fact.ts";
import type { JobFacts } from "./job-facts.ts";
import type { TaskFacts } from "./task-facts.ts";

/**
 * R-kept: while a job runs, its id stays where the next attempt looks for it.
 *
 * R-I1 excuses a second submit after a clear, and where the system recognises a repeated submit
 * there is no second job at all; so the loss of the id is judged by itself. It is excused when
 * (1) the user cleared the task and its state, (2) the job was to be cancelled, (3) the system has
 * forgotten the job, (4) another key names it, too, or (5) a replica that lagged hid it from the
 * attempt whose end cleared the state.
 */
export const idsOutliveTheirJobs: Checker<TaskFacts> = {
  id: "R-kept",
  promise: "the id of a running job is not deleted, swept or expired",
  on: {
    "state-deleted"({ scope, key }, { jobs }, report) {
      reportLost("id-deleted", { scope, key, how: "is deleted" }, jobs, report);
    },
    "state-swept"({ scope, key }, { jobs }, report) {
      reportLost("id-swept", { scope, key, how: "is swept" }, jobs, report);
    },
    "state-cleared"({ emptied, why }, { jobs, tasks }, report) {
      if (why === "user") return;
      for (const scope of emptied) {
        const task = tasks.get(jobs.taskOfScope.get(scope) ?? "");
        const by = task?.attempts.at(-1)?.attempt;
        const lost = { scope, key: undefined, how: "is cleared away", by };
        reportLost("id-deleted", lost, jobs, report);
      }
    },
    "resume-decided"({ attempt, key, decision }, { jobs }, report) {
      const { read, task } = jobs.attempt(attempt) ?? {};
      if (decision !== "fresh_submit" || read?.key !== key || !jobs.isDurable(attempt)) return;
      if (!isOwed(read.job)) return;
      const what = `attempt ${attempt} finds no id, and "${key}" still has that of running job`;
      report("id-expired", `${what} ${read.job.job}: it expired too early`, task);
    },
  },
};

interface Lost {
  readonly scope: string;
  /** Undefined: every key of the scope. */
  readonly key: string | undefined;
  readonly how: string;
  /** The attempt whose end it comes with, if it does. */
  readonly by?: number | undefined;
}

function reportLost(
  symptom: Symptom,
  { scope, key, how, by }: Lost,
  jobs: JobFacts,
  report: Report,
): void {
  const task = jobs.taskOfScope.get(scope);
  if (task === undefined) return;
  for (const job of jobs.of(task)) {
    const keys = jobs.keysOf(job);
    const isLast = key === undefined ? keys.size > 0 : keys.has(key) && keys.size === 1;
    if (!isLast || !isOwed(job) || jobs.isHiddenFrom(by, job)) continue;
    report(symptom, `the id of job ${job.job} ${how} while the job is running`, task);
  }
}

function isOwed({ state, isForgotten, cancelledBy }: JobFact): boolean {
  return state === "live" && !isForgotten && cancelledBy.size === 0;
}
