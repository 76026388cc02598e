import type { Checker } from "../checker.ts";
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
 */
export function usesAreApart(operatorsOf: OperatorsOf = "kit"): Checker<TaskFacts> {
  const calm = new Set<string>();
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
