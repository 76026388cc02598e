import type { Checker, Report } from "../checker.ts";
import type { TaskFacts } from "./task-facts.ts";

/**
 * R-apart: runs of one task may overlap, and the state of a task instance is its own run's.
 *
 * That a read returns the last write of its key (R-I7) says nothing of whose key it is: where two
 * runs share a place in the store, each finds there what the other one wrote last.
 */
export const runsAreApart: Checker<TaskFacts> = {
  id: "R-apart",
  promise: "an attempt reads and writes no other task instance's state, also where runs overlap",
  on: {
    "state-set": (event, facts, report) => reportForeign(event, "sets", facts, report),
    "state-got": (event, facts, report) => reportForeign(event, "reads", facts, report),
  },
};

interface Access {
  readonly scope: string;
  readonly key: string;
  readonly attempt: number;
}

function reportForeign(
  { scope, key, attempt }: Access,
  does: string,
  { attempts, taskOfScope }: TaskFacts,
  report: Report,
): void {
  const own = attempts.get(attempt);
  const other = taskOfScope.get(scope);
  if (own === undefined || other === undefined || own.scope === scope) return;
  const what = `attempt ${attempt} of ${own.task} ${does} "${key}" of ${other}`;
  report("foreign-state", what, own.task);
}
