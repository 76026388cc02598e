import type { Checker, Report } from "../checker.ts";
import type { Symptom } from "../symptom.ts";
import type { JobFact } from "./job-fact.ts";
import type { JobFacts } from "./job-facts.ts";
import type { TaskFacts } from "./task-facts.ts";

type TaskChecker = Checker<TaskFacts>;

/**
 * R-I2: an id is in the store before anybody waits for its job. Where the system gave none, there
 * is nothing to store; nor where what is stored is enough to name the job: (1) an operator stores
 * how many jobs it has begun; (2) it makes the name of the next one of that number; (3) a submit
 * that comes again is recognised by the name.
 */
export const idIsStoredBeforeThePoll: TaskChecker = {
  id: "R-I2",
  promise: "a job's id is in the store before its submitter polls it",
  on: {
    "job-status"({ job: number, attempt }, { jobs }, report) {
      const job = jobs.jobs.get(number);
      if (job === undefined || job.wasRecorded || job.idReach !== "attempt") return;
      if (job.isForeseen) return;
      if (!jobs.isDurable(attempt)) return;
      if (jobs.attempt(attempt)?.submitted !== job) return;
      report(
        "polled-unstored",
        `attempt ${attempt} polls job ${job.job}, whose id is not in the store`,
        job.task,
      );
    },
    "method-called"({ attempt, method }, { jobs }, report) {
      const task = jobs.attempt(attempt)?.task;
      if (method !== "pollUntilComplete" || task === undefined) return;
      if (!jobs.isDurable(attempt)) return;
      if (jobs.attempt(attempt)?.areAtOnce === true) return;
      if (jobs.recordedOf(task, jobs.useOf(attempt)) !== undefined) return;
      // A fail-over between the write or the read of the id and the poll.
      const { submitted, read, hasUnknownId } = jobs.attempt(attempt) ?? {};
      if (submitted?.isHidden === true || read?.job.isHidden === true) return;
      if (submitted?.id === "") return;
      if (jobs.of(task).at(-1)?.isForeseen === true) return;
      // It has no job, and another's id: that is R-I19's to say.
      if (hasUnknownId === true && jobs.of(task).length === 0) return;
      report("polled-without-id", `attempt ${attempt} polls, and the store holds no id`, task);
    },
  },
};

/** R-I6: the stored id is that of the newest job. */
export const storedIdIsTheNewest: TaskChecker = {
  id: "R-I6",
  promise: "an id that is stored names the newest job that its attempt submitted",
  on: {
    "state-set"({ scope, key, value, attempt }, { jobs }, report) {
      const task = jobs.taskOfScope.get(scope);
      const { submitted: own, areAtOnce } = jobs.attempt(attempt) ?? {};
      // Of several at once the newest is another's as a rule.
      if (task === undefined || own === undefined || areAtOnce === true) return;
      const entry = { key, value };
      const named = jobs.of(task).findLast((job) => jobs.isNamed(job, entry));
      if (named === undefined || jobs.isNamed(own, entry)) return;
      report(
        "stored-wrong-id",
        `attempt ${attempt} stores job ${named.job}, and submitted job ${own.job}`,
        task,
      );
    },
  },
};

/**
 * R-I14: a kill keeps or cancels the job as its category demands; only a kill cancels. A job whose
 * system gave it no id cannot be named in a cancel. An operator that is not durable may cancel when
 * the infrastructure kills it: no later attempt would find the job that it keeps.
 */
export const killsDecideRightly: TaskChecker = {
  id: "R-I14",
  promise: "a timeout and a user cancel the job; the infrastructure, and an error, keep it",
  on: {
    "job-cancel-asked"({ job: number, attempt }, { jobs, attempts, tasks }, report) {
      const job = jobs.jobs.get(number);
      const fact = attempts.get(attempt);
      // A trigger calls as no attempt; its triggerer is stopped while its task is deferred.
      const task = tasks.get(job?.task ?? "");
      const last = task?.attempts.at(-1);
      const isWaiting = attempt === 0 && task?.state === "deferred";
      if (job?.state === "live" && isWaiting && last?.isTriggererStopped === true) {
        report(
          "cancelled-by-infrastructure",
          `the trigger of attempt ${last.attempt}, whose triggerer is stopped, cancels job ${number}`,
          job.task,
        );
      }
      const isEnded = task === undefined || task.clears > 0 || task.isStopped;
      if (job?.state === "live" && attempt === 0 && !isEnded && last?.isTriggererStopped !== true) {
        const what = `a trigger cancels job ${number}, and no user has ended ${job.task}`;
        report("cancelled-unkilled", what, job.task);
      }
      if (job?.state !== "live" || fact === undefined || job.task !== fact.task) return;
      if (fact.killed === "infrastructure") {
        if (!jobs.isDurable(attempt)) return;
        report(
          "cancelled-by-infrastructure",
          `attempt ${attempt}, killed by the infrastructure, cancels job ${number}`,
          job.task,
        );
      } else if (fact.killed === undefined && job.isRecorded) {
        report(
          "cancelled-unkilled",
          `attempt ${attempt} cancels job ${number}, and nobody has killed it`,
          job.task,
        );
      }
    },
    "attempt-ended"({ attempt, task, outcome, error }, { jobs, attempts }, report) {
      const category = attempts.get(attempt)?.killed;
      const { cancelsFailed = 0 } = jobs.attempt(attempt) ?? {};
      if (category === undefined || category === "infrastructure" || error !== "") return;
      if (outcome !== "killed" && outcome !== "checkpointed") return;
      const known = outcome === "checkpointed" ? checkpointedBy(attempt, jobs) : [];
      const left = [...new Set([...attendedBy(attempt, jobs), ...known])].filter(
        ({ state, id, cancelledBy }) => state === "live" && id !== "" && cancelledBy.size === 0,
      );
      // A cancel that failed leaves one of them, whichever that is.
      for (const job of left.slice(cancelsFailed)) {
        report(
          "left-running",
          `${category === "unknown" ? "an" : "a"} ${category} kill of attempt ${attempt} left job ${job.job} running`,
          task,
        );
      }
    },
  },
};

/**
 * The job that an attempt submitted, where its checkpoint shows that it has its id: (1) the system
 * replies with the id; (2) the write of it to the store takes a while; (3) a user ends the task;
 * (4) the operator leaves the job to a next attempt, which never comes.
 */
function checkpointedBy(number: number, jobs: JobFacts): readonly JobFact[] {
  const { submitted, areAtOnce } = jobs.attempt(number) ?? {};
  if (submitted === undefined || areAtOnce === true) return [];
  return submitted.idReach === "system" ? [] : [submitted];
}

/** So often may a decision look at a job: whoever looks at it once more waits for it. */
const LOOKS_OF_A_DECISION = 3;

/**
 * The jobs that an attempt is known to wait for. Where its operator runs several at once, these are
 * all that it submitted and then looked at, or stored and went on to the next.
 */
function attendedBy(number: number, jobs: JobFacts): readonly JobFact[] {
  const attempt = jobs.attempt(number);
  if (attempt?.areAtOnce === true) {
    return jobs
      .of(attempt.task)
      .filter((job) => job.attempt === number && (job.askedBy.has(number) || job.isPassed));
  }
  const job = theOneAttendedBy(number, jobs);
  return job === undefined ? [] : [job];
}

/**
 * The job that an attempt is known to wait for. Where its operator calls the mixin itself, so that
 * its methods are not traced, that is the job that it submitted and then looked at, or the one
 * whose id it read and that it goes on looking at.
 */
function theOneAttendedBy(number: number, jobs: JobFacts): JobFact | undefined {
  const attempt = jobs.attempt(number);
  if (attempt === undefined || attempt.isObserved) return attempt?.polled;
  const { submitted, read, looks } = attempt;
  if (submitted !== undefined) return submitted.askedBy.has(number) ? submitted : undefined;
  if (read?.job.polledBy.has(number) !== true) return undefined;
  const own = looks.filter(({ job }) => job === read.job.job);
  return own.length > LOOKS_OF_A_DECISION ? read.job : undefined;
}

/** R-I15: the counters add up, attempt by attempt. */
export const countersReconcile: TaskChecker = {
  id: "R-I15",
  promise:
    "a use of the mixin counts one decision, and submits only after it counted one that does",
  on: {
    "job-accepted"({ task, attempt, isCopy }, facts, report) {
      if (isCopy === true) return;
      const counters = facts.countersOf(attempt);
      if (counters.length === 0 || counters.some((counter) => SUBMITTING.has(counter))) return;
      report(
        "submitted-after-counting",
        `${task} submits after counting ${counters.join(", ")}`,
        task,
      );
    },
    "resume-counted"({ attempt, counter }, facts, report) {
      const counted = [...facts.countersBefore(attempt), counter].join(", ");
      if (!COUNTED.has(counted)) report("counted-wrongly", `attempt ${attempt} counts ${counted}`);
    },
  },
};

const SUBMITTING: ReadonlySet<string> = new Set(["fresh_submit", "terminal_resubmit"]);

/** All that an attempt may count, in this order (B60, B61). */
const COUNTED: ReadonlySet<string> = new Set([
  "fresh_submit",
  "reconnect_attempt",
  "reconnect_attempt, reconnect_success",
  "reconnect_attempt, already_succeeded",
  "reconnect_attempt, terminal_resubmit",
]);

/** A poll that finds another task's job so often in a row takes it for its own. */
const FOREIGN_LOOKS_MAX = 6;

/**
 * R-I19: a task polls its own jobs. A request for another's may be innocent: (1) A server forgets
 * its jobs in a restart and counts ids from the beginning again. (2) The stored id is now another
 * task's job. (3) The operator can find that out only by a status request.
 */
export const polledJobIsTheOwn: TaskChecker = {
  id: "R-I19",
  promise: "the job that a task polls, reads or cancels is one that it submitted",
  on: {
    "job-status"({ job, by, attempt }, { jobs }, report) {
      const { isPolling, looks = [] } = jobs.attempt(attempt) ?? {};
      const task = jobs.jobs.get(job)?.task;
      if (isPolling !== true || task === undefined || task === by) return;
      const before = looks.slice(1 - FOREIGN_LOOKS_MAX);
      if (before.length < FOREIGN_LOOKS_MAX - 1 || !before.every(({ isForeign }) => isForeign))
        return;
      reportForeign("polled-foreign-job", { task: by, does: "polls", number: job }, jobs, report);
    },
    "method-returned"({ attempt, method }, { jobs }, report) {
      const { task, looks } = jobs.attempt(attempt) ?? {};
      const last = looks?.at(-1);
      if (method !== "pollUntilComplete" || task === undefined || last?.isForeign !== true) return;
      const act = { task, does: "ends its poll by", number: last.job };
      reportForeign("ended-poll-by-foreign-job", act, jobs, report);
    },
    "status-believed"({ attempt, status }, { jobs }, report) {
      const { task, foreignStatus: foreign } = jobs.attempt(attempt) ?? {};
      if (task === undefined || foreign?.status !== status) return;
      const does = `believes the status "${status}" of`;
      reportForeign("believed-foreign-status", { task, does, number: foreign.job }, jobs, report);
    },
    "job-result"({ job, by }, { jobs }, report) {
      const act = { task: by, does: "takes the result of", number: job };
      reportForeign("took-foreign-result", act, jobs, report);
    },
    "job-cancel-asked"({ job, by }, { jobs }, report) {
      const act = { task: by, does: "cancels", number: job };
      reportForeign("cancelled-foreign-job", act, jobs, report);
    },
  },
};

function reportForeign(
  symptom: Symptom,
  { task, does, number }: { readonly task: string; readonly does: string; readonly number: number },
  jobs: JobFacts,
  report: Report,
): void {
  const job = jobs.jobs.get(number);
  if (job === undefined || job.task === task) return;
  report(symptom, `${task} ${does} job ${number}, which is ${job.task}'s`, task);
}

/** R-I20: a crash does not change a task's result. */
export const crashesDoNotChangeResults: TaskChecker = {
  id: "R-I20",
  promise: "a task succeeds with the result that it has without faults, and by a job of its own",
  on: {
    "task-state"({ task, state, result }, { jobs, expectedResults }, report) {
      if (state !== "success" || !expectedResults.has(task)) return;
      const expected = expectedResults.get(task);
      if (!jobs.of(task).some((job) => job.state === "success")) {
        report("succeeded-without-job", `${task} succeeded, and no job of it did`, task);
      } else if (expected !== undefined && result !== expected) {
        report("wrong-result", `${task} succeeded with ${result} instead of ${expected}`, task);
      }
    },
  },
};

/** R-orphans: at the end no job runs that no task waits for. */
export const nothingIsOrphaned: TaskChecker = {
  id: "R-orphans",
  promise: "no job is left running when all has come to rest",
  onEnd({ jobs }, report) {
    for (const { job, task } of jobs.live)
      report("still-running", `job ${job} of ${task} is still running`, task);
  },
};
