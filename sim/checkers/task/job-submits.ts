import type { Checker } from "../checker.ts";
import type { Symptom } from "../symptom.ts";
import type { JobFact } from "./job-fact.ts";
import type { JobFacts } from "./job-facts.ts";
import type { TaskFacts } from "./task-facts.ts";

type TaskChecker = Checker<TaskFacts>;

/**
 * R-I1: each job after the first has its reason. Why one is excused: (1) The job before it ended
 * without success, or its system forgot it. (2) Or its id never reached its submitter, or was sent
 * to the store in the instant in which it did: the window, which no attempt leaves of its own
 * accord. (3) Or somebody cleared its id, but not the task itself when the job had succeeded. (4)
 * Or a replica that lagged kept the id from its task, or a fail-over lost it. (5) Or its system
 * gave it no id, and the operator stored none of its own. A checkpoint's id reaches the attempt
 * that goes on after it, wherever else it got lost. An id that expired under a running job is no
 * excuse: it was to be kept longer. And where the system would have recognised the second submit
 * as a repetition of the first, it must carry the same key. Nor may a copy of the call begin a
 * second job there: (1) an operator submits without a key; (2) the network sends the call a second
 * time; (3) the system accepts two jobs. Where a system knows no keys, nobody could have prevented
 * that.
 */
export const duplicatesHaveTheirReason: TaskChecker = {
  id: "R-I1",
  promise:
    "a task's job is submitted again only after a failure, a crash in the window, or a clear",
  on: {
    "job-accepted"({ job: number, task, key, attempt, isCopy }, facts, report) {
      const { jobs, tasks } = facts;
      if (!jobs.isDurable(attempt)) return;
      // Of another run, beside which this one runs, the jobs are there, and nothing that it did.
      if (attempt === 0 && tasks.get(task)?.attempts[0] === undefined) return;
      if (isCopy === true) {
        if (jobs.system.idempotency === "none" || key !== "") return;
        const what = `a copy of a submit begins job ${number} of ${task}`;
        report("copied-without-key", `${what}: it has no key, by which it would be known`, task);
        return;
      }
      for (const earlier of jobs.beside(task, attempt)) {
        if (!jobs.isDurable(earlier.attempt)) continue;
        const isHidden = jobs.isHiddenFrom(attempt, earlier);
        const objection = objectionTo(earlier, { key, attempt, isHidden }, facts);
        if (objection === undefined) continue;
        const { symptom = "submitted-twice", why } = objection;
        const what = `job ${number} of ${task} is submitted beside job ${earlier.job}`;
        report(symptom, `${what}: ${why}`, task);
      }
    },
  },
};

/** How an attempt ends that lets go of its worker and will be back. */
const DEPARTURES: readonly string[] = ["deferred", "rescheduled"];

interface Objection {
  readonly symptom?: Symptom;
  readonly why: string;
}

/** Why a second job is not excused; undefined when it is. */
function objectionTo(
  earlier: JobFact,
  by: { readonly key: string; readonly attempt: number; readonly isHidden: boolean },
  { jobs, attempts }: TaskFacts,
): Objection | undefined {
  const { key, isHidden } = by;
  const { state, attempt, isForgotten, idReach, thrownAwayBy } = earlier;
  if (state !== "live" && state !== "success") return undefined;
  if (earlier.wasRecorded) {
    if (isForgotten || earlier.isCleared || isHidden) return undefined;
    if (earlier.isHidden && !earlier.isRecorded) return undefined;
    if (thrownAwayBy !== undefined) {
      if (thrownAwayBy === by.attempt) return undefined;
      return { why: `it has succeeded, and attempt ${thrownAwayBy} deleted its id` };
    }
    return {
      why: `its id was stored, and it ${state === "live" ? "is running" : "has succeeded"}`,
    };
  }
  // Of several at once another may have submitted it, which has keys of its own.
  const areAtOnce = jobs.attempt(by.attempt)?.areAtOnce === true;
  if (
    !areAtOnce &&
    isRecognisable(earlier, by.attempt, jobs) &&
    key !== "" &&
    earlier.key !== key
  ) {
    const why = `another key ("${key}", before it "${earlier.key}") hides that it is the same`;
    return { symptom: "submitted-with-other-key", why };
  }
  if (idReach === "attempt" || idReach === "sent-late") {
    return { why: `attempt ${attempt} knew its id and did not store it at once` };
  }
  if (isForgotten) return undefined;
  const how = attempts.get(attempt)?.ended ?? "";
  if (how === "failed" && isLeftUnstored(earlier, jobs)) {
    return { why: `attempt ${attempt} knew its id, and failed before it stored it` };
  }
  if (idReach === "sent" && DEPARTURES.includes(how)) {
    return { why: `attempt ${attempt} left, ${how}, before its id was stored` };
  }
  if (jobs.checkpoints.isNamedTo(by.attempt, earlier)) {
    return { why: `attempt ${by.attempt} goes on after a checkpoint, which has its id` };
  }
  const resumed = resumedWithoutStoring(earlier, jobs);
  if (resumed !== undefined) {
    return {
      why: `attempt ${resumed} went on with it after a checkpoint, and did not store its id`,
    };
  }
  // Of several at once another may have asked, by an id that the system gave out again.
  if (!earlier.askedBy.has(attempt) || jobs.attempt(attempt)?.areAtOnce === true) return undefined;
  return { why: `attempt ${attempt} polled it, and its id was not in the store` };
}

/**
 * Whether its submitter knew of a job, one of several at once, and neither stored nor cancelled it:
 * (1) it submits the first job, and keeps the id in mind; (2) its submit of the second one fails;
 * (3) it gives up, and nobody finds the first job any more.
 */
function isLeftUnstored(job: JobFact, jobs: JobFacts): boolean {
  if (!job.isKnownAtOnce || job.sentBy.size > 0 || job.cancelledBy.size > 0) return false;
  return jobs.attempt(job.attempt)?.cancelsFailed === 0;
}

/**
 * The attempt that a checkpoint gave the id, and that polled the job, or left it to a trigger,
 * without sending it to the store. A checkpoint ends with the first attempt of it that fails: (1)
 * the id never reaches the store, and the task is asked to stop; (2) the next attempt gets the id
 * from the checkpoint, and polls; (3) it fails; (4) the one after it finds nothing, and submits a
 * second job.
 */
function resumedWithoutStoring(earlier: JobFact, jobs: JobFacts): number | undefined {
  const resumed = [...earlier.polledBy].filter(
    (number) => jobs.attempt(number)?.isResumed === true,
  );
  return [...resumed, ...jobs.checkpoints.deferredWith(earlier)].find(
    (number) => !earlier.sentBy.has(number),
  );
}

/**
 * Whether the system would return this job to an attempt that repeats its submit. An attempt that
 * lacks the checkpoint of the one that submitted it does not know which job it has replaced.
 */
function isRecognisable(job: JobFact, attempt: number, jobs: JobFacts): boolean {
  const { idempotency, knowsEnded } = jobs.system;
  if (idempotency === "none" || job.key === "" || job.isForgotten) return false;
  const { checkpoints } = jobs;
  if (checkpoints.idOf(job.attempt) !== checkpoints.idOf(attempt)) return false;
  if (job.replaces !== jobs.recordedOf(job.task, job.use)) return false;
  return job.state === "live" || idempotency === "conflict-409" || knowsEnded;
}

/** R-I3: no second job while the recorded one may run. What is not known of it is R-I5's matter. */
export const recordedJobIsNotDoubled: TaskChecker = {
  id: "R-I3",
  promise: "nothing is submitted while the recorded job is running",
  on: {
    "job-accepted"({ task, attempt, isCopy }, { jobs }, report) {
      if (isCopy === true || isLeftUnknown(attempt, jobs) || !jobs.isDurable(attempt)) return;
      for (const job of jobs.beside(task, attempt)) {
        if (job.state !== "live" || !job.isRecorded) continue;
        if (jobs.isHiddenFrom(attempt, job)) continue;
        const told = lastReplyOf(attempt, jobs);
        report(
          "submitted-beside-live",
          `${task} submits while its recorded job ${job.job} is running; ${told}${madeUp(job)}`,
          task,
        );
      }
    },
  },
};

/**
 * R-I4: a job that succeeded is not run again. Where finished jobs are deleted as a matter of
 * course, an operator that polled one to its end has to remember that it succeeded.
 */
export const succeededJobIsNotRunAgain: TaskChecker = {
  id: "R-I4",
  promise: "nothing is submitted when the recorded job has succeeded",
  on: {
    "job-accepted"({ task, attempt, isCopy }, { jobs }, report) {
      if (isCopy === true || !jobs.isDurable(attempt)) return;
      for (const job of jobs.beside(task, attempt)) {
        if (job.state !== "success" || !job.isRecorded) continue;
        if (jobs.isHiddenFrom(attempt, job)) continue;
        // A fail-over may have lost the note that it succeeded.
        const isToBeRemembered = jobs.system.deletesEnded && job.isPolledThrough && !job.isHidden;
        if (job.isForgotten && !isToBeRemembered) continue;
        report(
          "submitted-after-success",
          `${task} submits although its recorded job ${job.job} has succeeded`,
          task,
        );
      }
    },
  },
};

/**
 * R-I5: an attempt submits beside a recorded job only after a reply that the job has ended. It need
 * not ask again where an earlier attempt was told so and stored it: (1) an attempt is told that its
 * job has failed; (2) it stores the status beside the id; (3) the next attempt reads both.
 */
export const unknownIsNotTerminal: TaskChecker = {
  id: "R-I5",
  promise: "a recorded job counts as ended only by a status that says so",
  on: {
    "job-accepted"({ task, attempt, isCopy }, { jobs }, report) {
      if (isCopy === true) return;
      const recorded = jobs
        .beside(task, attempt)
        .filter((job) => job.isRecorded && !job.isForgotten && !jobs.isHiddenFrom(attempt, job));
      const { lastReply, hasStatus } = jobs.attempt(attempt) ?? {};
      const isAsked =
        lastReply !== undefined ||
        hasStatus === true ||
        recorded.some(({ askedBy, notedBy }) => askedBy.has(attempt) || notedBy.has(attempt));
      const who = `attempt ${attempt} of ${task}`;
      if (recorded.length === 0 || !jobs.isDurable(attempt)) return;
      if (!isAsked) {
        report("submitted-unasked", `${who} submits and never asked for the recorded job`, task);
      } else if (recorded.some(({ state }) => state === "live") && isLeftUnknown(attempt, jobs)) {
        report(
          "submitted-beside-unknown",
          `${who} submits beside the recorded job; ${lastReplyOf(attempt, jobs)}`,
          task,
        );
      }
    },
  },
};

/** What is to be said of a recorded job whose system gave it no id. */
function madeUp({ id }: JobFact): string {
  return id === "" ? "; the id that is stored was none of the system's, which gave no id" : "";
}

/** Whether the last lookup of an attempt failed, or brought a status that says nothing. */
function isLeftUnknown(attempt: number, jobs: JobFacts): boolean {
  const reply = jobs.attempt(attempt)?.lastReply;
  if (reply === undefined) return false;
  if (reply.error !== "") return reply.error !== NOT_FOUND;
  return jobs.system.unmapped.includes(reply.word);
}

/** The error by which the system says that there is no such job. */
const NOT_FOUND = "JobNotFound";

function lastReplyOf(attempt: number, jobs: JobFacts): string {
  const reply = jobs.attempt(attempt)?.lastReply;
  if (reply === undefined) return "it never looked";
  if (reply.error !== "") return `its last lookup failed with ${reply.error}`;
  return reply.word === ""
    ? "its last lookup found nothing"
    : `its last lookup found "${reply.word}"`;
}
