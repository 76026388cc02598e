import type { Checker, Report } from "./checker.ts";
import type { JobFact } from "./job-facts.ts";
import { names } from "./job-names.ts";
import type { AttemptFact, TaskFacts } from "./task-facts.ts";

type TaskChecker = Checker<TaskFacts>;

/**
 * R-I1: each job after the first has its reason. Why one is excused:
 * (1) The job before it ended without success, or its system forgot it. (2) Or its submitter was
 * gone before the id was in the store, without ever asking for the job: the window. (3) Or somebody
 * cleared its id. An id that expired under a running job is no excuse: it was to be kept longer.
 */
export const duplicatesHaveTheirReason: TaskChecker = {
  id: "R-I1",
  promise:
    "a task's job is submitted again only after a failure, a crash in the window, or a clear",
  on: {
    "job-accepted"({ task }, { jobs, attempts }, report) {
      for (const job of jobs.of(task)) {
        if (isExcused(job, attempts.get(job.attempt))) continue;
        report(`${task} submits again beside job ${job.job} (${job.state})`, task);
      }
    },
  },
};

function isExcused(job: JobFact, attempt: AttemptFact | undefined): boolean {
  if (job.isForgotten || (job.state !== "live" && job.state !== "success")) return true;
  if (job.wasRecorded) return job.isCleared;
  return attempt?.ended !== undefined && !job.askedBy.has(job.attempt);
}

/** R-I2: an id is in the store before anybody waits for its job. */
export const idIsStoredBeforeThePoll: TaskChecker = {
  id: "R-I2",
  promise: "a job's id is in the store before its submitter polls it",
  on: {
    "job-status"({ job: number }, { jobs }, report) {
      const job = jobs.jobs.get(number);
      if (job === undefined || job.wasRecorded || job.attempt !== jobs.caller) return;
      report(`attempt ${job.attempt} polls job ${job.job}, whose id is not in the store`, job.task);
    },
  },
};

/** R-I3: no second job while the recorded one may run. */
export const recordedJobIsNotDoubled: TaskChecker = {
  id: "R-I3",
  promise: "nothing is submitted while the recorded job is running",
  on: {
    "job-accepted"({ task }, { jobs }, report) {
      for (const job of jobs.of(task)) {
        if (job.state !== "live" || !job.isRecorded) continue;
        report(`${task} submits while its recorded job ${job.job} is running`, task);
      }
    },
  },
};

/** R-I4: a job that succeeded is not run again. */
export const succeededJobIsNotRunAgain: TaskChecker = {
  id: "R-I4",
  promise: "nothing is submitted when the recorded job has succeeded",
  on: {
    "job-accepted"({ task }, { jobs }, report) {
      for (const job of jobs.of(task)) {
        if (job.state !== "success" || !job.isRecorded || job.isForgotten) continue;
        report(`${task} submits although its recorded job ${job.job} has succeeded`, task);
      }
    },
  },
};

/** R-I5: who submits beside a recorded job has asked for it, and was answered. */
export const unknownIsNotTerminal: TaskChecker = {
  id: "R-I5",
  promise: "an attempt submits beside a recorded job only after the job's status was answered",
  on: {
    "job-accepted"({ task }, { jobs }, report) {
      const recorded = jobs.of(task).filter((job) => job.isRecorded && !job.isForgotten);
      if (recorded.length === 0 || recorded.some(({ askedBy }) => askedBy.has(jobs.caller))) return;
      report(
        `attempt ${jobs.caller} of ${task} submits and never asked for the recorded job`,
        task,
      );
    },
  },
};

/** R-I6: the stored id is that of the newest job. */
export const storedIdIsTheNewest: TaskChecker = {
  id: "R-I6",
  promise: "an id that is stored names the newest job that its attempt submitted",
  on: {
    "state-set"({ scope, value, attempt }, facts, report) {
      const task = facts.taskOfScope.get(scope);
      if (task === undefined) return;
      const jobs = facts.jobs.of(task);
      const named = jobs.find((job) => names(value, job));
      const own = jobs.findLast((job) => job.attempt === attempt);
      if (named === undefined || own === undefined || names(value, own)) return;
      report(`attempt ${attempt} stores job ${named.job}, and submitted job ${own.job}`, task);
    },
  },
};

/** R-I14: a kill keeps or cancels the job as its category demands. */
export const killsDecideRightly: TaskChecker = {
  id: "R-I14",
  promise: "an infrastructure kill keeps the job, a timeout and a user cancel it",
  on: {
    "attempt-ended"({ attempt, task, outcome, error }, facts, report) {
      const category = facts.attempts.get(attempt)?.killed;
      if (category === undefined || error !== "") return;
      if (outcome !== "killed" && outcome !== "checkpointed") return;
      for (const job of facts.jobs.of(task)) {
        if (job.state === "live") judgeKill(category, attempt, job, report);
      }
    },
  },
};

function judgeKill(category: string, attempt: number, job: JobFact, report: Report): void {
  const cancelled = job.cancelledBy.has(attempt);
  if (category === "infrastructure") {
    if (cancelled) report(`an infrastructure kill cancelled job ${job.job}`, job.task);
  } else if (!cancelled && job.askedBy.has(attempt)) {
    report(`a ${category} kill left job ${job.job} running`, job.task);
  }
}

/** R-I15: what was counted adds up, attempt by attempt. */
export const countersReconcile: TaskChecker = {
  id: "R-I15",
  promise: "an attempt counts one decision, and submits only after it counted one that does",
  on: {
    "job-accepted"({ task }, facts, report) {
      const counters = facts.countersOf(facts.jobs.caller);
      if (counters.length === 0 || counters.some((counter) => SUBMITTING.has(counter))) return;
      report(`${task} submits after counting ${counters.join(", ")}`, task);
    },
    "resume-counted"({ attempt, counter }, facts, report) {
      const counted = [...facts.countersOf(attempt), counter].join(", ");
      if (!COUNTED.has(counted)) report(`attempt ${attempt} counts ${counted}`);
    },
  },
};

const SUBMITTING: ReadonlySet<string> = new Set(["fresh_submit", "terminal_resubmit"]);

/** All that an attempt may count, in this order (spec B60, B61). */
const COUNTED: ReadonlySet<string> = new Set([
  "fresh_submit",
  "reconnect_attempt",
  "reconnect_attempt, reconnect_success",
  "reconnect_attempt, already_succeeded",
  "reconnect_attempt, terminal_resubmit",
]);

/** So many looks find out that an id has become somebody else's; who goes on looking polls. */
const LOOKS_MAX = 3;

/**
 * R-I19: a task polls its own jobs. Why a look at a stranger's may be innocent: (1) A server forgets
 * its jobs in a restart and counts ids from the beginning again. (2) The stored id is now another
 * task's job. (3) That can be told only by looking.
 */
export function polledJobIsTheOwn(): TaskChecker {
  const looks = new Map<string, number>();
  return {
    id: "R-I19",
    promise: "the job that a task polls, reads or cancels is one that it submitted",
    on: {
      "job-status"({ job }, facts, report) {
        const look = `${facts.jobs.caller} ${job}`;
        const times = (looks.get(look) ?? 0) + 1;
        looks.set(look, times);
        if (times > LOOKS_MAX) reportStranger("polls", job, facts, report);
      },
      "job-result"({ job }, facts, report) {
        reportStranger("takes the result of", job, facts, report);
      },
      "job-cancel-asked"({ job }, facts, report) {
        reportStranger("cancels", job, facts, report);
      },
    },
  };
}

function reportStranger(
  does: string,
  number: number,
  { jobs, attempts }: TaskFacts,
  report: Report,
): void {
  const job = jobs.jobs.get(number);
  const task = attempts.get(jobs.caller)?.task;
  if (job === undefined || task === undefined || job.task === task) return;
  report(`${task} ${does} job ${job.job}, which is ${job.task}'s`, task);
}

/** R-I20: a crash does not change a task's result. */
export const crashesDoNotChangeResults: TaskChecker = {
  id: "R-I20",
  promise: "a task succeeds with the output of a job of its own that succeeded",
  on: {
    "task-state"({ task, state, result }, { jobs }, report) {
      const own = jobs.of(task);
      if (state !== "success" || own.length === 0) return;
      const expected = JSON.stringify(`output of ${task}`);
      if (!own.some((job) => job.state === "success")) {
        report(`${task} succeeded, and no job of it did`, task);
      } else if (result !== expected) {
        report(`${task} succeeded with ${result} instead of ${expected}`, task);
      }
    },
  },
};

/** R-orphans: when all has come to rest no job runs that nobody waits for. */
export const nothingIsOrphaned: TaskChecker = {
  id: "R-orphans",
  promise: "no job is left running when all has come to rest",
  onEnd({ jobs }, report) {
    for (const job of jobs.jobs.values()) {
      if (job.state === "live") report(`job ${job.job} of ${job.task} is still running`, job.task);
    }
  },
};
