import type { Checker } from "../checker.ts";
import type { JobFact } from "./job-fact.ts";
import type { TaskFacts } from "./task-facts.ts";

/** Whose operators decide how to go on: those of the kit, or one that its user wrote. */
export type OperatorsOf = "kit" | "user";

/**
 * R-uses: an operator that runs several jobs with the mixin has a key and a job for each.
 *
 * Where two uses share a key, the second one finds the job of the first, takes it for its own, and
 * what it was to do is never done; the task succeeds nevertheless.
 *
 * An operator of a user may call the mixin again: (1) its poll fails; (2) it catches that, and
 * waits a little; (3) it begins anew, and so it decides again under the same key. Where nothing
 * befalls the run it has no reason to.
 *
 * An operator that calls `resumeOrSubmit` itself has no traced decisions. Where nothing befalls
 * it, its second use shows in what it does with a job that it has submitted and is done with: (1)
 * it takes the result; (2) it reads the id from the store; (3) it looks at the job; (4) it takes
 * the same result again.
 *
 * Two uses may share the key by which the system knows a submit again: (1) an attempt submits a job
 * of one type; (2) it submits one of another type by the same key; (3) the system returns the first
 * one, and the other is never run.
 */
export function usesAreApart(operatorsOf: OperatorsOf = "kit"): Checker<TaskFacts> {
  const calm = new Set<string>();
  const again = new AgainFromTheStore();
  return {
    id: "R-uses",
    promise:
      "each use of the mixin decides once an attempt, under its own key, and has its own job",
    on: {
      "result-expected": ({ task, isCalm }) => void (isCalm === true && calm.add(task)),
      "resume-decided"({ attempt, key }, { jobs }, report) {
        const { keys = [], decided = [], task = "" } = jobs.attempt(attempt) ?? {};
        if (operatorsOf === "user" && !calm.has(task)) return;
        const who = `attempt ${attempt}`;
        if (keys.length === 0 ? decided.length > 0 : decided.includes(key)) {
          report("decided-twice", `${who} decides again how to go on with "${key}"`, task);
        } else if (keys.length > 0 && !keys.includes(key)) {
          report(
            "decided-under-other-key",
            `${who} decides by "${key}", which it has no use for`,
            task,
          );
        }
      },
      "state-got"({ attempt: number, key, value }, { jobs }) {
        const { task = "" } = jobs.attempt(number) ?? {};
        if (value === null || !calm.has(task)) return;
        const read = jobs.of(task).findLast((job) => jobs.isNamed(job, { key, value }));
        if (read?.attempt === number) again.read(read, key);
      },
      "job-deduplicated"({ job, task, key, attempt, isOtherType }, { jobs }, report) {
        if (isOtherType !== true || jobs.jobs.get(job)?.task !== task) return;
        const what = `attempt ${attempt} submits another type of job by the key of job ${job}`;
        report("use-without-job", `${what} ("${key}"), which it gets in its place`, task);
      },
      "job-status": ({ job, attempt }) => again.look(job, attempt),
      "job-result"({ job: number, attempt }, { jobs }, report) {
        const job = jobs.jobs.get(number);
        if (job?.attempt !== attempt) return;
        const key = again.fetch(job);
        if (key === undefined) return;
        const what = `attempt ${attempt} has the result of its job ${number}`;
        report("decided-twice", `${what}, and goes on with it once more, by "${key}"`, job.task);
      },
      "state-set"({ attempt: number, key, value }, { jobs }, report) {
        const { keys = [], submitted: job } = jobs.attempt(number) ?? {};
        if (job === undefined || job.use === key || !keys.includes(key)) return;
        if (!jobs.isNamed(job, { key, value })) return;
        const what = `attempt ${number} stores job ${job.job}, submitted for "${job.use}"`;
        report("stored-under-other-key", `${what}, under "${key}"`, job.task);
      },
      "task-state"({ task, state }, { jobs, tasks }, report) {
        const last = tasks.get(task)?.attempts.at(-1);
        if (state !== "success" || last === undefined) return;
        for (const key of jobs.attempt(last.attempt)?.keys ?? []) {
          const isDone = jobs.of(task).some((job) => job.use === key && job.state === "success");
          if (!isDone)
            report("use-without-job", `${task} succeeded, and no job for "${key}" did`, task);
        }
      },
    },
  };
}

/** What attempts do anew with jobs whose results they have. */
class AgainFromTheStore {
  readonly #fetched = new Set<JobFact>();
  readonly #keys = new Map<number, string>();
  readonly #looked = new Set<number>();

  read(job: JobFact, key: string): void {
    if (this.#fetched.has(job)) this.#keys.set(job.job, key);
  }

  look(job: number, attempt: number): void {
    if (attempt > 0 && this.#keys.has(job)) this.#looked.add(job);
  }

  /** Returns the key by which the job was found again, if it was, and looked at since. */
  fetch(job: JobFact): string | undefined {
    this.#fetched.add(job);
    return this.#looked.has(job.job) ? this.#keys.get(job.job) : undefined;
  }
}
