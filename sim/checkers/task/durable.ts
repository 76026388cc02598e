import type { Checker } from "../checker.ts";
import type { TaskFacts } from "./task-facts.ts";

/**
 * R-durable: `durable: false` is a promise of its own. The operator leaves the store alone, and each
 * attempt runs a job of its own: what a crash or a retry leaves running is no reason to wait, and
 * so nothing else that is promised of the recorded job is owed (R-I1 to R-I5).
 */
export const undurableLeavesTheStore: Checker<TaskFacts> = {
  id: "R-durable",
  promise: "an operator that is not durable neither stores nor reads an id, and submits once",
  on: {
    "state-set"({ scope, key, value, attempt }, { jobs }, report) {
      const task = jobs.taskOfScope.get(scope);
      if (task === undefined || jobs.isDurable(attempt)) return;
      const job = jobs.of(task).find((one) => jobs.isNamed(one, { key, value }));
      if (job === undefined) return;
      const what = `attempt ${attempt}, which is not durable, stores the id of job ${job.job}`;
      report("undurable-stored", what, task);
    },
    "state-got"({ scope, key, value, attempt }, { jobs }, report) {
      const task = jobs.taskOfScope.get(scope);
      if (task === undefined || jobs.isDurable(attempt)) return;
      const isOfJob = jobs
        .of(task)
        .some((one) => value !== null && jobs.isNamed(one, { key, value }));
      const { idKey = key } = jobs.attempt(attempt) ?? {};
      // What else it keeps in its state, such as its progress, is its own affair.
      if (!isOfJob && key !== idKey) return;
      report("undurable-read", `attempt ${attempt}, which is not durable, reads "${key}"`, task);
    },
    "job-accepted"({ job, task, attempt, isCopy }, { jobs }, report) {
      if (isCopy === true || jobs.isDurable(attempt)) return;
      const { keys = [], isSubmitFailed } = jobs.attempt(attempt) ?? {};
      // A submit whose reply got lost, or a job that has failed, is a reason for another.
      if (isSubmitFailed === true) return;
      const earlier = jobs.of(task).filter(({ attempt: by, state }) => {
        return by === attempt && (state === "live" || state === "success");
      });
      const [first] = earlier;
      if (first === undefined || earlier.length < keys.length) return;
      const what = `attempt ${attempt} submits job ${job} after its job ${first.job}`;
      report("undurable-submitted-again", what, task);
    },
  },
};
